#include "core/dispatch/compute_options.h"

namespace isolume::dispatch {

const parameters::Schema<ComputeOptions>& compute_schema() {
  using P = ComputeOptions;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("engine", &P::engine, "Engine")
          .group("Computation")
          .help("The engine to compute with; auto takes the best."),
      field("kernel", &P::kernel, "Kernel")
          .group("Computation")
          .only_when("engine", {"auto", "cuda", "emulated"})
          .help("The GPU kernel to compute with; auto chooses one."),
      field("devices", &P::devices, "Devices")
          .group("Computation")
          .only_when("engine", {"auto", "cuda", "emulated"})
          .help("Devices to compute with, by number, as in 1,2 (0 is the CPU); all takes those that help."),
      field("threads", &P::threads, "Threads")
          .range(0, 4096)
          .usual(0, 16)
          .special(0, "All processors")
          .group("Computation")
          .help("CPU threads."),
  });
  return schema;
}

}  // namespace isolume::dispatch
