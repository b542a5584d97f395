#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/jobs/progress.h"

namespace isolume::tomography {

/// Times of reconstructing a volume of size^3 voxels from `views` projections of (1.5 size)^2 pixels of the head
/// phantom, on the threads of the caller's arena: filter, three slices through the middle, the volume, forward
/// projection, a pass of OS-SIRT.
nlohmann::ordered_json benchmark(int size, int views, const jobs::Progress& progress = {});
std::vector<std::string> benchmark_lines(const nlohmann::ordered_json& benchmark);

}  // namespace isolume::tomography
