#include "gpu/electrostatics/pairs/kernel_choice.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

using electrostatics::PairProblem;

struct PairKernel {
  std::string_view name;
  bool cuts;  ///< whether it has a cut-off
  std::unique_ptr<PairJob> (*make)(const grid::Grid&, const PairProblem&);
  bool at_places;  ///< whether it has a variant for scattered points
};
/// For each kind, the best first.
constexpr std::array pair_kernels_known{PairKernel{"shared", false, make_shared_job, true},
                                        PairKernel{"constant", false, make_constant_job, false},
                                        PairKernel{"sorted-bins", true, make_sorted_bins_job, true},
                                        PairKernel{"fixed-bins", true, make_fixed_bins_job, false}};

const PairKernel& choose(std::string_view wanted, const PairProblem& problem) {
  const bool cuts = problem.terms.cutoff > 0;
  std::string known;
  for (const auto& kernel : pair_kernels_known) {
    if (wanted == "auto" ? kernel.cuts == cuts : kernel.name == wanted) {
      if (kernel.cuts == cuts) return kernel;
      throw Error(fmt::format(
          "The kernel \"{}\" is for potentials {} a cut-off. Choose {}.", kernel.name,
          kernel.cuts ? "with" : "without",
          cuts ? "\"auto\", \"sorted-bins\" or \"fixed-bins\"" : "\"auto\", \"shared\" or \"constant\""));
    }
    known += fmt::format(", \"{}\"", kernel.name);
  }
  throw Error(fmt::format("There is no kernel named {}. Use \"auto\"{}.",
                          isolume::quoted(std::string(wanted)), known));
}

}  // namespace

std::vector<std::string> pair_kernel_names() {
  std::vector<std::string> names;
  for (const auto& kernel : pair_kernels_known) names.emplace_back(kernel.name);
  return names;
}

std::unique_ptr<PairJob> choose_pair_job(std::string_view wanted, const grid::Grid& grid,
                                         const PairProblem& problem) {
  return choose(wanted, problem).make(grid, problem);
}

std::unique_ptr<PairJob> choose_pair_job(std::string_view wanted, const electrostatics::Places& places,
                                         const PairProblem& problem) {
  const PairKernel& kernel = choose(wanted, problem);
  if (!kernel.at_places) {
    throw Error(fmt::format("The kernel \"{}\" sums on grids, not at points. Choose \"auto\" or \"{}\".",
                            kernel.name, kernel.cuts ? "sorted-bins" : "shared"));
  }
  return make_place_job(places, problem);
}

}  // namespace isolume::gpu
