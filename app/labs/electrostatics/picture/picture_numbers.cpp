#include "app/labs/electrostatics/picture/picture_numbers.h"

#include <span>

#include <vtkFloatArray.h>

namespace isolume::labs::electrostatics {
namespace {

nlohmann::ordered_json json_of(const science::DifferenceNumbers& numbers) {
  return {
      {"count", numbers.count}, {"rms", numbers.rms}, {"mean", numbers.mean}, {"largest", numbers.largest}};
}

}  // namespace

bool is_difference(const PictureRequest& request) {
  if (is_beside_map(request)) return request.other_choices.shown != MapShown::itself;
  if (request.molecule->wavefunction)
    return request.quantum.difference_to != DifferenceTo::nothing &&
           request.quantum.difference_to != DifferenceTo::map;
  return request.where.compare != science::Compared::nothing &&
         request.where.compare != science::Compared::map && !request.moment.average;
}

PictureDifference picture_difference(const scene::FieldPicture& picture, const jobs::Progress& progress) {
  PictureDifference difference;
  difference.unit = picture.field->unit;
  const auto& values = picture.field->values;
  difference.map = science::difference_numbers(std::span(values.data(), values.size()), progress);
  const bool coloured = picture.colouring && picture.colouring->field == picture.field;
  if (const auto on_surface = picture.lobes.positive.values; coloured && on_surface != nullptr) {
    difference.surface = science::difference_numbers(
        std::span(on_surface->GetPointer(0), static_cast<std::size_t>(on_surface->GetNumberOfTuples())),
        progress);
  }
  return difference;
}

nlohmann::ordered_json to_json(const PictureDifference& difference) {
  return {{"unit", difference.unit},
          {"map", json_of(difference.map)},
          {"surface", difference.surface ? json_of(*difference.surface) : nlohmann::ordered_json()}};
}

}  // namespace isolume::labs::electrostatics
