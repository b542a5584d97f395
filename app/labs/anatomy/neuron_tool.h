#pragma once

#include "core/parameters/schema.h"

namespace isolume::labs::anatomy {

/// What a press of the left button in the large view does for neurons.
enum class NeuronTool { none, mark, correct };
struct NeuronStyle {
  NeuronTool tool = NeuronTool::none;
  bool has_tubes = true;  ///< in space
};
const parameters::Schema<NeuronStyle>& neuron_schema();
inline constexpr int most_neurons = 250;

}  // namespace isolume::labs::anatomy
