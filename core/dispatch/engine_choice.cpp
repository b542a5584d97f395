#include "core/dispatch/engine_choice.h"

#include <fmt/format.h>

namespace isolume::dispatch {

void require_no_more_than_cpu(const ComputeOptions& options) {
  if (options.kernel != "auto") {
    throw Error(
        fmt::format("kernel: the engine \"cpu\" has no kernels to choose from, {} was asked for. Leave it at "
                    "\"auto\".",
                    isolume::quoted(options.kernel)));
  }
  if (options.devices != "all" && options.devices != "0") {
    throw Error(
        fmt::format("devices: the engine \"cpu\" computes on the CPU alone, {} was asked for. Use \"all\" or "
                    "\"0\".",
                    isolume::quoted(options.devices)));
  }
}

}  // namespace isolume::dispatch
