#include "core/anatomy/atlas_parameters.h"

namespace isolume::anatomy {

const parameters::Schema<AtlasParameters>& atlas_schema() {
  using parameters::field;
  using P = AtlasParameters;
  static const parameters::Schema<P> schema = [] {
    std::vector<parameters::Field<P>> fields{
        field("model", &P::model, "Model", {{"fluid", "Greedy fluid"}, {"lddmm", "Geodesic flow (LDDMM)"}})
            .group("Registration")
            .help("How the deformations are described. Greedy fluid: small steps, composed. Geodesic flow: "
                  "the shortest way from each image to the mean, with a distance; slower."),
        field("time-steps", &P::time_steps, "Time steps")
            .range(1, 50)
            .usual(3, 20)
            .only_when("model", {"lddmm"})
            .group("Registration")
            .help("Steps of the flow, each with a velocity of its own."),
        field("regularity", &P::regularity, "Regularity")
            .unit("mm^-2")
            .range(1e-9, 1000)
            .usual(1e-5, 0.1)
            .logarithmic()
            .only_when("model", {"lddmm"})
            .group("Registration")
            .help("Weight of the kinetic energy relative to the squared difference of image and mean. Large "
                  "values make short flows, small ones match more closely.")};
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
