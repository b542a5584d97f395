#pragma once

#include <vector>

#include "app/stage/scene.h"

namespace isolume::stage {

/// All scenes; the first one is shown at start.
std::vector<SceneChoice> scenes();

}  // namespace isolume::stage
