#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/labs/anatomy/overlays.h"
#include "app/labs/anatomy/painted_regions.h"
#include "app/labs/anatomy/regions_panel.h"
#include "app/slices/label_layer.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/lab.h"
#include "core/graph/node.h"

namespace isolume::labs::anatomy {

/// Regions of the fixed image that spread from painted seeds: the brush, strokes with undo, commands, panel, and what
/// is drawn over the slices.
class Scribbles final : public QObject {
  Q_OBJECT
 public:
  using PairPointer = std::shared_ptr<const isolume::anatomy::Pair>;

  /// `pair` gives the present one.
  Scribbles(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
            Overlays& overlays, std::function<PairPointer()> pair);

  parameters::ParameterSet& parameters() { return set_; }
  /// After a parameter has changed.
  void show_parameters();
  RegionsPanel* make_panel();
  /// Another pair of images; strokes stay with the fixed image.
  void open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair);
  nlohmann::json state() const { return json_of(*strokes_); }
  /// Throws as strokes_of.
  void restore(const nlohmann::json& state) { put(strokes_of(state)); }
  /// What is drawn over slices.
  slices::SliceView::Overlay over_picture() const;
  /// The regions that are drawn; nothing where there are none.
  std::optional<NumberedMap> drawn_regions() const;
  bool are_found() const { return regions_.settled(); }
  /// Calls `then` when the regions of all strokes have been found, at once where there are none.
  void when_found(std::function<void()> then);

 private:
  struct Layers {
    slices::LabelLayer regions;
    std::shared_ptr<const Strokes> strokes;
    void paint(QPainter& painter, const slices::SliceView& view);
  };
  void bind_commands();
  void bind_keys();
  void press(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void drag(const Eigen::Vector2d& place);
  void release();
  void draw_brush(QPainter& painter, const slices::SliceView& view) const;
  void add(Stroke stroke);
  /// One step of undo.
  void change(const QString& what, Strokes strokes);
  void put(Strokes strokes);
  void show(const std::shared_ptr<const PaintedRegions>& regions);
  void forget();
  void save(const std::filesystem::path& path);
  void trace();
  void choose_tool(const std::string& tool);
  void set_parameter(const std::string& key, const std::string& value);

  workbench::LabContext& context_;
  graph::Graph& graph_;
  QPointer<slices::LinkedSlices> views_;
  Overlays& overlays_;
  std::function<PairPointer()> pair_;
  QPointer<RegionsPanel> panel_;
  Brush brush_;
  regions::RegionParameters region_parameters_;
  parameters::StructParameters<Brush> brush_set_{brush_schema(), brush_};
  parameters::StructParameters<regions::RegionParameters> region_set_{regions::region_schema(),
                                                                      region_parameters_};
  parameters::CombinedParameters set_{{&brush_set_, &region_set_}};
  std::shared_ptr<const Strokes> strokes_ = std::make_shared<const Strokes>();
  std::optional<Stroke> stroke_;            ///< that is painted now
  std::optional<Eigen::Vector2d> pointer_;  ///< on the large view's slice
  Layers layers_;
  std::shared_ptr<CutSoFar> so_far_ = std::make_shared<CutSoFar>();
  graph::Node<RegionInputs, PaintedRegions> regions_;
};

}  // namespace isolume::labs::anatomy
