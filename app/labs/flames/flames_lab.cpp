#include <QUndoStack>
#include <cmath>

#include "app/labs/flames/description.h"
#include "app/labs/flames/flame_view.h"
#include "app/pictures/png_file.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/engines.h"
#include "app/workbench/contract/value_change.h"
#include "app/workbench/playback/playback.h"
#include "app/workbench/playback/playback_commands.h"
#include "app/workbench/playback/playback_page.h"
#include "core/flames/edit_commands.h"
#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"
#include "core/flames/live_picture.h"
#include "core/parameters/narrowed.h"
#include "gpu/flames/engines.h"

namespace isolume::labs::flames {
namespace {

using namespace isolume::flames;
using workbench::Arguments;
using workbench::guarded;
using workbench::said;

QString read_out(const Rendered& rendered) {
  return QObject::tr("%1 points per pixel, %2 million points/s, %3 % in view, %4")
      .arg(rendered.points_per_pixel, 0, 'f', 1)
      .arg(1e-6 * rendered.points_per_second, 0, 'f', 1)
      .arg(100 * rendered.in_view, 0, 'f', 0)
      .arg(rendered.finished ? QObject::tr("finished") : QObject::tr("refining"));
}

class FlamesLab final : public QObject, public workbench::Lab {
 public:
  explicit FlamesLab(workbench::LabContext& context);

  QWidget* page() override {
    return workbench::make_playback_page(context_, playback_, "flames", view_.widget()).page;
  }
  std::vector<workbench::LabPanel> panels() override { return {}; }
  void start() override { open_flame({}, random_flame(20), {}); }
  void open(const std::filesystem::path& path) override;
  void open_again(const std::filesystem::path& path, const nlohmann::json& state) override {
    open_flame(path, parse_flames(state.at("flame").get<std::string>(), path).flames.front(), {});
  }
  std::function<nlohmann::json()> state() const override {
    return [editing = editing_, time = workbench::state_of(playback_)] {
      nlohmann::json state = state_of(editing);
      state["playback"] = time;
      return state;
    };
  }
  /// Parameters, which the workbench has set before, were those of other functions meanwhile.
  void restore(const nlohmann::json& state) override {
    set_state(editing_, state);
    if (state.contains("playback")) workbench::set_state(playback_, state.at("playback"));
    show(editing_);
  }
  parameters::ParameterSet* parameters() override { return &narrowed_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                   int dpi) override;
  std::optional<workbench::Passage> passage() override { return playback_.passage(); }
  bool has_camera() const override { return false; }
  bool moving() const override { return playback_.playing(); }
  void stop_moving() override { playback_.pause(); }
  void shown_changed(bool shown) override {
    if (!shown) playback_.pause();
  }
  QString export_filter() const override { return QObject::tr("Flame (*.flame)"); }
  void export_file(const std::filesystem::path& path) override { write_flames({&editing_.flame, 1}, path); }
  void devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) override;

 private:
  void open_flame(const std::filesystem::path& path, Flame flame, const Remarks& remarks);
  /// Runs a command of `edit_commands` as one step of undo.
  void change(const EditCommand& command, const Arguments& arguments);
  /// Shows what a hand drags; at the end, runs the command.
  void follow_hand(const Act& act, bool finished);
  void show(const Editing& editing);
  RenderRequest request_for(const Flame& flame, const View& view) const;
  void request();
  void show_picture(const std::shared_ptr<const Rendered>& rendered);

  workbench::LabContext& context_;
  Editing editing_;
  std::optional<Editing> before_drag_;
  std::shared_ptr<const Renderer::Engines> engines_ = workbench::one_engine(make_cpu_engine());
  parameters::StructParameters<Editing> set_{editing_schema(), editing_};
  parameters::NarrowedParameters narrowed_{set_, {}, [this](parameters::Description& each) {
                                             narrow(editing_, each);
                                             engines_->narrow(each);
                                           }};
  workbench::Playback playback_;
  FlameView view_{[this](const Act& act, bool finished) { follow_hand(act, finished); },
                  [this] { request(); }};
  LivePicture picture_{context_.jobs,
                       [this](auto action) { context_.on_gui_thread(guarded(this, std::move(action))); },
                       [this](auto rendered) { show_picture(rendered); }, said(QObject::tr("Flame"))};
};

FlamesLab::FlamesLab(workbench::LabContext& context) : context_(context) {
  constexpr double loop_seconds = 12, longest_frame_seconds = 0.05;
  playback_.set_range(0, 1, {}, loop_seconds);
  playback_.set_at_end(simulation::Clock::AtEnd::loop);
  playback_.wait_for([this] { return !picture_.awaiting(); }, longest_frame_seconds);
  connect(&playback_, &workbench::Playback::time_changed, this, [this](double time) {
    editing_.time = time;
    request();
  });
  connect(&playback_, &workbench::Playback::playing_changed, this, [this] {
    request();  // at full quality when it stops
    context_.availability_changed();
  });
  auto& commands = context.commands;
  for (const auto& each : edit_commands()) {
    commands.bind(each.declaration.name,
                  [this, &each](const Arguments& arguments) { change(each, arguments); });
  }
  workbench::add_play_commands(commands, "flames", playback_);
  workbench::add_playback_commands(commands, "flames", playback_, nullptr);
}

void FlamesLab::open(const std::filesystem::path& path) {
  context_.jobs.submit(
      said(QObject::tr("Open %1"), path.filename().string()), "flames.open",
      [this, path](const jobs::Progress&) {
        auto file = read_flames(path);
        if (const std::size_t others = file.flames.size() - 1; others > 0)
          file.remarks.dropped(said(QObject::tr("%1 more flames of the file are not shown."), others),
                               others);
        context_.on_gui_thread(
            guarded(this, [this, path, file] { open_flame(path, file.flames.front(), file.remarks); }));
      });
}

void FlamesLab::open_flame(const std::filesystem::path& path, Flame flame, const Remarks& remarks) {
  set_flame(editing_, std::move(flame));
  editing_.second.reset();
  editing_.time = 0;
  const QString name = QString::fromStdString(editing_.flame.name);
  context_.document_opened(path, name.isEmpty() ? QObject::tr("Flame") : name);
  context_.show_warning(QString::fromStdString(remarks.text()));
  show(editing_);
}

void FlamesLab::set_parameter(std::string_view key, const parameters::Value& value) {
  const Editing before = editing_;
  narrowed_.assign(key, value);
  try {
    require_valid(editing_.flame);
  } catch (const Error&) {
    editing_ = before;
    throw;
  }
  request();
}

void FlamesLab::change(const EditCommand& command, const Arguments& arguments) {
  constexpr int view_id = 1'000'000'001;  // the workbench's ids are small
  const bool of_view = command.declaration.name == "flames.view.set";
  Editing after = editing_;
  const Remarks remarks = command.edit(after, arguments);
  require_valid(after.flame);
  if (!remarks.empty()) context_.show_warning(QString::fromStdString(remarks.text()));
  // The time is that of the playback, unless this step sets it.
  const bool sets_time = after.time != editing_.time;
  const auto use = [this, sets_time](const Editing& to) {
    Editing editing = to;
    if (!sets_time) editing.time = editing_.time;
    show(editing);
  };
  context_.undo.push(
      new workbench::ValueChange<Editing>(workbench::translated(command.declaration.title).remove("..."),
                                          editing_, std::move(after), use, of_view ? view_id : -1));
}

void FlamesLab::follow_hand(const Act& act, bool finished) {
  if (finished) {
    if (before_drag_) editing_ = *std::exchange(before_drag_, std::nullopt);
    context_.commands.run(act.command, act.words);
    return;
  }
  if (!before_drag_) before_drag_ = editing_;
  Editing shown = *before_drag_;
  edit(shown, act.command, act.words);
  show(shown);
}

void FlamesLab::show(const Editing& editing) {
  if (&editing != &editing_) editing_ = editing;
  playback_.show_time(editing_.time);
  context_.parameters_changed();
  request();
}

RenderRequest FlamesLab::request_for(const Flame& flame, const View& view) const {
  return {.flame = flame, .view = view, .quality = flame.quality, .compute = editing_};
}

void FlamesLab::request() {
  const Flame flame = shown_flame(editing_);
  view_.show_flame(flame, editing_.function, editing_.triangles && !playback_.playing());
  RenderRequest wanted = request_for(flame, view_.view());
  if (playback_.playing()) wanted.quality = std::min(wanted.quality, 1.0);
  picture_.request(engines_, std::move(wanted));
}

void FlamesLab::show_picture(const std::shared_ptr<const Rendered>& rendered) {
  const QString text = read_out(*rendered);
  const auto& [width, height, rgba] = rendered->picture;
  view_.widget()->show_picture(workbench::image_of(rendered, rgba.data(), width, height), text);
  context_.show_status(text);
}

void FlamesLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                            int dpi) {
  const Flame flame = shown_flame(editing_);
  RenderRequest wanted = request_for(flame, resized(flame.view, width, height));
  wanted.background = transparent ? Background::transparent : Background::drawn;
  context_.jobs.submit(said(QObject::tr("Write %1"), path.filename().string()), {},
                       [wanted, path, dpi, engines = engines_](const jobs::Progress& progress) {
                         const Picture drawn = render(*engines, wanted, progress).picture;
                         using enum pictures::FourthByte;
                         pictures::write_png(
                             {.bytes = drawn.rgba,
                              .width = drawn.width,
                              .height = drawn.height,
                              .fourth = wanted.background == Background::transparent ? opacity : unused},
                             path, dpi);
                       });
}

void FlamesLab::devices_found(const std::shared_ptr<dispatch::DevicePool>& devices) {
  workbench::prepare_engines(
      context_, "flames", this,
      [devices] { return std::make_shared<const Renderer::Engines>(gpu::make_flame_engines(devices)); },
      [this](const auto& engines) {
        engines_ = engines;
        context_.parameters_changed();
      });
}

}  // namespace

workbench::LabEntry lab_entry() {
  return {.description = description(), .make = workbench::make_lab<FlamesLab>};
}

}  // namespace isolume::labs::flames
