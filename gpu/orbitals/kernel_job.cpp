#include "gpu/orbitals/kernel_job.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/orbitals/primitive_groups.h"

namespace isolume::gpu {

std::string_view to_string(KernelKind kind) {
  switch (kind) {
    case KernelKind::constant:
      return "constant";
    case KernelKind::tiled:
      return "tiled";
    case KernelKind::cached:
      return "cached";
    case KernelKind::generated:
      return "generated";
    case KernelKind::range_limited:
      return "range-limited";
    case KernelKind::separable:
      return "separable";
    case KernelKind::separable_ahead:
      return "separable-ahead";
    case KernelKind::products:
      return "products";
  }
  throw Error("There is no such kernel.");
}

void check_problem(const FieldProblem& problem) {
  orbitals::check_shapes(problem.molecule, problem.basis, problem.coefficients);
  if (problem.weights != nullptr && problem.weights->size() != problem.coefficients.cols()) {
    throw Error(fmt::format("A density of {} orbitals was given {} weights.", problem.coefficients.cols(),
                            problem.weights->size()));
  }
}

std::unique_ptr<KernelJob> make_kernel_job(KernelKind kind, const FieldProblem& problem,
                                           const jobs::Progress& progress) {
  switch (kind) {
    case KernelKind::generated:
      return make_generated_job(problem);
    case KernelKind::separable:
    case KernelKind::separable_ahead:
      return make_separable_job(kind, problem);
    case KernelKind::products:
      return make_product_job(problem, progress);
    default:
      return make_pointwise_job(kind, problem);
  }
}

}  // namespace isolume::gpu
