#include "core/dispatch/compute_options.h"

namespace isolume::dispatch {

const parameters::Schema<ComputeOptions>& compute_schema() {
  using P = ComputeOptions;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("engine", &P::engine, "Engine")
          .group("Computation")
          .help("Which engine computes; auto takes the best."),
      field("kernel", &P::kernel, "Kernel")
          .group("Computation")
          .only_when("engine", {"auto", "cuda", "emulated"})
          .help("Which of a GPU engine's kernels computes; auto chooses."),
      field("devices", &P::devices, "Devices")
          .group("Computation")
          .only_when("engine", {"auto", "cuda", "emulated"})
          .help(
              "Devices that compute, by their numbers as in 1,2 (0 is the CPU); all takes those that help."),
      field("threads", &P::threads, "Threads")
          .range(0, 4096)
          .usual(0, 16)
          .group("Computation")
          .help("CPU threads; 0 takes all of them."),
  });
  return schema;
}

}  // namespace isolume::dispatch
