#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/anatomy/label_surfaces.h"
#include "app/labs/anatomy/neuron_paths.h"
#include "app/labs/anatomy/neuron_tool.h"
#include "app/labs/anatomy/neurons_panel.h"
#include "app/labs/anatomy/overlays.h"
#include "app/scene/props/mesh_prop.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_model.h"
#include "app/workbench/contract/lab.h"
#include "core/graph/node.h"

namespace isolume::labs::anatomy {

/// Neurons of the fixed image that are followed from marks: the tool, marks with undo, commands, panel, what is drawn
/// over the slices, and tubes in space.
class NeuronEditor final : public QObject {
  Q_OBJECT
 public:
  using PairPointer = std::shared_ptr<const isolume::anatomy::Pair>;

  /// `pair` gives the present one.
  NeuronEditor(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
               slices::SliceModel& model, Overlays& overlays, std::function<PairPointer()> pair);

  parameters::ParameterSet& parameters() { return set_; }
  /// After a parameter has changed, and after the regions' brush has.
  void show_parameters();
  NeuronsPanel* make_panel();
  /// Another pair of images; marks stay with the fixed image.
  void open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair);
  nlohmann::json state() const { return json_of(*marked_); }
  /// Throws as marked_neurons_of.
  void restore(const nlohmann::json& state) { put(marked_neurons_of(state)); }
  /// What is drawn over slices.
  slices::SliceView::Overlay over_picture() const;
  /// Calls `then` when all neurons have been followed, at once where there are none.
  void when_found(std::function<void()> then);

 private:
  struct Layers {
    slices::LabelLayer inside;
    std::shared_ptr<const MarkedNeurons> marked;
    std::shared_ptr<const NeuronPaths> paths;
    void paint(QPainter& painter, const slices::SliceView& view);
  };
  struct Press {
    int axis = 2;
    Eigen::Vector3d from, to;
  };
  void bind_commands();
  void release();
  /// One step of undo.
  void change(const QString& what, MarkedNeurons marked);
  void put(MarkedNeurons marked);
  void show(const std::shared_ptr<const NeuronPaths>& paths);
  void frame_stack();
  void save(const std::filesystem::path& path);
  std::size_t index_of(std::int64_t number) const;

  workbench::LabContext& context_;
  graph::Graph& graph_;
  QPointer<slices::LinkedSlices> views_;
  slices::SliceModel& model_;
  Overlays& overlays_;
  std::function<PairPointer()> pair_;
  QPointer<NeuronsPanel> panel_;
  NeuronStyle style_;
  neurons::RibbonParameters ribbon_;
  parameters::StructParameters<NeuronStyle> style_set_{neuron_schema(), style_};
  parameters::StructParameters<neurons::RibbonParameters> ribbon_set_{neurons::ribbon_schema(), ribbon_};
  parameters::CombinedParameters set_{{&style_set_, &ribbon_set_}};
  std::shared_ptr<const MarkedNeurons> marked_ = std::make_shared<const MarkedNeurons>();
  std::optional<Press> press_;
  Layers layers_;
  scene::MeshProp tubes_;
  bool has_been_framed_ = false;  ///< the camera has been turned to tubes of this image
  graph::Node<NeuronInputs, NeuronPaths> paths_;
};

}  // namespace isolume::labs::anatomy
