#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "core/base/error.h"
#include "core/orbitals/benchmark.h"
#include "core/orbitals/field_problem.h"
#include "gpu/orbitals/generated/precompile.h"

namespace isolume::batch {
namespace {

struct PrecompileArguments {
  std::vector<std::string> files;
  std::string compute_capability;
  std::string folder;
};

struct Capability {
  int major = 0;
  int minor = 0;
};
/// "9.0"
Capability parse_capability(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t point = text.find('.');
  const bool right = (point == 1 || point == 2) && text.size() == point + 2 && is_digit(text[0]) &&
                     is_digit(text[point - 1]) && is_digit(text[point + 1]);
  if (!right) {
    throw Error(
        fmt::format("--compute-capability: expected a number such as 9.0, found {}.", isolume::quoted(text)));
  }
  return {std::stoi(text.substr(0, point)), text[point + 1] - '0'};
}

void precompile(Context& context, const PrecompileArguments& options) {
  const auto capability = parse_capability(options.compute_capability);
  for (const auto& file : options.files) {
    const auto document = read(context, file, 0.5);
    const auto& wavefunction = wavefunction_of(document);
    const auto grid = orbitals::benchmark_grid(wavefunction.molecule);
    for (const auto kind : {orbitals::FieldKind::orbital, orbitals::FieldKind::density}) {
      const auto combination =
          orbitals::combine(wavefunction, orbitals::benchmark_request(wavefunction, kind));
      const orbitals::FieldProblem problem{.molecule = wavefunction.molecule,
                                           .basis = wavefunction.basis,
                                           .coefficients = combination.coefficients,
                                           .weights = combination.quadratic ? &combination.weights : nullptr,
                                           .grid = &grid};
      gpu::precompile(problem, capability.major, capability.minor, options.folder);
    }
    context.out << fmt::format("{}: compiled for {}.{} in {}\n", file, capability.major, capability.minor,
                               options.folder);
  }
}

}  // namespace

void add_orbitals_precompile(CLI::App& program, Context& context) {
  auto options = std::make_shared<PrecompileArguments>();
  auto& command =
      add_verb(program, "precompile",
               "Compile the GPU kernels for the orbitals and densities of files in advance, also for GPUs of "
               "other machines. This needs CUDA's NVRTC; the machine with the GPU then does not.");
  add_option(command, context, &options->files,
             commands::path("FILE", "Files with orbitals, plain or .gz").repeatable());
  add_option(command, context, &options->compute_capability,
             commands::text("compute-capability", "Compute capability of the GPUs, e.g. 9.0")
                 .shown_as("MAJOR.MINOR"));
  add_option(command, context, &options->folder,
             commands::path(
                 "into", "Folder for the compiled kernels; the programs read $XDG_CACHE_HOME/isolume/kernels")
                 .shown_as("FOLDER"));
  on_call(command, context, [options, &context] { precompile(context, *options); });
}

}  // namespace isolume::batch
