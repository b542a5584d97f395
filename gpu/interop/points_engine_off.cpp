#include "gpu/interop/points_engine.h"

namespace isolume::gpu {

std::shared_ptr<const PointsEngine> make_points_engine(std::shared_ptr<dispatch::DevicePool>) {
  return nullptr;
}

}  // namespace isolume::gpu
