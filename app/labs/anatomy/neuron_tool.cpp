#include "app/labs/anatomy/neuron_tool.h"

namespace isolume::labs::anatomy {

const parameters::Schema<NeuronStyle>& neuron_schema() {
  using parameters::field;
  static const parameters::Schema<NeuronStyle> schema({
      field("neuron-tool", &NeuronStyle::tool, "Mark",
            {{"none", "Off"}, {"mark", "New neuron"}, {"correct", "Correct neuron"}})
          .group("Neurons")
          .help("A click in the large view begins a neuron, or corrects the selected one from that slice on. "
                "Dragging draws a circle around its middle."),
      field("neuron-tubes", &NeuronStyle::has_tubes, "Tubes")
          .group("Neurons")
          .help("Shows neurons as tubes in 3-D, as wide as they are in each slice."),
  });
  return schema;
}

}  // namespace isolume::labs::anatomy
