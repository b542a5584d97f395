#pragma once

#include <string>

#include "cuda_runtime.h"

/// What the emulator's reports call things.
namespace isolume::gpu::emulator {

std::string text_of(uint3 index);
std::string text_of(Place place);
const char* name_of(WarpOperation operation);

}  // namespace isolume::gpu::emulator
