#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/cpu_field.h"
#include "core/orbitals/field_engine.h"
#include "core/orbitals/separable_kernels.h"

namespace isolume::orbitals {
namespace {

class CpuEngine final : public FieldEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int most = dispatch::processor_threads();
    const int threads = wanted > 0 ? std::min(wanted, most) : most;
    return fmt::format("CPU, {}, {} thread{}", separable::instruction_set(), threads,
                       threads == 1 ? "" : "s");
  }

 protected:
  void fill(const FieldProblem& problem, const std::vector<float*>& fields, const EngineOptions& options,
            const jobs::Progress& progress) const override {
    // Tile by tile, every thread with its own scratch.
    const CpuField field(problem);
    const auto device = dispatch::make_cpu_device(options.threads);
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
    report.how = field.how();
    if (options.report != nullptr) *options.report = std::move(report);
  }
};

}  // namespace

std::unique_ptr<Engine> make_cpu_engine() {
  return std::make_unique<CpuEngine>();
}

}  // namespace isolume::orbitals
