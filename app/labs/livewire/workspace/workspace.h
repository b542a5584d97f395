#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/labs/livewire/files/auto_save.h"
#include "app/labs/livewire/tools/brush_tool.h"
#include "app/labs/livewire/tools/contour_editor.h"
#include "app/labs/livewire/tools/ruler_tool.h"
#include "app/labs/livewire/tools/tracing_model.h"
#include "app/labs/livewire/tools/tracing_tool.h"
#include "app/labs/livewire/tools/wire_finder.h"
#include "app/labs/livewire/views/contour_overlay.h"
#include "app/labs/livewire/views/tool_parameters.h"
#include "app/workbench/contract/lab.h"
#include "core/base/remarks.h"
#include "core/dispatch/engine_registry.h"
#include "core/parameters/narrowed.h"

namespace isolume::slices {
class LinkedSlices;
class SliceView;
}  // namespace isolume::slices

namespace isolume::labs::livewire {

struct OpenedImage;

/// Pixels of all slices along an axis that the wire keeps to; empty: all.
struct WireRegion {
  int axis = 2;
  isolume::livewire::Rectangle pixels;
  bool operator==(const WireRegion&) const = default;
};

/// What the lab's commands, views and panels work with.
class Workspace : public QObject {
  Q_OBJECT
 public:
  using Engines = std::shared_ptr<const dispatch::EngineRegistry<isolume::livewire::Engine>>;

  explicit Workspace(workbench::LabContext& lab_context);
  ~Workspace() override;

  workbench::LabContext& context() { return context_; }
  TracingModel& model() { return model_; }
  const TracingModel& model() const { return model_; }
  TracingTool& tool() { return tool_; }
  const TracingTool& tool() const { return tool_; }
  ContourEditor& editor() { return editor_; }
  RulerTool& ruler() { return ruler_; }
  BrushTool& brush() { return brush_; }
  /// The left button paints, erases or fills in the large view from now on; nothing: it traces again. Throws Error
  /// while a contour is being traced.
  void choose_tool(std::optional<PaintingTool> tool);
  /// Pixels that are marked in the large view until the next ones; of no slice: none.
  const SliceMask& mask() const { return mask_; }
  void set_mask(SliceMask mask);
  /// Of the image's voxels.
  const images::ValueRange& values() const { return values_; }
  /// The next clicks are points of a distance or an angle. Throws Error while a contour is being traced.
  void begin_ruler(contours::RulerKind kind);
  /// The lab's page; made with the workspace, owned by the window.
  slices::LinkedSlices& views();
  const ToolParameters& tool_parameters() const { return tool_values_; }
  /// What slices are searched with, for jobs.
  WireProblem problem() const;
  bool busy() const { return wires_.busy(); }

  /// Starts opening as a job; several series are asked for.
  void open(const std::filesystem::path& path, const std::string& series_uid = {});
  /// Null while nothing is open.
  parameters::ParameterSet* parameters();
  void set_parameter(std::string_view key, const parameters::Value& value);
  /// Goes to a time point, from 1, without an undo entry.
  void play_time_point(int time_point);
  /// Whether the one that is wanted is not shown yet.
  bool reading_time_point() const;
  /// Without an undo entry: the window is no part of the work.
  void set_window(const images::Window& window);
  void set_engines(Engines engines);

  /// Throw Error where there is none.
  const images::Document& image() const;
  const contours::Contour& selected() const;
  /// Pixels of the shown slice that the wire keeps to; empty: all.
  isolume::livewire::Rectangle region() const;
  /// Restricts the wire on all slices along the axis of the shown one, as a step of undo; empty lifts the restriction.
  /// Throws Error where the slice has none of these pixels.
  void restrict_wire(const isolume::livewire::Rectangle& region);
  const WireRegion& wire_region() const { return region_; }
  void set_wire_region(const WireRegion& region);
  /// What costs are trained on, where they are: the end of what was traced last. Null: nothing has been.
  const std::shared_ptr<const TracedPath>& trained_on() const { return trained_on_; }
  void train_on(TracedPath path);
  /// Why commands cannot run now, or empty.
  std::string without_image() const;
  std::string without_selection() const;
  /// In pixels of the slice that is shown.
  double snap_radius_px() const;
  /// Runs a command for the mouse or a key: an error becomes a line in the status bar.
  void run(const std::string& name, const std::vector<std::string>& arguments = {});
  /// Tells a recorder of what a hand has done in the place of a command.
  void note(const std::string& name, const std::vector<std::string>& arguments, bool continues = false);
  /// In the banner, a line each, after those of the image and its contours; none: no banner.
  void show_remarks(const Remarks& remarks);
  /// Takes the last remarks out of the banner: they were about an earlier file.
  void drop_remarks();
  /// In the status line, in the place of what was reported of an earlier state: measures of the selected contour; the
  /// image's title where none is selected.
  void show_selected();
  /// Runs `action` on the GUI thread while the workspace is there; callable from jobs.
  void later(std::function<void()> action);

 Q_SIGNALS:
  /// Parameters that change how things are drawn.
  void look_changed();

 private:
  void take(const OpenedImage& opened, const std::filesystem::path& path);
  /// Reads another volume of the image, whose contours stay.
  enum class Banner { shown, left };  ///< whether the banner follows, or is left as it is
  void go_to_time_point(int time_point, Banner banner);
  void take_time_point(const std::shared_ptr<const images::Document>& image, Banner banner);
  /// The one that is shown stays.
  void keep_time_point();
  /// Shows the image in the chosen values, with the window that looks the same. Throws Error where it has none.
  void show_values();
  void exchange_volume(std::shared_ptr<const images::Document> image);
  void look_for_series(const std::filesystem::path& path);
  void read_slice(slices::SliceView& view, images::SliceId slice);
  WireProblem problem_of(std::shared_ptr<const images::Document> image) const;
  void wires_changed();
  void tell_measured(std::uint64_t ruler);
  void show_ruler(std::uint64_t id);
  void keep_window(const images::Window& before);
  /// From what was traced last, for the trained cost.
  void learn(const contours::Contour& traced);
  double draft_length_mm() const;
  void settings_changed();
  void show_look();
  void narrow(parameters::Description& description) const;

  workbench::LabContext& context_;
  Engines engines_;
  isolume::livewire::CostParameters cost_values_;
  ToolParameters tool_values_;
  parameters::StructParameters<isolume::livewire::CostParameters> cost_set_;
  parameters::StructParameters<ToolParameters> tool_set_;
  parameters::CombinedParameters all_parameters_;
  parameters::NarrowedParameters shown_parameters_;
  std::shared_ptr<const TracedPath> trained_on_;  ///< what was traced last
  WireRegion region_;
  isolume::livewire::Rectangle wires_region_;  ///< that the wires know
  bool was_tracing_ = false;
  void restore_kept(const OpenedImage& opened);
  /// Contours of an earlier session, until one of them changes: then it is too late to start without them.
  struct Restored {
    std::string text;
    std::vector<std::shared_ptr<const contours::Contour>> contours;
    std::string draft;  ///< sentence about the unfinished trace; empty where there is none any more
  };
  std::optional<Restored> restored_;
  bool shows_remarks_ = false;  ///< the banner has those given to `show_remarks`
  Remarks opening_remarks_;     ///< on autosaved contours, and on saving them from now on
  std::shared_ptr<const images::Document>
      stored_image_;             ///< the image with its values as the file gives them
  images::Window first_window_;  ///< of the image
  images::ValueRange values_;    ///< of its voxels

  TracingModel model_;
  WireFinder wires_;
  TracingTool tool_;
  ContourEditor editor_;
  RulerTool ruler_;
  BrushTool brush_;
  SliceMask mask_;
  AutoSave saver_;
  QPointer<slices::LinkedSlices> views_;
};

}  // namespace isolume::labs::livewire
