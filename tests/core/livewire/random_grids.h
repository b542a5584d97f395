#pragma once

#include <memory>
#include <random>

#include "core/livewire/cost_grid.h"

namespace isolume::livewire::testing {

enum class Form { node, arcs };

/// Costs between `least` and `greatest`, every one as likely.
inline std::shared_ptr<CostGrid> random_grid(int width, int height, Neighbours neighbours, Form form,
                                             std::uint32_t seed, int least = 1, int greatest = 1023) {
  auto grid = std::make_shared<CostGrid>();
  grid->width = width;
  grid->height = height;
  grid->neighbours = neighbours;
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> cost(least, greatest);
  auto& values = form == Form::node ? grid->node : grid->arcs;
  values.resize(grid->pixel_count() *
                (form == Form::node ? 1 : static_cast<std::size_t>(grid->directions())));
  for (auto& value : values) value = static_cast<std::uint16_t>(cost(random));
  finish(*grid);
  return grid;
}

}  // namespace isolume::livewire::testing
