#include "app/labs/electrostatics/batch/batch_bench_quantum.h"

#include <fmt/format.h>

#include "app/labs/electrostatics/batch/wavefunction_input.h"
#include "core/base/resources.h"
#include "core/electrostatics/quantum/quantum_engine.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "gpu/electrostatics/engines.h"
#include "gpu/electrostatics/pair_kernel_times.h"

namespace isolume::batch {

nlohmann::ordered_json bench_quantum(Context& context, const QuantumBench& bench,
                                     const std::shared_ptr<dispatch::DevicePool>& pool, std::string& text) {
  namespace es = electrostatics;
  constexpr double margin_angstrom = 4;
  const std::string file = bench.file.empty() ? resource("samples/caffeine.fchk.gz").string() : bench.file;
  const auto input = read_wavefunction(context, file, {}, 0.1);
  es::QuantumOptions how{.compute = bench.compute};
  const auto source = es::expand(input.wavefunction(), input.set(), how, context.progress.part(0.1, 0.2));
  const auto grid = es::grid_around(box_in_angstrom(input.wavefunction().molecule), bench.spacing_angstrom,
                                    margin_angstrom);
  const auto engines = std::make_shared<const es::QuantumEngineRegistry>(gpu::make_quantum_engines(pool));
  how.engines = engines;
  const bool by_gpu = engines->engines().size() > 1 && bench.compute.engine != "cpu";
  // GPUs learn from the first jobs how to share out the next.
  const auto result =
      es::benchmark_quantum_potential(source, grid, how, {0, by_gpu ? 7 : 3}, context.progress);
  auto row = es::to_json(result);
  row["file"] = file;
  text = fmt::format("quantum: {} nuclei, {} Gaussians at {} points in {:.3f} s by {}{}, {:.3g} points/s\n",
                     result.nuclei, result.gaussians, result.points, result.seconds, result.computed_by,
                     result.kernel.empty() ? "" : fmt::format(", {} kernel", result.kernel),
                     result.points_per_second);
  if (result.kernel.empty()) return row;
  const auto times =
      gpu::time_quantum_kernel(*pool, grid, {source, 1}, bench.compute, {1, 3}, context.progress);
  const double seconds = times.sums_ms / 1000;
  const double points = static_cast<double>(result.points) / seconds;
  const double operations = result.operations_per_second * result.seconds / seconds;
  row["kernel_alone"] = {{"device", times.device},
                         {"sums_ms", times.sums_ms},
                         {"points_per_second", points},
                         {"operations_per_second", operations}};
  text += fmt::format(
      "  kernel on {} alone, with coefficients and values in its memory: {:.2f} ms, {:.3g} points/s, about "
      "{:.3g} double-precision FLOP/s\n",
      times.device, times.sums_ms, points, operations);
  return row;
}

}  // namespace isolume::batch
