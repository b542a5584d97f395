#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/engine.h"
#include "core/orbitals/point_batches.h"
#include "core/orbitals/scattered_points.h"
#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/separable_lattice.h"

namespace isolume::orbitals {
namespace {

constexpr std::string_view memory_remedy = "Use a coarser spacing, a smaller box or fewer orbitals at once.";

void require_fields(double points, double fields) {
  // In double, as dimensions are a person's input and their product may not fit in an integer.
  const double bytes = std::clamp(points * fields * sizeof(float), 0.0, 9e18);
  dispatch::require_memory("The field", static_cast<std::size_t>(bytes), memory_remedy);
}

double points_of(const lattice::Lattice& lattice) {
  const auto& n = lattice.dimensions;
  return static_cast<double>(std::max(n[0], 0)) * std::max(n[1], 0) * std::max(n[2], 0);
}

/// A field whose numbers are yet to be written. Large pages, where the system has them, spare first writing
/// thousands of page faults: 1.6 instead of 4.4 ms for 20 MB, measured.
FieldValues unwritten_field(std::size_t points) {
  FieldValues values(points);
#ifdef MADV_HUGEPAGE
  constexpr std::size_t worthwhile = std::size_t{4} << 20;
  constexpr std::uintptr_t page = 4096;
  if (points * sizeof(float) >= worthwhile) {
    const auto first = (reinterpret_cast<std::uintptr_t>(values.data()) + page - 1) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(values.data() + points) / page * page;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);  // advice: may fail
  }
#endif
  return values;
}

/// Runs `body(item, scratch)` for item = 0 .. count-1, `per_tile` items a tile, every thread with its own
/// scratch.
template <class Scratch, class Body>
void run_items(std::size_t count, std::size_t per_tile, dispatch::Device& device,
               const EngineOptions& options, const jobs::Progress& progress, const Body& body) {
  std::vector<Scratch> scratches(device.concurrency());
  std::array<dispatch::Device*, 1> devices{&device};
  const auto report = dispatch::run_tiles(
      devices, (count + per_tile - 1) / per_tile,
      [&](dispatch::Device&, int worker, std::size_t tile) {
        const std::size_t last = std::min(count, (tile + 1) * per_tile);
        for (std::size_t item = tile * per_tile; item < last; ++item) {
          progress.check();
          body(item, scratches[worker]);
        }
      },
      progress);
  if (options.report != nullptr) *options.report = report;
}

/// So many pencils that a tile takes about two milliseconds, and every thread gets several.
std::size_t pencils_per_tile(const SeparableLattice& separable, bool quadratic, int threads) {
  SeparableLattice::Scratch scratch;
  const double operations = separable.operations(separable.pencil_count() / 2, quadratic, scratch);
  const int by_time = static_cast<int>(std::clamp(2e-3 * 5e10 / (operations + 1e5), 1.0, 1e4));
  const int by_threads = threads == 1 ? by_time : separable.pencil_count() / (4 * threads);
  return static_cast<std::size_t>(std::max(1, std::min(by_time, by_threads)));
}

template <class Body>
void run_pencils(const SeparableLattice& separable, bool quadratic, const EngineOptions& options,
                 const jobs::Progress& progress, const Body& body) {
  const auto device = dispatch::make_cpu_device(options.threads);
  run_items<SeparableLattice::Scratch>(separable.pencil_count(),
                                       pencils_per_tile(separable, quadratic, device->concurrency()), *device,
                                       options, progress, body);
}

/// Calls `write(target, column, value)` for every point and column.
template <class Batches, class Write>
void amplitudes_in_batches(const ScatteredPoints& scattered, const Batches& batches,
                           const EngineOptions& options, const jobs::Progress& progress, const Write& write) {
  constexpr std::size_t per_tile = 16;
  const auto device = dispatch::make_cpu_device(options.threads);
  run_items<ScatteredPoints::Scratch>(batches.count(), per_tile, *device, options, progress,
                                      [&](std::size_t item, ScatteredPoints::Scratch& scratch) {
                                        const PointBatch batch = batches.batch(item);
                                        scattered.amplitudes(batch.places, scratch);
                                        for (int k = 0; k < scattered.column_count(); ++k) {
                                          const float* values =
                                              scratch.values.data() + k * scattered::batch_points;
                                          for (int n = 0; n < batch.count; ++n)
                                            write(batch.targets[n], k, values[n]);
                                        }
                                      });
}

template <class Batches>
void density_in_batches(const ScatteredPoints& scattered, const Batches& batches,
                        const EngineOptions& options, const jobs::Progress& progress, float* field) {
  constexpr std::size_t per_tile = 16;
  const auto device = dispatch::make_cpu_device(options.threads);
  run_items<ScatteredPoints::Scratch>(batches.count(), per_tile, *device, options, progress,
                                      [&](std::size_t item, ScatteredPoints::Scratch& scratch) {
                                        const PointBatch batch = batches.batch(item);
                                        scattered.density(batch.places, scratch);
                                        for (int n = 0; n < batch.count; ++n) {
                                          field[batch.targets[n]] = scratch.values[n];
                                        }
                                      });
}

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int most = dispatch::processor_threads();
    const int threads = wanted > 0 ? std::min(wanted, most) : most;
    return fmt::format("CPU, {}, {} thread{}", separable::instruction_set(), threads,
                       threads == 1 ? "" : "s");
  }

  std::vector<FieldValues> amplitudes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                      const Eigen::MatrixXd& coefficients, const lattice::Lattice& lattice,
                                      const EngineOptions& options,
                                      const jobs::Progress& progress) const override {
    require_fields(points_of(lattice), static_cast<double>(coefficients.cols()));
    std::vector<FieldValues> fields;
    std::vector<float*> values;
    for (Eigen::Index k = 0; k < coefficients.cols(); ++k) {
      values.push_back(fields.emplace_back(unwritten_field(lattice.point_count())).data());
    }
    if (fields.empty() || fields.front().empty()) return fields;
    if (lattice.axis_aligned()) {
      const SeparableLattice separable(molecule, basis, coefficients, nullptr, lattice, options.screening);
      run_pencils(separable, false, options, progress,
                  [&](std::size_t pencil, SeparableLattice::Scratch& scratch) {
                    separable.amplitudes(static_cast<int>(pencil), values, scratch, progress);
                  });
    } else {
      const ScatteredPoints scattered(molecule, basis, coefficients, nullptr, options.screening);
      amplitudes_in_batches(scattered, LatticeBatches(lattice), options, progress,
                            [&](std::size_t target, int k, float value) { values[k][target] = value; });
    }
    return fields;
  }

  FieldValues density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                      const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                      const lattice::Lattice& lattice, const EngineOptions& options,
                      const jobs::Progress& progress) const override {
    require_fields(points_of(lattice), 1);
    FieldValues field = unwritten_field(lattice.point_count());
    if (field.empty()) return field;
    if (coefficients.cols() == 0) {
      std::ranges::fill(field, 0.0F);
    } else if (lattice.axis_aligned()) {
      const SeparableLattice separable(molecule, basis, coefficients, &weights, lattice, options.screening);
      run_pencils(separable, true, options, progress,
                  [&](std::size_t pencil, SeparableLattice::Scratch& scratch) {
                    separable.density(static_cast<int>(pencil), weights, field.data(), scratch, progress);
                  });
    } else {
      const ScatteredPoints scattered(molecule, basis, coefficients, &weights, options.screening);
      density_in_batches(scattered, LatticeBatches(lattice), options, progress, field.data());
    }
    return field;
  }

  Eigen::MatrixXf amplitudes_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                const Eigen::MatrixXd& coefficients, const Eigen::Matrix3Xd& points,
                                const EngineOptions& options, const jobs::Progress& progress) const override {
    require_fields(static_cast<double>(points.cols()), static_cast<double>(coefficients.cols()));
    Eigen::MatrixXf values(points.cols(), coefficients.cols());
    if (values.size() == 0) return values;
    const ScatteredPoints scattered(molecule, basis, coefficients, nullptr, options.screening);
    amplitudes_in_batches(scattered, ListBatches(points), options, progress,
                          [&](std::size_t target, int k, float value) {
                            values(static_cast<Eigen::Index>(target), k) = value;
                          });
    return values;
  }

  Eigen::VectorXf density_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                             const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                             const Eigen::Matrix3Xd& points, const EngineOptions& options,
                             const jobs::Progress& progress) const override {
    require_fields(static_cast<double>(points.cols()), 1);
    Eigen::VectorXf values = Eigen::VectorXf::Zero(points.cols());
    if (values.size() == 0 || coefficients.cols() == 0) return values;
    const ScatteredPoints scattered(molecule, basis, coefficients, &weights, options.screening);
    density_in_batches(scattered, ListBatches(points), options, progress, values.data());
    return values;
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::orbitals
