#include "gpu/runtime/streams/range.h"

#if !defined(ISOLUME_GPU_EMULATED) && __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define ISOLUME_HAS_NVTX
#endif

namespace isolume::gpu {

#ifdef ISOLUME_HAS_NVTX
Range::Range(const char* name) {
  nvtxRangePushA(name);
}
Range::~Range() {
  nvtxRangePop();
}
#else
Range::Range(const char*) {}
Range::~Range() = default;
#endif

}  // namespace isolume::gpu
