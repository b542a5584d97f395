#include <algorithm>
#include <filesystem>
#include <functional>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/livewire/batch/batch_verbs.h"
#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/livewire/benchmark.h"
#include "core/livewire/costs.h"
#include "gpu/livewire/engines.h"
#include "gpu/machine.h"

namespace isolume::batch {
namespace {

using livewire::CostGrid;
using livewire::Neighbours;
using livewire::Pixel;

struct BenchArguments {
  std::string image;
  std::string engine = "all";
  std::vector<int> sizes;
  int runs = 7;
  int moves = 400;
  int threads = 0;
  std::vector<std::uint32_t> deltas{0};
  bool all = false;
  bool json = false;
};

/// One engine with one of its kernels and one of the widths that were asked for.
struct Contender {
  const livewire::Engine* engine;
  std::string kernel;
  std::uint32_t delta;
};
/// Emulated GPUs only where they are named: their times mean nothing.
std::vector<Contender> contenders(const dispatch::EngineRegistry<livewire::Engine>& engines,
                                  const std::string& wanted, const std::vector<std::uint32_t>& deltas) {
  std::vector<Contender> all;
  const auto add = [&](const livewire::Engine& engine) {
    auto kernels = engine.kernels();
    if (kernels.empty()) kernels.emplace_back("auto");
    for (const auto& kernel : kernels) {
      if (engine.resumes()) {
        all.push_back({&engine, kernel, 0});  // has no such width
        continue;
      }
      for (const auto delta : deltas) all.push_back({&engine, kernel, delta});
    }
  };
  if (wanted != "all") {
    add(engines.find(wanted));
    return all;
  }
  for (const auto& engine : engines.engines()) {
    if (engine->name() != "emulated") add(*engine);
  }
  return all;
}

/// By engines with kernels of their own: GPUs.
bool on_gpu(const Contender& contender) {
  return !contender.engine->kernels().empty();
}

/// Larger ones would take the reference many seconds.
constexpr std::size_t most_compared_pixels = std::size_t{1024} * 1024;

struct Grid {
  std::string costs;
  std::shared_ptr<const CostGrid> grid;
};

std::shared_ptr<const CostGrid> costs_of(const images::SliceImage& slice, Neighbours neighbours) {
  livewire::CostParameters parameters;
  parameters.neighbours =
      neighbours == Neighbours::four ? livewire::NeighbourChoice::four : livewire::NeighbourChoice::eight;
  return std::make_shared<CostGrid>(
      livewire::make_costs(slice, livewire::compute_features(slice, parameters), parameters));
}

/// The middle slice of the file.
images::SliceImage read_slice(const std::string& file, const jobs::Progress& progress) {
  const auto document = images::read_image(file, {}, progress);
  return images::extract_slice(document.volume, {2, document.volume.geometry.dimensions[2] / 2});
}

Grid grid_of(const std::string& costs, int size, Neighbours neighbours) {
  if (costs == "rings") return {costs, costs_of(livewire::noisy_rings(size), neighbours)};
  const auto pattern = costs == "uniform" ? livewire::CostPattern::uniform : livewire::CostPattern::normal;
  return {costs, std::make_shared<CostGrid>(livewire::random_grid(size, neighbours, pattern))};
}

/// Columns that say what was timed.
nlohmann::ordered_json row_of(const Contender& contender, const BenchArguments& options, const Grid& grid,
                              const std::string& what) {
  return {{"measure", what},
          {"engine", contender.engine->name()},
          {"kernel", contender.kernel},
          {"delta", contender.delta},
          {"device", contender.engine->description(options.threads)},
          {"width", grid.grid->width},
          {"height", grid.grid->height},
          {"neighbours", grid.grid->directions()},
          {"costs", grid.costs}};
}

class Bench {
 public:
  using Tell = std::function<void(nlohmann::ordered_json row)>;

  Bench(const BenchArguments& options, std::vector<Contender> contenders, jobs::Progress progress, Tell tell)
      : options_(options),
        contenders_(std::move(contenders)),
        progress_(std::move(progress)),
        tell_(std::move(tell)) {}

  bool with_gpus() const { return std::ranges::any_of(contenders_, on_gpu); }
  /// Whether there is an engine for the pointer.
  bool with_pointer() const {
    return std::ranges::any_of(contenders_, [](const Contender& each) { return each.engine->resumes(); });
  }

  /// From a corner and from the centre to everywhere, by every engine. One that fails says why in its row.
  void time_maps(const Grid& grid) {
    const Pixel centre{grid.grid->width / 2, grid.grid->height / 2};
    for (const auto& [name, seed] : {std::pair{"corner", Pixel{0, 0}}, std::pair{"centre", centre}}) {
      const auto exact = reference(grid, seed);
      for (const auto& contender : contenders_) {
        auto row = row_of(contender, options_, grid, "map");
        row["seed"] = name;
        try {
          time_map(row, contender, grid, seed, exact);
        } catch (const Error& error) {
          row["unavailable"] = error.what();
        }
        tell_(std::move(row));
      }
    }
  }
  /// Pointer to path, by the engines that settle only as far as they must.
  void time_pointer(const Grid& grid) {
    for (const auto& contender : contenders_) {
      if (!contender.engine->resumes()) continue;
      const auto time =
          livewire::time_pointer(*contender.engine, grid.grid, {grid.grid->width / 2, grid.grid->height / 2},
                                 300, options_.moves, progress_);
      auto row = row_of(contender, options_, grid, "pointer");
      row["moves"] = time.repeats;
      row["median_ms"] = time.median_ms;
      row["p95_ms"] = time.p95_ms;
      row["max_ms"] = time.greatest_ms;
      tell_(std::move(row));
    }
  }

 private:
  /// What GPUs are compared with; nothing where there are none, or the grid is too large.
  std::vector<std::uint32_t> reference(const Grid& grid, Pixel seed) const {
    if (!with_gpus() || grid.grid->pixel_count() > most_compared_pixels) return {};
    const auto search = livewire::make_reference_engine()->start(grid.grid, seed);
    search->settle_all(progress_);
    return search->distances();
  }

  void time_map(nlohmann::ordered_json& row, const Contender& contender, const Grid& grid, Pixel seed,
                const std::vector<std::uint32_t>& exact) const {
    livewire::SearchOptions search;
    search.threads = options_.threads;
    search.kernel = contender.kernel;
    search.delta = contender.delta;
    const auto [time, last] =
        livewire::time_all(*contender.engine, grid.grid, seed, search, options_.runs, progress_);
    row["how"] = last->report().how();
    row["first_ms"] = time.first_ms;
    row["median_ms"] = time.median_ms;
    row["least_ms"] = time.least_ms;
    row["mpixel_per_second"] = static_cast<double>(grid.grid->pixel_count()) / time.median_ms / 1e3;
    if (!on_gpu(contender)) return;
    const auto counts = last->counts();
    row["passes"] = counts.passes;
    row["launches"] = counts.launches;
    row["graphs"] = counts.graphs;
    if (!counts.no_graph.empty()) row["no_graph"] = counts.no_graph;
    row["relaxations"] = counts.relaxations;
    row["parts"] = counts.parts;
    row["passes_ms"] = 1e3 * counts.seconds;  // of the last run, as the counts
    row["us_per_pass"] =
        1e6 * counts.seconds / static_cast<double>(std::max<std::uint64_t>(counts.passes, 1));
    if (!exact.empty()) compare(row, *last, exact);
  }

  static void compare(nlohmann::ordered_json& row, const livewire::Search& search,
                      const std::vector<std::uint32_t>& exact) {
    const auto found = search.distances();
    std::size_t wrong = 0;
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (found[i] == exact[i]) continue;
      ++wrong;
      largest = std::max(largest, std::max(found[i], exact[i]) - std::min(found[i], exact[i]));
    }
    row["wrong_pixels"] = wrong;
    row["largest_difference"] = largest;
  }

  const BenchArguments& options_;
  std::vector<Contender> contenders_;
  jobs::Progress progress_;
  Tell tell_;
};

/// Of maps by GPUs: what the search consisted of.
std::string gpu_columns(const nlohmann::ordered_json& row) {
  return fmt::format("{:>7} {:>8} {:>6} {:>9.1f} {:>8.2f} {:>12}", row["passes"].get<std::uint64_t>(),
                     row["launches"].get<std::uint64_t>(),
                     row.contains("no_graph") ? "none" : row["graphs"].dump(),
                     1e-6 * row["relaxations"].get<double>(), row["us_per_pass"].get<double>(),
                     row.contains("wrong_pixels") ? row["wrong_pixels"].dump() : "not compared");
}

void print_maps_header(std::ostream& out, bool gpus) {
  out << fmt::format("{:<10} {:<14} {:>8} {:>11} {:>3} {:<8} {:<7} {:>10} {:>10} {:>9}", "engine", "kernel",
                     "delta", "pixels", "nb", "costs", "seed", "median ms", "least ms", "Mpixel/s");
  if (gpus)
    out << fmt::format(" {:>7} {:>8} {:>6} {:>9} {:>8} {:>12}", "passes", "launches", "graphs", "Mrelaxed",
                       "us/pass", "wrong pixels");
  out << std::endl;
}

void print_map(std::ostream& out, const nlohmann::ordered_json& row) {
  out << fmt::format("{:<10} {:<14} {:>8} {:>5}x{:<5} {:>3} {:<8} {:<7} ", row["engine"].get<std::string>(),
                     row["kernel"].get<std::string>(), row["delta"] == 0 ? "own" : row["delta"].dump(),
                     row["width"].get<int>(), row["height"].get<int>(), row["neighbours"].get<int>(),
                     row["costs"].get<std::string>(), row["seed"].get<std::string>());
  if (row.contains("unavailable")) {
    out << "cannot: " << row["unavailable"].get<std::string>() << std::endl;
    return;
  }
  out << fmt::format("{:>10.2f} {:>10.2f} {:>9.1f}{}", row["median_ms"].get<double>(),
                     row["least_ms"].get<double>(), row["mpixel_per_second"].get<double>(),
                     row.contains("passes") ? " " + gpu_columns(row) : "")
      << std::endl;
}

void print_pointer_header(std::ostream& out) {
  out << fmt::format(
             "\nFrom pointer to path, within 300 pixels of the seed, up to 25 pixels per move:\n{:<10} "
             "{:>11} {:>3} {:<8} {:>10} {:>10} {:>10}",
             "engine", "pixels", "nb", "costs", "median ms", "p95 ms", "max ms")
      << std::endl;
}

void print_pointer(std::ostream& out, const nlohmann::ordered_json& row) {
  out << fmt::format("{:<10} {:>5}x{:<5} {:>3} {:<8} {:>10.3f} {:>10.3f} {:>10.3f}",
                     row["engine"].get<std::string>(), row["width"].get<int>(), row["height"].get<int>(),
                     row["neighbours"].get<int>(), row["costs"].get<std::string>(),
                     row["median_ms"].get<double>(), row["p95_ms"].get<double>(), row["max_ms"].get<double>())
      << std::endl;
}

/// Rows are printed as they come, so that those before a failure or a timeout are there.
void bench(Context& context, const BenchArguments& options) {
  const auto engines = gpu::make_livewire_engines(gpu::make_device_pool());
  auto sizes = options.sizes;
  if (sizes.empty())
    sizes = options.all ? std::vector{256, 512, 1024, 2048, 4096} : std::vector{256, 512, 1024};
  auto neighbour_choices = std::vector{Neighbours::eight};
  if (options.all) neighbour_choices.push_back(Neighbours::four);
  std::vector<std::string> patterns{"uniform", "normal"};
  if (options.image.empty()) patterns.push_back("rings");
  const int largest = options.sizes.empty() ? 4096 : *std::ranges::max_element(options.sizes);
  std::vector<Grid> images;
  if (!options.image.empty()) {
    const auto slice = read_slice(options.image, context.progress);
    for (const auto neighbours : neighbour_choices) images.push_back({"image", costs_of(slice, neighbours)});
  }

  auto rows = nlohmann::ordered_json::array();
  Bench timing(options, contenders(engines, options.engine, options.deltas), context.progress,
               [&](nlohmann::ordered_json row) {
                 if (options.json) {
                   rows.push_back(std::move(row));
                 } else if (row["measure"] == "map") {
                   print_map(context.out, row);
                 } else {
                   print_pointer(context.out, row);
                 }
               });
  if (!options.json) print_maps_header(context.out, timing.with_gpus());
  for (const auto neighbours : neighbour_choices) {
    for (const int size : sizes) {
      for (const auto& pattern : patterns) timing.time_maps(grid_of(pattern, size, neighbours));
    }
  }
  for (const auto& image : images) timing.time_maps(image);
  if (timing.with_pointer()) {
    if (!options.json) print_pointer_header(context.out);
    for (const auto neighbours : neighbour_choices) {
      for (const auto& pattern : patterns) timing.time_pointer(grid_of(pattern, largest, neighbours));
    }
    for (const auto& image : images) timing.time_pointer(image);
  }
  if (options.json) print(context.out, rows);
}

}  // namespace

void add_livewire_bench(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<BenchArguments>();
  auto& lab = add_verb(bench_command, "livewire",
                       "Time shortest paths: from a seed to all pixels, and from pointer moves to the wire.");
  add_option(lab, context, &options->image,
             commands::path(
                 "IMAGE", "Image whose middle slice is used, with the default cost; without one, noisy rings")
                 .optional());
  add_option(lab, context, &options->engine,
             commands::choice("engine", "Engine to time; all times every engine of the CPU and the GPUs",
                              {"all", "cpu", "cpu-delta", "cuda", "emulated"}));
  add_option(
      lab, context, &options->sizes,
      commands::integer("sizes", "Side lengths of the square grids [256,512,1024; 4096 for the pointer]")
          .unit("px")
          .range(2, 16384)
          .optional()
          .repeatable());
  add_option(lab, context, &options->runs,
             commands::integer("runs", "Runs of each map; the median of those after the first is printed")
                 .range(1, 10000));
  add_option(lab, context, &options->moves,
             commands::integer("moves", "Number of pointer moves").range(1, 1000000));
  add_option(lab, context, &options->threads,
             commands::integer("threads", "CPU threads for engines that use several; 0 uses all of them")
                 .range(0, 4096));
  add_option(lab, context, &options->deltas,
             commands::integer("delta",
                               "Values of Delta for delta-stepping, one after another, in units of the costs "
                               "(1023 stands for 1); 0: the engine chooses")
                 .range(0, 4e9)
                 .repeatable());
  add_flag(lab, "all", options->all, "Sizes from 256 to 4096, with 4 neighbours too");
  add_flag(lab, "json", options->json, "Print JSON");
  on_call(lab, context, [options, &context] { bench(context, *options); });
}

}  // namespace isolume::batch
