#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "app/slices/label_layer.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/labels.h"
#include "core/neurons/follow.h"

namespace isolume::labs::anatomy {

/// A neuron that a person has marked in slices across an axis of the grid; positions in mm.
struct MarkedNeuron {
  int axis = 2;
  neurons::Marks marks;  ///< at least one
  bool operator==(const MarkedNeuron&) const = default;
};
using MarkedNeurons = std::vector<MarkedNeuron>;
nlohmann::json json_of(const MarkedNeurons& marked);
/// Throws Error, and JSON's exceptions.
MarkedNeurons marked_neurons_of(const nlohmann::json& json);

struct NeuronInputs {
  std::shared_ptr<const isolume::anatomy::Pair> pair;  ///< its fixed image is the stack
  std::shared_ptr<const MarkedNeurons> marked;         ///< one at least
  neurons::RibbonParameters parameters;
  bool operator==(const NeuronInputs&) const = default;
};
struct NeuronPaths {
  std::vector<neurons::Neuron> neurons;  ///< of each marked one
  Remarks remarks;
  isolume::anatomy::Labels labels;              ///< 0, and the number of each neuron from 1
  std::shared_ptr<const slices::LabelMap> map;  ///< without the background
  vtkSmartPointer<vtkPolyData> tubes;           ///< triangles with normals and colours
  grid::LengthUnit unit = grid::LengthUnit::millimetre;
};
/// Throws as neurons::follow.
std::shared_ptr<const NeuronPaths> find_neurons(const NeuronInputs& inputs, const jobs::Progress& progress);

}  // namespace isolume::labs::anatomy
