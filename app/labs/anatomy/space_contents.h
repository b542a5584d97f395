#pragma once

#include <QPointer>
#include <functional>
#include <memory>
#include <optional>

#include "app/labs/anatomy/choices.h"
#include "app/labs/anatomy/label_surfaces.h"
#include "app/labs/anatomy/space_view.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_model.h"
#include "core/anatomy/alignment.h"
#include "core/graph/node.h"

namespace isolume::labs::anatomy {

/// What is shown of a registration.
struct ShownState {
  std::shared_ptr<const isolume::anatomy::Pair> pair;            ///< null: there is none
  std::shared_ptr<const isolume::anatomy::Placement> placement;  ///< null: there is none yet
  std::shared_ptr<const isolume::anatomy::Alignment> alignment;  ///< null: there is none yet
  bool operator==(const ShownState&) const = default;
};

/// Surfaces of the images and of labels, and the volume of an image in space, computed of what is shown.
class SpaceContents {
 public:
  /// `shown`: nothing while what is in space stays; `comparison`: of the slices, whose grey levels the volume has;
  /// `labels`: drawn over the slices, nothing while they are not final.
  SpaceContents(scene::ViewWidget& view, graph::Graph& graph, slices::LinkedSlices& views,
                slices::SliceModel& model, std::function<std::optional<ShownState>()> shown,
                std::function<isolume::anatomy::Comparison()> comparison,
                std::function<std::optional<std::vector<NumberedMap>>()> labels);

  parameters::ParameterSet& parameters() { return set_; }
  /// After a parameter, the crosshair or the grey levels of the slices have changed.
  void show();
  /// For another pair of images.
  void forget();

 private:
  struct SurfaceInputs {
    ShownState shown;
    double level = 0, morph = 1;
    bool operator==(const SurfaceInputs&) const = default;
  };
  struct VolumeInputs {
    ShownState shown;
    VolumeShown image = VolumeShown::none;
    double black = 0, white = 1;  ///< of the image's range of values
    double morph = 1;
    bool operator==(const VolumeInputs&) const = default;
  };
  using SurfaceNode = graph::Node<SurfaceInputs, scene::Surface>;

  /// None while there is a volume, which they would hide.
  SurfacesShown surfaces_shown() const {
    return volume_style_.shown == VolumeShown::none ? surface_style_.shown : SurfacesShown::none;
  }
  std::optional<SurfaceInputs> surface_inputs(bool is_fixed) const;
  static std::shared_ptr<const scene::Surface> surface(const SurfaceInputs& inputs, bool is_fixed,
                                                       const jobs::Progress& progress);
  std::optional<VolumeInputs> volume_inputs() const;
  static std::shared_ptr<const scene::FieldVolume> volume(const VolumeInputs& inputs,
                                                          const jobs::Progress& progress);
  SurfaceNode::Declaration surface_declaration(bool is_fixed);
  void show_surfaces() { space_.set_surfaces(fixed_surface_.value().get(), warped_surface_.value().get()); }
  std::optional<LabelSurfaceInputs> label_inputs() const;
  void show_volume();
  void show_labels();

  SpaceView space_;
  QPointer<slices::LinkedSlices> views_;
  slices::SliceModel& model_;
  std::function<std::optional<ShownState>()> shown_;
  std::function<isolume::anatomy::Comparison()> comparison_;
  std::function<std::optional<std::vector<NumberedMap>>()> drawn_labels_;
  SurfaceStyle surface_style_;
  VolumeStyle volume_style_;
  LabelStyle label_style_;
  parameters::StructParameters<SurfaceStyle> surface_set_{surface_schema(), surface_style_};
  parameters::StructParameters<VolumeStyle> volume_set_{volume_schema(), volume_style_};
  parameters::StructParameters<LabelStyle> label_set_{label_schema(), label_style_};
  parameters::CombinedParameters set_{{&volume_set_, &surface_set_, &label_set_}};
  SurfaceNode fixed_surface_, warped_surface_;
  graph::Node<VolumeInputs, scene::FieldVolume> volume_;
  graph::Node<LabelSurfaceInputs, LabelSurfaces> label_surfaces_;
};

}  // namespace isolume::labs::anatomy
