#pragma once

#include "core/livewire/engine.h"

namespace isolume::livewire {

/// Intersection; empty if there is none.
Rectangle common(const Rectangle& one, const Rectangle& other);

/// Area of a search: `options.region` clipped to the grid, or all of it. Throws Error where the seed lies outside,
/// and where a distance might not fit below `unreached`.
Rectangle search_area(const CostGrid& grid, Pixel seed, const SearchOptions& options);

/// Search::distances implemented by Search::distance.
std::vector<std::uint32_t> distances_within(Rectangle area, const CostGrid& grid, const Search& search);

}  // namespace isolume::livewire
