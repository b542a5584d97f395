#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/engine.h"
#include "core/orbitals/reference_engine.h"
#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/separable_lattice.h"

namespace isolume::orbitals {
namespace {

constexpr std::string_view memory_remedy = "Use a coarser spacing, a smaller box or fewer orbitals at once.";

void require_fields(const lattice::Lattice& lattice, std::size_t fields) {
  // In double, as dimensions are a person's input and their product may not fit in an integer.
  const double bytes = static_cast<double>(lattice.dimensions[0]) * lattice.dimensions[1] *
                       lattice.dimensions[2] * static_cast<double>(fields) * sizeof(float);
  const double most = 9e18;
  dispatch::require_memory("the field's values", static_cast<std::size_t>(std::clamp(bytes, 0.0, most)),
                           memory_remedy);
}

/// Runs `body(worker, first, last)` over the ranges of 0 .. count-1 as tiles on the CPU.
template <class Body>
void run_ranges(int count, int per_tile, dispatch::Device& device, const EngineOptions& options,
                const jobs::Progress& progress, const Body& body) {
  const std::size_t tiles = static_cast<std::size_t>((count + per_tile - 1) / per_tile);
  std::array<dispatch::Device*, 1> devices{&device};
  const auto report = dispatch::run_tiles(
      devices, tiles,
      [&](dispatch::Device&, int worker, std::size_t tile) {
        const int first = static_cast<int>(tile) * per_tile;
        body(worker, first, std::min(first + per_tile, count));
      },
      progress);
  if (options.report != nullptr) *options.report = report;
}

/// So many pencils that a tile takes about two milliseconds, and every thread gets several.
int pencils_per_tile(const SeparableLattice& separable, bool quadratic, int threads) {
  SeparableLattice::Scratch scratch;
  const double operations = separable.operations(separable.pencil_count() / 2, quadratic, scratch);
  const int by_time = static_cast<int>(std::clamp(2e-3 * 5e10 / (operations + 1e5), 1.0, 1e4));
  const int by_threads = threads == 1 ? by_time : separable.pencil_count() / (4 * threads);
  return std::max(1, std::min(by_time, by_threads));
}

class CpuEngine final : public Engine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("CPU, {}, {} threads", separable::instruction_set(), dispatch::processor_threads());
  }

  std::vector<FieldValues> amplitudes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                      const Eigen::MatrixXd& coefficients, const lattice::Lattice& lattice,
                                      const EngineOptions& options,
                                      const jobs::Progress& progress) const override {
    const auto columns = static_cast<std::size_t>(coefficients.cols());
    require_fields(lattice, columns);
    std::vector<FieldValues> fields;
    for (std::size_t k = 0; k < columns; ++k) fields.emplace_back(lattice.point_count());
    if (columns == 0 || lattice.point_count() == 0) return fields;
    if (!lattice.axis_aligned()) {
      return make_reference_engine()->amplitudes(molecule, basis, coefficients, lattice, options, progress);
    }
    std::vector<float*> values;
    for (auto& field : fields) values.push_back(field.data());
    const SeparableLattice separable(molecule, basis, coefficients, nullptr, lattice, options.screening);
    run_pencils(separable, false, options, progress, [&](int pencil, SeparableLattice::Scratch& scratch) {
      separable.amplitudes(pencil, values, scratch, progress);
    });
    return fields;
  }

  FieldValues density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                      const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                      const lattice::Lattice& lattice, const EngineOptions& options,
                      const jobs::Progress& progress) const override {
    require_fields(lattice, 1);
    FieldValues field(lattice.point_count());
    if (field.empty()) return field;
    if (coefficients.cols() == 0) {
      std::ranges::fill(field, 0.0F);
      return field;
    }
    if (!lattice.axis_aligned()) {
      return make_reference_engine()->density(molecule, basis, coefficients, weights, lattice, options,
                                              progress);
    }
    const SeparableLattice separable(molecule, basis, coefficients, &weights, lattice, options.screening);
    run_pencils(separable, true, options, progress, [&](int pencil, SeparableLattice::Scratch& scratch) {
      separable.density(pencil, weights, field.data(), scratch, progress);
    });
    return field;
  }

  Eigen::MatrixXf amplitudes_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                const Eigen::MatrixXd& coefficients, const Eigen::Matrix3Xd& points,
                                const EngineOptions& options, const jobs::Progress& progress) const override {
    return make_reference_engine()->amplitudes_at(molecule, basis, coefficients, points, options, progress);
  }

  Eigen::VectorXf density_at(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                             const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                             const Eigen::Matrix3Xd& points, const EngineOptions& options,
                             const jobs::Progress& progress) const override {
    return make_reference_engine()->density_at(molecule, basis, coefficients, weights, points, options,
                                               progress);
  }

 private:
  template <class Body>
  static void run_pencils(const SeparableLattice& separable, bool quadratic, const EngineOptions& options,
                          const jobs::Progress& progress, const Body& body) {
    const auto device = dispatch::make_cpu_device(options.threads);
    std::vector<SeparableLattice::Scratch> scratches(device->concurrency());
    run_ranges(separable.pencil_count(), pencils_per_tile(separable, quadratic, device->concurrency()),
               *device, options, progress, [&](int worker, int first, int last) {
                 for (int pencil = first; pencil < last; ++pencil) body(pencil, scratches[worker]);
               });
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::orbitals
