#pragma once

#include <string>
#include <vector>

namespace isolume::batch {
struct Context;
}

namespace isolume::labs::anatomy {

/// Of `anatomy surfaces`.
struct SurfaceOptions {
  std::string labels, output;
  std::vector<int> only;  ///< labels; empty: all but 0
  int threads = 0;
  bool touching = false, improved = false, json = false;
};

/// By the full program, which loads VTK.
void run_surfaces(batch::Context& context, const SurfaceOptions& options);

}  // namespace isolume::labs::anatomy
