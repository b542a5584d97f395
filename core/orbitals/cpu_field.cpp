#include "core/orbitals/cpu_field.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/point_batches.h"
#include "core/orbitals/product_field.h"

namespace isolume::orbitals {

struct CpuField::State {
  State(const FieldProblem& wanted, int threads, const jobs::Progress& progress)
      : problem(wanted), block(CpuField::block_size(wanted)) {
    if (ProductField::worthwhile(problem)) {
      products.emplace(problem, threads, progress);
      return;
    }
    const auto& [molecule, basis, coefficients, weights, grid, points, screening] = problem;
    if (grid != nullptr && grid->axis_aligned()) {
      separable.emplace(molecule, basis, coefficients, weights, *grid, screening);
      return;
    }
    scattered.emplace(molecule, basis, coefficients, weights, screening);
    if (grid != nullptr) {
      blocks.emplace(*grid);
    } else {
      list.emplace(*points);
    }
  }

  PointBatch batch(std::size_t piece) const { return blocks ? blocks->batch(piece) : list->batch(piece); }

  const FieldProblem problem;
  const int block;
  std::optional<ProductField> products;      ///< or
  std::optional<SeparableGrid> separable;    ///< or
  std::optional<ScatteredPoints> scattered;  ///< with one of
  std::optional<GridBatches> blocks;
  std::optional<ListBatches> list;
};

CpuField::CpuField(const FieldProblem& problem, int threads, const jobs::Progress& progress)
    : state_(std::make_unique<State>(problem, threads, progress)) {}
CpuField::~CpuField() = default;
CpuField::CpuField(CpuField&&) noexcept = default;

std::size_t CpuField::piece_count() const {
  if (state_->products) return static_cast<std::size_t>(state_->products->piece_count());
  if (state_->separable) return static_cast<std::size_t>(state_->separable->piece_count());
  return state_->blocks ? state_->blocks->count() : state_->list->count();
}

int CpuField::block_size(const FieldProblem& problem) {
  if (problem.grid == nullptr) return scattered::batch_points;
  if (!problem.grid->axis_aligned()) return GridBatches::edge;
  if (ProductField::worthwhile(problem)) return products::block_z;
  return SeparableGrid::planes_per_block(problem.molecule, problem.coefficients, problem.weights,
                                         *problem.grid);
}

int CpuField::block_size() const {
  return state_->block;
}

std::size_t CpuField::pieces_per_block() const {
  if (state_->list) return 1;
  if (state_->products) return static_cast<std::size_t>(state_->products->pieces_per_block());
  if (state_->separable) return static_cast<std::size_t>(state_->separable->pieces_per_block());
  const auto planes = static_cast<std::size_t>(state_->problem.grid->dimensions[2]);
  const auto size = static_cast<std::size_t>(block_size());
  return piece_count() / ((planes + size - 1) / size);
}

void CpuField::compute(std::size_t piece, const std::vector<float*>& fields, Scratch& scratch,
                       const jobs::Progress& progress) const {
  const auto* weights = state_->problem.weights;
  if (state_->products)
    return state_->products->density(static_cast<int>(piece), fields[0], scratch.products, progress);
  if (state_->separable && weights != nullptr) {
    return state_->separable->density(static_cast<int>(piece), fields[0], scratch.separable, progress);
  }
  if (state_->separable) {
    return state_->separable->amplitudes(static_cast<int>(piece), fields, scratch.separable, progress);
  }
  progress.check();
  const PointBatch batch = state_->batch(piece);
  if (weights != nullptr) {
    state_->scattered->density(batch.places, scratch.scattered);
  } else {
    state_->scattered->amplitudes(batch.places, scratch.scattered);
  }
  for (std::size_t k = 0; k < fields.size(); ++k) {
    const float* values = scratch.scattered.values.data() + k * scattered::batch_points;
    for (int n = 0; n < batch.count; ++n) fields[k][batch.targets[n]] = values[n];
  }
}

std::size_t CpuField::pieces_per_tile(int threads) const {
  if (state_->products) return 1;
  if (state_->scattered) return 16;
  SeparableGrid::Scratch scratch;
  const auto& separable = *state_->separable;
  const int pieces = separable.piece_count();
  const double operations = separable.expected_operations(pieces / 2, scratch);
  const int by_time = static_cast<int>(std::clamp(2e-3 * 5e10 / (operations + 1e5), 1.0, 1e4));
  const int by_threads = threads == 1 ? by_time : pieces / (4 * threads);
  return static_cast<std::size_t>(std::max(1, std::min(by_time, by_threads)));
}

std::string_view CpuField::kernel() const {
  if (state_->products) return "products";
  return state_->separable ? "separable" : "pointwise";
}

std::string_view CpuField::reason() const {
  if (state_->products)
    return "the grid is axis-aligned; overlapping primitives are fewer than the orbitals' terms";
  if (state_->separable) return state_->separable->reason();
  return state_->blocks ? "the grid is not axis-aligned" : "the points are scattered";
}

dispatch::Report fill_on_cpu(const FieldProblem& problem, const std::vector<float*>& fields, int threads,
                             const jobs::Progress& progress) {
  const CpuField field(problem, threads, progress);
  const auto device = dispatch::make_cpu_device(threads);
  const std::size_t count = field.piece_count();
  const std::size_t per_tile = field.pieces_per_tile(device->concurrency());
  std::vector<CpuField::Scratch> scratches(device->concurrency());
  std::array<dispatch::Device*, 1> devices{device.get()};
  auto report = dispatch::run_tiles(
      devices, (count + per_tile - 1) / per_tile,
      [&](dispatch::Device&, int worker, std::size_t tile) {
        const std::size_t last = std::min(count, (tile + 1) * per_tile);
        for (std::size_t piece = tile * per_tile; piece < last; ++piece) {
          progress.check();
          field.compute(piece, fields, scratches[worker], progress);
        }
      },
      progress);
  report.who = report.took_part();
  report.kernel = field.kernel();
  report.reason = field.reason();
  return report;
}

}  // namespace isolume::orbitals
