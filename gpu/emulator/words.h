#pragma once

#include <string>

#include "cuda_runtime.h"

/// Terms of the emulator's reports.
namespace isolume::gpu::emulator {

std::string text_of(uint3 index);
std::string text_of(Place place);
const char* name_of(WarpOperation operation);

}  // namespace isolume::gpu::emulator
