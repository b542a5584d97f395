#pragma once

#include <CLI/App.hpp>

#include "app/batch/context.h"

namespace isolume::batch {

/// `bench gpu`, below `bench`: what launches, waiting, copies, memory, multiply-adds and surfaces take on
/// each GPU.
void add_bench_gpu_parts(CLI::App& bench, Context& context);

}  // namespace isolume::batch
