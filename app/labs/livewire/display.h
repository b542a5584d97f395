#pragma once

#include <QObject>
#include <filesystem>

#include "app/labs/livewire/tool_parameters.h"
#include "app/labs/livewire/wire_thread.h"
#include "app/slices/heat_layer.h"

namespace isolume::labs::livewire {

class Workspace;

/// What lies over the slices: contours, the draft, and what the wire sees as heat maps.
class Display : public QObject {
  Q_OBJECT
 public:
  explicit Display(Workspace& workspace);

  /// The large view with all that lies over it, as a PNG picture, by a job. Throws Error where nothing is
  /// open, or for a transparent one: slices fill their picture.
  void write_image(const std::filesystem::path& path, int width, int height, bool transparent, int dpi);

  /// Lets the distances from the last seed grow from nothing to all of them. Throws Error where none are
  /// shown.
  void play_front();
  const slices::HeatLayer& layer() const { return layer_; }

 private:
  void paint_kept(QPainter& painter, const slices::SliceView& view);
  void paint_draft(QPainter& painter, const slices::SliceView& view);
  void follow_look();
  void request_layer();
  void request_distances();
  /// Of a job; nothing happens where another layer or ground is wanted by now.
  void show_map(const slices::HeatMap& map, LayerKind kind, const WireThread::GroundPointer& ground);

  Workspace& workspace_;
  slices::HeatLayer layer_;
  LayerKind kind_ = LayerKind::none;  ///< that was asked for
};

}  // namespace isolume::labs::livewire
