#pragma once

namespace isolume::scene {

enum class SurfaceStyle { smooth, mesh, points };

}  // namespace isolume::scene
