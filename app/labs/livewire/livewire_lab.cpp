#include "app/labs/livewire/livewire_lab.h"

#include <QObject>
#include <QPointer>
#include <algorithm>

#include <fmt/format.h>

#include "app/labs/livewire/commands/mouse_control.h"
#include "app/labs/livewire/description.h"
#include "app/labs/livewire/display.h"
#include "app/labs/livewire/panels/contour_panel.h"
#include "app/labs/livewire/panels/header_panel.h"
#include "app/labs/livewire/panels/measures_panel.h"
#include "app/labs/livewire/space_view.h"
#include "app/labs/livewire/time_playback.h"
#include "app/labs/livewire/workspace/commands.h"
#include "app/labs/livewire/workspace/export_contours.h"
#include "app/labs/livewire/workspace/session_state.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/playback/playback_commands.h"
#include "gpu/livewire/engines.h"

namespace isolume::labs::livewire {
namespace {

/// All along the axis of the one that is shown, a few a second.
std::optional<workbench::Passage> slices_of(Workspace& workspace) {
  if (!workspace.without_image().empty()) return std::nullopt;
  const images::SliceId shown = workspace.model().slice();
  const int count = workspace.image().volume.geometry.dimensions[static_cast<std::size_t>(shown.axis)];
  constexpr double slices_a_second = 5;
  return workbench::Passage{.name = QObject::tr("Slices"),
                            .unit = {},
                            .from = 1,
                            .to = static_cast<double>(count),
                            .now = shown.index + 1.0,
                            .seconds = count / slices_a_second,
                            .go_to = [&workspace, axis = shown.axis](double at) {
                              workspace.model().set_slice({axis, static_cast<int>(std::lround(at)) - 1});
                            }};
}

class LivewireLab final : public workbench::Lab {
 public:
  explicit LivewireLab(workbench::LabContext& context)
      : workspace_(context), display_(workspace_), space_(workspace_), mouse_(workspace_), time_(workspace_) {
    add_slice_commands(workspace_);
    add_trace_commands(workspace_);
    add_contour_commands(workspace_);
    add_label_commands(workspace_);
    add_suggestion_commands(workspace_);
    add_file_commands(workspace_);
    add_ruler_commands(workspace_);
    add_painting_commands(workspace_);
    time_.bind_commands();
    auto& playback = display_.playback();
    const auto without_front = [this] { return display_.without_front(); };
    workbench::add_playback_commands(context.commands, "livewire.layer", playback, without_front);
    context.commands.bind(
        "livewire.layer.stop", [&playback](const Arguments&) { playback.pause(); },
        [&playback] {
          return playback.playing() ? std::string() : workbench::said(QObject::tr("Nothing is playing."));
        });
    context.commands.bind("livewire.layer.play", [&playback](const Arguments&) { playback.play(); },
                          without_front, {.checked = [&playback] { return playback.playing(); }});
  }

  QWidget* page() override { return &workspace_.views(); }
  std::vector<workbench::LabPanel> panels() override {
    contours_ = new ContourPanel(workspace_);
    measures_ = new MeasuresPanel(workspace_);
    return {{QT_TRANSLATE_NOOP("declared", "Contours"), contours_, Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Measures"), measures_, Qt::RightDockWidgetArea},
            {QT_TRANSLATE_NOOP("declared", "Header"), new HeaderPanel(workspace_), Qt::RightDockWidgetArea}};
  }
  void open(const std::filesystem::path& path) override { workspace_.open(path); }
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    workspace_.open(path, state.value("series_uid", std::string()));
  }
  std::function<nlohmann::json()> state() const override { return session_state(workspace_); }
  void restore(const nlohmann::json& state) override { restore_session(workspace_, state); }
  parameters::ParameterSet* parameters() override { return workspace_.parameters(); }
  void set_parameter(std::string_view key, const parameters::Value& value) override {
    workspace_.set_parameter(key, value);
  }
  std::vector<std::string> goes_with(std::string_view key,
                                     const parameters::Value& /*value*/) const override {
    if (key != "values") return {};
    return {"window-centre", "window-width", "fill-tolerance"};
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override {
    display_.write_image(path, width, height, transparent, dpi);
  }
  void note_unfinished() override {
    if (!workspace_.tool().tracing()) return;
    workspace_.note("livewire.draft", draft_arguments(workspace_.tool().tracer().draft()));
  }
  bool busy() const override { return workspace_.busy(); }
  bool waits() const override {
    return space_.waits() || (contours_ && contours_->waits()) || (measures_ && measures_->waits());
  }
  void show_previews(bool shown) override { display_.show_previews(shown); }
  bool moving() const override { return display_.playback().playing() || time_.playing(); }
  std::optional<workbench::Passage> passage() override { return slices_of(workspace_); }
  bool has_camera() const override { return false; }
  void stop_moving() override {
    display_.playback().pause();
    time_.pause();
  }
  void shown_changed(bool shown) override {
    if (!shown) stop_moving();
  }
  QString export_filter() const override { return livewire::export_filter(); }
  void export_file(const std::filesystem::path& path) override { livewire::export_file(workspace_, path); }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override {
    workbench::prepare_engines(
        workspace_.context(), "livewire", &workspace_,
        [devices] {
          return std::make_shared<const dispatch::EngineRegistry<isolume::livewire::Engine>>(
              gpu::make_livewire_engines(devices));
        },
        [this](const auto& engines) { workspace_.set_engines(engines); });
  }

 private:
  Workspace workspace_;
  Display display_;
  SpaceView space_;
  QPointer<ContourPanel> contours_;
  QPointer<MeasuresPanel> measures_;
  MouseControl mouse_;
  TimePlayback time_;
};

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<LivewireLab>};
}

}  // namespace isolume::labs::livewire
