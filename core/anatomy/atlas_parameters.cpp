#include "core/anatomy/atlas_parameters.h"

#include "core/anatomy/flow_parameters.h"

namespace isolume::anatomy {

const parameters::Schema<AtlasParameters>& atlas_schema() {
  using parameters::field;
  using P = AtlasParameters;
  static const parameters::Schema<P> schema = [] {
    std::vector<parameters::Field<P>> fields{
        field("model", &P::model, "Model", {{"fluid", "Greedy fluid"}, {"lddmm", "Geodesic flow (LDDMM)"}})
            .group("Registration")
            .help("How the deformations are described. Greedy fluid: small steps, composed. Geodesic flow: "
                  "the shortest way from each image to the mean, with a distance; slower.")};
    for (auto& each : flow_fields<P>("image and mean")) fields.push_back(std::move(each));
    for (const auto& each : fluid_schema().fields()) fields.push_back({each.description, each.get, each.set});
    fields.push_back(field("engine", &P::engine, "Engine")
                         .only_when("model", {"fluid"})
                         .group("Registration")
                         .help("The engine that computes fluid steps. Best takes GPUs where they are faster, "
                               "and else the CPU."));
    fields.push_back(field("devices", &P::devices, "Devices")
                         .only_when("model", {"fluid"})
                         .group("Registration")
                         .help("GPUs to which the images are dealt, by number, as in 1,2; all takes those in "
                               "use."));
    fields.push_back(
        field("memory", &P::memory_gb, "Memory")
            .unit("GB")
            .range(0, 1e5)
            .usual(0, 64)
            .group("Registration")
            .help("Memory for the images that are averaged. Images that do not fit are kept in files, "
                  "and read and written while others are deformed. 0 is the memory that is free."));
    return parameters::Schema<P>(std::move(fields));
  }();
  return schema;
}

}  // namespace isolume::anatomy
