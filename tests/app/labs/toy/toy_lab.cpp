#include <QObject>

#include "app/fields/field_window.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/playback/playback.h"
#include "app/workbench/playback/playback_commands.h"
#include "app/workbench/playback/playback_page.h"
#include "tests/app/labs/toy/declared_commands.h"
#include "tests/app/labs/toy/toy_field.h"

namespace isolume::labs::toy {
namespace {

/// Where pictures take longer, the film is slow instead of leaping.
constexpr double longest_frame_seconds = 0.05;

class ToyLab final : public QObject, public fields::LabOfField {
 public:
  explicit ToyLab(workbench::LabContext& context);

  QWidget* page() override { return workbench::make_playback_page(context_, playback_, "toy").page; }
  std::vector<workbench::LabPanel> panels() override {
    return {window_.make_values_panel(tr("Choose a line: toy.line -8 0 0 8 0 0"))};
  }
  void start() override;
  void open(const std::filesystem::path& path) override {
    throw Error("This lab makes its field itself and cannot open " + isolume::quoted(path.string()) + ".");
  }
  void open_again(const std::filesystem::path&, const nlohmann::json&) override { start(); }
  std::function<nlohmann::json()> state() const override;
  void restore(const nlohmann::json& state) override;
  parameters::ParameterSet* parameters() override { return &all_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  bool moving() const override { return playback_.playing(); }
  void stop_moving() override { playback_.pause(); }

 protected:
  fields::FieldWindow& field_window() override { return window_; }

 private:
  void play();
  void show_time(double seconds);

  workbench::LabContext& context_;
  ToyParameters toy_;
  parameters::StructParameters<ToyParameters> toy_set_{toy_schema(), toy_};
  fields::FieldWindow window_;
  parameters::CombinedParameters all_{{&toy_set_, &window_.parameters()}};
  workbench::Playback playback_;
};

ToyLab::ToyLab(workbench::LabContext& context) : context_(context), window_(context, "toy", "mV", "mm") {
  playback_.set_range(0, period_s, tr("s"), period_s);
  playback_.set_at_end(simulation::Clock::AtEnd::loop);
  playback_.wait_for([this] { return !window_.awaiting(); }, longest_frame_seconds);
  connect(&playback_, &workbench::Playback::time_changed, this, &ToyLab::show_time);
  connect(&playback_, &workbench::Playback::playing_changed, this, [this](bool playing) {
    if (!playing) window_.show(toy_source(toy_));  // at full resolution where previews ran
    context_.availability_changed();
  });
  auto& commands = context.commands;
  commands.declare(declared_commands());
  commands.bind("toy.play", [this](const auto&) { play(); }, nullptr,
                {.shortcut = "Space", .checked = [this] { return playback_.playing(); }});
  commands.bind("toy.stop", [this](const auto&) { playback_.pause(); });
  window_.bind("toy");
  workbench::add_playback_commands(commands, "toy", playback_, nullptr);
}

/// It has no file: its document is there with it.
void ToyLab::start() {
  context_.document_opened({}, tr("Two pulses"));
  window_.show(toy_source(toy_));
}

void ToyLab::set_parameter(std::string_view key, const parameters::Value& value) {
  if (!toy_set_.has(key)) return window_.set_parameter(key, value);
  toy_set_.set(key, value);
  playback_.show_time(toy_.time_s);
  window_.show(toy_source(toy_));
}

void ToyLab::play() {
  window_.show(toy_source(toy_), fields::Detail::preview);  // one that was cancelled would be waited for
  playback_.play();
}

/// Without an entry in the undo list.
void ToyLab::show_time(double seconds) {
  toy_.time_s = seconds;
  window_.show(toy_source(toy_), playback_.playing() ? fields::Detail::preview : fields::Detail::refined);
}

/// Beside the parameters: how time runs.
std::function<nlohmann::json()> ToyLab::state() const {
  return [speed = playback_.clock().speed(), reversed = playback_.clock().reversed()] {
    return nlohmann::json{{"speed", speed}, {"reversed", reversed}};
  };
}

void ToyLab::restore(const nlohmann::json& state) {
  playback_.set_speed(state.at("speed").get<double>());
  playback_.set_reversed(state.at("reversed").get<bool>());
  window_.leave_camera();
}

}  // namespace

workbench::LabEntry lab_entry() {
  const auto tr = [](const char* text) { return ToyLab::tr(text); };
  return {.name = "toy",
          .title = tr("Toy"),
          .summary = tr("Two pulses of opposite sign that circle each other."),
          .make = [](workbench::LabContext& context) { return std::make_unique<ToyLab>(context); }};
}

}  // namespace isolume::labs::toy
