#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <string>

#include "app/labs/livewire/tools/wire_finder.h"
#include "app/labs/livewire/views/tool_parameters.h"
#include "app/slices/heat_layer.h"
#include "app/workbench/playback/playback.h"
#include "app/workbench/playback/playback_bar.h"

namespace isolume::labs::livewire {

class Workspace;

/// What lies over the slices: contours, the draft, and what the wire sees as heat maps.
class Display : public QObject {
  Q_OBJECT
 public:
  explicit Display(Workspace& workspace);

  /// The large view with all that lies over it except previews, as a PNG picture, by a job. Throws Error where
  /// nothing is open, or for a transparent one: slices fill their picture.
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent, int dpi);

  /// Shows or hides what follows the pointer: the live wire, the brush, and unfinished measurements.
  void show_previews(bool shown) { previews_shown_ = shown; }

  /// Why the distances from the last seed cannot grow from nothing to all of them now; empty when they can.
  std::string without_front() const;
  const slices::HeatLayer& layer() const { return layer_; }
  /// Of the front: up to where distances are shown.
  workbench::Playback& playback() { return playback_; }
  const workbench::Playback& playback() const { return playback_; }

 private:
  void paint_kept(QPainter& painter, const slices::SliceView& view);
  /// The region, and the contour, measurement or stroke in progress. `previews`: with what follows the pointer.
  void paint_draft(QPainter& painter, const slices::SliceView& view, bool previews) const;
  void follow_look();
  void request_layer();
  void request_distances();
  /// Of a job; nothing happens where another layer or ground is wanted by now.
  void show_map(const slices::HeatMap& map, LayerKind kind, const WireFinder::GroundPointer& ground);

  Workspace& workspace_;
  slices::HeatLayer layer_;
  workbench::Playback playback_;
  QPointer<workbench::PlaybackBar> bar_;  ///< below the large view while there is a front
  LayerKind kind_ = LayerKind::none;      ///< that was asked for
  bool previews_shown_ = true;
};

}  // namespace isolume::labs::livewire
