#include <QObject>

#include "app/fields/lab_of_field.h"
#include "tests/app/labs/toy/description.h"
#include "tests/app/labs/toy/toy_field.h"

namespace isolume::labs::toy {
namespace {

using fields::Detail;

class ToyLab final : public fields::LabOfField {
 public:
  explicit ToyLab(workbench::LabContext& context) : context_(context), window_(context, "toy", "mV", "mm") {
    playback_.time().set_range(0, period_s, QObject::tr("s"), period_s);
    playback_.time().set_at_end(simulation::Clock::AtEnd::loop);
    playback_.bind();
    window_.bind("toy");
  }

  std::vector<workbench::LabPanel> panels() override {
    return {window_.make_values_panel(QObject::tr("Choose a line: toy.line -8 0 0 8 0 0"))};
  }
  /// It has no file: its document is there with it.
  void start() override {
    context_.document_opened({}, QObject::tr("Two pulses"));
    window_.show(toy_source(toy_));
  }
  void open(const std::filesystem::path& path) override {
    throw Error("This lab makes its field itself and cannot open " + isolume::quoted(path.string()) + ".");
  }
  void open_again(const std::filesystem::path&, const nlohmann::json&) override { start(); }
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    if (!toy_set_.has(key)) return window_.set_parameter(key, value);
    toy_set_.assign(key, value);
    playback_.show_time(toy_.time_s);
    window_.show(toy_source(toy_));
  }

 protected:
  fields::FieldWindow& field_window() override { return window_; }
  const fields::FieldPlayback& field_playback() const override { return playback_; }

 private:
  workbench::LabContext& context_;
  ToyParameters toy_;
  parameters::StructParameters<ToyParameters> toy_set_{toy_schema(), toy_};
  fields::FieldWindow window_;
  parameters::CombinedParameters all_{{&toy_set_, &window_.parameters()}};
  fields::FieldPlayback playback_{
      context_, window_, {.prefix = "toy", .show = [this](double time, Detail detail) {
                            toy_.time_s = time;
                            window_.show(toy_source(toy_), detail);
                          }}};
};

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<ToyLab>};
}

}  // namespace isolume::labs::toy
