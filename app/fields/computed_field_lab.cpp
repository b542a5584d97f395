#include "app/fields/computed_field_lab.h"

#include <fmt/format.h>

#include "app/fields/lab_of_field.h"
#include "app/workbench/contract/translated.h"

namespace isolume::fields {
namespace {

using workbench::said;

class ComputedFieldLab final : public LabOfField {
 public:
  ComputedFieldLab(workbench::LabContext& context, ComputedField declared)
      : context_(context),
        declared_(std::move(declared)),
        window_(context, declared_.name, declared_.unit, declared_.length_unit) {
    window_.bind(declared_.name);
    if (declared_.time.empty()) return;
    const parameters::Description time = model_->parameters().description(declared_.time);
    playback_.time().set_range(time.low, time.high, QString::fromStdString(time.unit), time.high - time.low);
    playback_.time().set_at_end(simulation::Clock::AtEnd::loop);
    playback_.bind();
  }

  std::vector<workbench::LabPanel> panels() override {
    const double end = 0.8 * declared_.reach;
    return {window_.make_values_panel(QObject::tr("Choose a line: %1")
                                          .arg(QString::fromStdString(fmt::format(
                                              "{}.line {:g} 0 0 {:g} 0 0", declared_.name, -end, end))))};
  }
  void start() override {
    context_.document_opened({}, QString::fromStdString(model_->source()->name()));
    window_.show(model_->source());
  }
  void open(const std::filesystem::path& path) override {
    throw Error(said(QObject::tr("This lab computes its field and opens no files: %1."), path.string()));
  }
  void open_again(const std::filesystem::path& /*path*/, const nlohmann::json& /*state*/) override {
    start();
  }
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    if (!model_->parameters().has(key)) return window_.set_parameter(key, value);
    model_->parameters().assign(key, value);
    if (key == declared_.time) playback_.show_time(std::get<double>(value));
    window_.follow(model_->source());
  }

 protected:
  FieldWindow& field_window() override { return window_; }
  const FieldPlayback& field_playback() const override { return playback_; }

 private:
  void show_at(double time, Detail detail) {
    model_->parameters().assign(declared_.time, time);
    window_.show(model_->source(), detail);
  }
  std::string without_time() const {
    return declared_.time.empty() ? said(QObject::tr("This field does not change with time."))
                                  : std::string();
  }

  workbench::LabContext& context_;
  const ComputedField declared_;
  const std::unique_ptr<FieldModel> model_ = declared_.make();
  FieldWindow window_;
  parameters::CombinedParameters all_{{&model_->parameters(), &window_.parameters()}};
  FieldPlayback playback_{context_,
                          window_,
                          {.prefix = declared_.name,
                           .show = [this](double time, Detail detail) { show_at(time, detail); },
                           .unavailable = [this] { return without_time(); }}};
};

}  // namespace

workbench::LabEntry lab_of(const ComputedField& field) {
  return {.description = describe(field), .make = [field](workbench::LabContext& context) {
            return std::make_unique<ComputedFieldLab>(context, field);
          }};
}

}  // namespace isolume::fields
