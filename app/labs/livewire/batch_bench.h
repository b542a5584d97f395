#pragma once

#include <CLI/App.hpp>

#include "app/batch/context.h"

namespace isolume::batch {

/// `bench livewire`, below `bench`.
void add_bench_livewire(CLI::App& bench, Context& context);

}  // namespace isolume::batch
