// The cheapest path on a cost image, for livewire_side_by_side.py:
//   bench_livewire_paths COSTS WIDTH HEIGHT SEED_X SEED_Y TARGET_X TARGET_Y RUNS
// COSTS: WIDTH x HEIGHT numbers of 16 bits, x fastest, 1 or more; entering a pixel costs its number times the
// length of the step, 8 neighbours. Prints the times of all runs from the seed to everywhere, one thread and
// all of them taking turns, [by the clock, of the processor] in ms; and the path with its cost.
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/livewire/engine.h"

using namespace isolume;
using namespace isolume::livewire;

namespace {

std::shared_ptr<CostGrid> read_costs(const char* file, int width, int height) {
  auto grid = std::make_shared<CostGrid>();
  grid->width = width;
  grid->height = height;
  grid->node.resize(grid->pixel_count());
  std::ifstream in(file, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(grid->node.size() * sizeof(std::uint16_t));
  if (!in.read(reinterpret_cast<char*>(grid->node.data()), bytes)) throw InputError(file, 0, "too short");
  finish(*grid);
  return grid;
}

std::unique_ptr<Search> timed_search(const Engine& engine, const std::shared_ptr<CostGrid>& grid, Pixel seed,
                                     nlohmann::json& times_ms) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t processor_start = std::clock();
  auto search = engine.start(grid, seed);
  search->settle_all();
  const double processor_ms = 1e3 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  times_ms.push_back({elapsed.count(), processor_ms});
  return search;
}

void run(char** argument) {
  const auto number = [&](int i) { return std::atoi(argument[i]); };
  const auto grid = read_costs(argument[1], number(2), number(3));
  const Pixel seed{number(4), number(5)}, target{number(6), number(7)};
  const auto lazy = make_cpu_engine(), parallel = make_cpu_delta_engine();
  nlohmann::json lazy_ms, parallel_ms;
  std::unique_ptr<Search> search;
  for (int n = 0; n < number(8); ++n) {
    search.reset();  // its memory serves again
    search = timed_search(*lazy, grid, seed, lazy_ms);
    timed_search(*parallel, grid, seed, parallel_ms);
  }
  auto path = nlohmann::json::array();
  for (const Pixel pixel : trace_path(*grid, *search, target)) path.push_back({pixel.x, pixel.y});
  std::cout << nlohmann::json{{"cpu_ms", lazy_ms},
                              {"cpu_delta_ms", parallel_ms},
                              {"cost", search->distance(target)},
                              {"path", path}}
            << '\n';
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 9) {
    std::cerr << "usage: bench_livewire_paths COSTS WIDTH HEIGHT SEED_X SEED_Y TARGET_X TARGET_Y RUNS\n";
    return 2;
  }
  try {
    run(arguments);
  } catch (const std::exception& error) {
    std::cerr << "bench_livewire_paths: " << error.what() << '\n';
    return 1;
  }
}
