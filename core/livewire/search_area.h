#pragma once

#include "core/livewire/engine.h"

namespace isolume::livewire {

/// The pixels in both; empty where there are none.
Rectangle common(const Rectangle& one, const Rectangle& other);

/// Where a search may go: `options.region` cut to the grid, or all of it. Throws Error where the seed lies
/// outside, and where a distance might not fit below `unreached`.
Rectangle search_area(const CostGrid& grid, Pixel seed, const SearchOptions& options);

/// Search::distances by way of Search::distance.
std::vector<std::uint32_t> distances_within(Rectangle area, const CostGrid& grid, const Search& search);

}  // namespace isolume::livewire
