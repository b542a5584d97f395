#include "app/batch/batch_lab.h"

#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "app/labs/orbitals/declared_commands.h"
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

/// The file's first field; else its HOMO on the benchmark's lattice.
lattice::ScalarField read_field(const std::string& file, bool coarse, const jobs::Progress& progress) {
  const auto document = molecules::read_document(file, progress);
  if (!document.fields.empty()) return *document.fields.front();
  const auto& wavefunction = batch::wavefunction_of(document);
  auto lattice = science::benchmark_lattice(wavefunction.molecule);
  if (coarse) lattice = lattice::coarsened(lattice, 8);
  return science::compute_field(wavefunction,
                                science::benchmark_request(wavefunction, science::FieldKind::orbital),
                                lattice, *science::make_cpu_engine(), {}, progress)
      .values;
}

}  // namespace

/// `isolume-batch orbitals`.
batch::BatchLab batch_lab() {
  return {.name = "orbitals",
          .help = "Molecular orbitals and what belongs to them.",
          .commands = declared_commands(),
          .add_verbs = add_verbs,
          .add_bench = batch::add_orbitals_bench,
          .short_forms = {{"describe", "describe"},
                          {"compute", "compute"},
                          {"render", "render"},
                          {"convert", "convert"},
                          {"precompile", "precompile"}},
          .engines = engines,
          .read_field = read_field};
}

}  // namespace isolume::labs::orbitals
