#include "app/batch/batch_lab.h"

#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "app/labs/orbitals/description.h"
#include "core/orbitals/benchmark.h"
#include "gpu/orbitals/engines.h"

namespace isolume::labs::orbitals {
namespace {

namespace science = isolume::orbitals;

void add_verbs(CLI::App& lab, batch::Context& context) {
  batch::add_orbitals_describe(lab, context);
  batch::add_orbitals_compute(lab, context);
  batch::add_orbitals_render(lab, context);
  batch::add_orbitals_convert(lab, context);
  batch::add_orbitals_precompile(lab, context);
}

nlohmann::ordered_json engines(const std::shared_ptr<dispatch::DevicePool>& devices) {
  auto json = nlohmann::ordered_json::array();
  const auto registry = gpu::make_orbital_engines(devices);
  for (const auto& engine : registry.engines()) {
    json.push_back(
        {{"name", engine->name()}, {"description", engine->description()}, {"kernels", engine->kernels()}});
  }
  return json;
}

/// The file's first field; else its HOMO on the benchmark's grid.
grid::ScalarField read_field(const std::string& file, bool coarse, const jobs::Progress& progress) {
  const auto document = molecules::read_document(file, progress);
  if (!document.fields.empty()) return *document.fields.front();
  const auto& wavefunction = batch::wavefunction_of(document);
  auto grid = science::benchmark_grid(wavefunction.molecule);
  if (coarse) grid = grid::coarsened(grid, 8);
  return science::compute_field(wavefunction,
                                science::benchmark_request(wavefunction, science::FieldKind::orbital), grid,
                                *science::make_cpu_engine(), {}, progress)
      .values;
}

std::function<grid::ScalarField(bool stays)> compute_on_gpu(const std::string& file, bool coarse,
                                                            const std::shared_ptr<dispatch::DevicePool>& pool,
                                                            int position, const jobs::Progress& progress) {
  struct Work {
    molecules::Document document;
    dispatch::EngineRegistry<science::Engine> engines;
    grid::Grid grid;
    science::EngineOptions options;
  };
  const auto work = std::make_shared<Work>(Work{.document = molecules::read_document(file, progress),
                                                .engines = gpu::make_orbital_engines(pool),
                                                .grid = {},
                                                .options = {}});
  const auto& wavefunction = batch::wavefunction_of(work->document);
  work->grid = science::benchmark_grid(wavefunction.molecule);
  if (coarse) work->grid = grid::coarsened(work->grid, 8);
  work->options.devices = std::to_string(position);
  return [work, &wavefunction, progress](bool stays) {
    return science::compute_field(wavefunction,
                                  science::benchmark_request(wavefunction, science::FieldKind::orbital),
                                  work->grid, work->engines.find("auto"), work->options, progress,
                                  stays ? science::Keep::where_computed : science::Keep::in_host_memory)
        .values;
  };
}

}  // namespace

/// `isolume-batch orbitals`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Molecular orbitals and related fields.",
          .add_verbs = add_verbs,
          .add_bench = batch::add_orbitals_bench,
          .short_forms = {{"describe", "describe"},
                          {"compute", "compute"},
                          {"render", "render"},
                          {"convert", "convert"},
                          {"precompile", "precompile"}},
          .engines = engines,
          .read_field = read_field,
          .compute_on_gpu = compute_on_gpu};
}

}  // namespace isolume::labs::orbitals
