#include "app/labs/anatomy/space_contents.h"

#include <QObject>
#include <algorithm>
#include <utility>

#include "app/workbench/contract/translated.h"

namespace isolume::labs::anatomy {

using namespace isolume::anatomy;
using workbench::said;

namespace {

/// The part of the range of an image's values at which a value lies.
double part_of_range(const images::Volume& image, double value) {
  const images::ValueRange range = images::value_range(image);
  return range.high > range.low ? (value - range.low) / (range.high - range.low) : 0;
}

}  // namespace

SpaceContents::SpaceContents(scene::ViewWidget& view, graph::Graph& graph, slices::LinkedSlices& views,
                             slices::SliceModel& model, std::function<std::optional<ShownState>()> shown,
                             std::function<Comparison()> comparison,
                             std::function<std::optional<std::vector<NumberedMap>>()> labels)
    : space_(view),
      views_(&views),
      model_(model),
      shown_(std::move(shown)),
      comparison_(std::move(comparison)),
      drawn_labels_(std::move(labels)),
      fixed_surface_(graph, surface_declaration(true)),
      warped_surface_(graph, surface_declaration(false)),
      volume_(graph, {.name = said(QObject::tr("Volume")),
                      .channel = "anatomy.volume",
                      .inputs = [this] { return volume_inputs(); },
                      .compute = volume,
                      .taken = [this](const auto&) { show_volume(); }}),
      label_surfaces_(graph, {.name = said(QObject::tr("Surfaces of labels")),
                              .channel = "anatomy.label-surfaces",
                              .inputs =
                                  [this] {
                                    std::optional<LabelSurfaceInputs> inputs = label_inputs();
                                    // None are shown while others are computed.
                                    if (!inputs || inputs != label_surfaces_.asked())
                                      space_.set_labels(nullptr);
                                    return inputs;
                                  },
                              .compute = label_surfaces,
                              .taken = [this](const auto&) { show_labels(); }}) {}

void SpaceContents::show() {
  SurfaceStyle surfaces = surface_style_;
  surfaces.shown = surfaces_shown();
  space_.set_style(surfaces);
  show_volume();
  show_labels();
}

std::optional<LabelSurfaceInputs> SpaceContents::label_inputs() const {
  const std::optional<ShownState> shown = shown_();
  if (!shown || label_style_.shown == LabelsInSpace::none || shown->pair->grid.dimensions[2] < 2)
    return std::nullopt;
  std::optional<std::vector<NumberedMap>> maps = drawn_labels_();
  if (!maps) return std::nullopt;
  const grid::Grid& grid = shown->pair->grid;
  if (label_style_.shown == LabelsInSpace::at_crosshair) {
    const Eigen::Vector3d index = grid.index_at(model_.cursor_mm());
    for (NumberedMap& each : *maps) each.only = each.map->at(index);
    std::erase_if(*maps, [](const NumberedMap& each) { return !each.only; });
  }
  return LabelSurfaceInputs{std::move(*maps), grid};
}

void SpaceContents::show_labels() {
  label_surfaces_.update();
  const auto inputs = label_inputs();
  const bool is_current = inputs && label_surfaces_.settled() && label_surfaces_.value() != nullptr;
  space_.set_labels(is_current ? label_surfaces_.value()->coloured : nullptr);
}

void SpaceContents::forget() {
  fixed_surface_.forget();
  warped_surface_.forget();
  volume_.forget();
  label_surfaces_.forget();
  space_.face_patient_next();
  show_surfaces();
  show_volume();
  space_.set_labels(nullptr);
}

SpaceContents::SurfaceNode::Declaration SpaceContents::surface_declaration(bool is_fixed) {
  return {
      .name = said(is_fixed ? QObject::tr("Surface of the fixed image")
                            : QObject::tr("Surface of the warped image")),
      .channel = is_fixed ? "anatomy.surface.fixed" : "anatomy.surface.warped",
      .inputs = [this, is_fixed] { return surface_inputs(is_fixed); },
      .compute = [is_fixed](const SurfaceInputs& inputs,
                            const jobs::Progress& progress) { return surface(inputs, is_fixed, progress); },
      .taken = [this](const auto&) { show_surfaces(); }};
}

std::optional<SpaceContents::SurfaceInputs> SpaceContents::surface_inputs(bool is_fixed) const {
  std::optional<ShownState> shown = shown_();
  if (!shown || surfaces_shown() == SurfacesShown::none || shown->pair->grid.dimensions[2] < 2)
    return std::nullopt;
  if (is_fixed) return SurfaceInputs{{shown->pair, nullptr, nullptr}, surface_style_.level, 1};
  if (!shown->pair->has_moving()) return std::nullopt;
  return SurfaceInputs{*shown, surface_style_.level, comparison_().morph};
}

std::shared_ptr<const scene::Surface> SpaceContents::surface(const SurfaceInputs& inputs, bool is_fixed,
                                                             const jobs::Progress& progress) {
  const auto& [pair, placement, alignment] = inputs.shown;
  const bool is_finished = is_fixed || (alignment != nullptr && alignment->finished);
  const Comparison both{.shown = Shown::wipe, .morph = inputs.morph};
  const images::Volume image = is_fixed ? picture_of(*pair, nullptr, nullptr, both)
                                        : second_of(*pair, placement.get(), alignment.get(), both);
  return std::make_shared<const scene::Surface>(surface_of(image, inputs.level, is_finished, progress));
}

std::optional<SpaceContents::VolumeInputs> SpaceContents::volume_inputs() const {
  std::optional<ShownState> shown = shown_();
  const VolumeShown image = volume_style_.shown;
  if (!shown || image == VolumeShown::none || shown->pair->grid.dimensions[2] < 2) return std::nullopt;
  if (image != VolumeShown::fixed && !shown->pair->has_moving()) return std::nullopt;
  VolumeInputs inputs{.shown = {shown->pair, nullptr, nullptr}, .image = image};
  if (image == VolumeShown::warped) {
    inputs.shown = *shown;
    inputs.morph = comparison_().morph;
  }
  const auto& document = model_.image();
  const Shown slices = comparison_().shown;
  if (document == nullptr || !views_ || slices == Shown::difference || slices == Shown::jacobian)
    return inputs;
  const images::Window window = views_->large().window();
  inputs.black = window.centre - window.width / 2;
  inputs.white = window.centre + window.width / 2;
  if (slices == Shown::fixed || slices == Shown::moving || slices == Shown::warped) {
    // The slices show the values themselves, and the volume those that are mapped to 0 to 1.
    inputs.black = part_of_range(document->volume, inputs.black);
    inputs.white = part_of_range(document->volume, inputs.white);
  }
  return inputs;
}

std::shared_ptr<const scene::FieldVolume> SpaceContents::volume(const VolumeInputs& inputs,
                                                                const jobs::Progress& progress) {
  const auto& [pair, placement, alignment] = inputs.shown;
  const Comparison both{.shown = Shown::wipe,
                        .morph = inputs.image == VolumeShown::moving ? 0 : inputs.morph};
  const images::Volume image = inputs.image == VolumeShown::fixed
                                   ? picture_of(*pair, nullptr, nullptr, both)
                                   : second_of(*pair, placement.get(), alignment.get(), both);
  progress.check();
  const bool is_finished =
      inputs.image != VolumeShown::warped || (alignment != nullptr && alignment->finished);
  grid::ScalarField field = thinned_field(image, is_finished);
  const double width = std::max(inputs.white - inputs.black, 1e-6);
  const auto black = static_cast<float>(inputs.black), per_width = static_cast<float>(1 / width);
  for (float& each : field.values) each = std::clamp((each - black) * per_width, 0.F, 1.F);
  // The opacity grows with the square of the grey level, up to white.
  return std::make_shared<const scene::FieldVolume>(scene::volume_of(field, 0.5, 1, progress));
}

void SpaceContents::show_volume() {
  const Eigen::Vector3d cursor = model_.cursor_mm();
  space_.set_volume(volume_style_.shown == VolumeShown::none ? nullptr : volume_.value(), volume_style_,
                    cursor);
}

}  // namespace isolume::labs::anatomy
