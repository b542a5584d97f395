#pragma once

#include <vector>

#include "app/stage/scene.h"

namespace isolume::stage {

/// All that can be shown, the one at start first.
std::vector<SceneChoice> scenes();

}  // namespace isolume::stage
