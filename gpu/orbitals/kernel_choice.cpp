#include "gpu/orbitals/kernel_choice.h"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

constexpr std::array kinds{KernelKind::products,      KernelKind::separable, KernelKind::separable_ahead,
                           KernelKind::generated,     KernelKind::constant,  KernelKind::tiled,
                           KernelKind::range_limited, KernelKind::cached};

}  // namespace

KernelKind kernel_named(std::string_view name) {
  std::string known;
  for (const KernelKind kind : kinds) {
    if (name == to_string(kind)) return kind;
    known += fmt::format(", \"{}\"", to_string(kind));
  }
  throw Error(fmt::format("There is no kernel named {}. Use \"auto\"{}.", isolume::quoted(name), known));
}

namespace {

std::unique_ptr<KernelJob> constant_where_it_fits(const FieldProblem& problem) {
  try {
    return make_kernel_job(KernelKind::constant, problem);
  } catch (const Error&) {
    return nullptr;  // the next kernel reports other errors
  }
}

Slab whole(const FieldProblem& problem) {
  return {0, problem.grid != nullptr ? problem.grid->dimensions[2]
                                     : static_cast<int>(problem.points_bohr->cols())};
}

KernelChoice choose_pointwise(const FieldProblem& problem) {
  auto limited = make_kernel_job(KernelKind::range_limited, problem);
  auto full = constant_where_it_fits(problem);
  const bool fits = full != nullptr;
  if (!fits) full = make_kernel_job(KernelKind::cached, problem);
  const double part = limited->flop(whole(problem)) / full->flop(whole(problem));
  if (part <= 0.5) {
    return {std::move(limited),
            fmt::format("{:.2g} % of the operations are left after screening", 100 * part)};
  }
  return {std::move(full),
          fits ? "the coefficients fit in constant memory, and screening spares little"
               : "the coefficients do not fit in constant memory, and screening spares little"};
}

}  // namespace

KernelChoice choose_kernel(std::string_view wanted, const FieldProblem& problem,
                           const jobs::Progress& progress) {
  if (wanted != "auto") return {make_kernel_job(kernel_named(wanted), problem, progress), "it was asked for"};
  if (products_worthwhile(problem)) {
    return {make_kernel_job(KernelKind::products, problem, progress),
            "the grid is axis-aligned; overlapping primitives are fewer than the orbitals' terms"};
  }
  if (problem.grid != nullptr && problem.grid->axis_aligned()) {
    return {make_kernel_job(KernelKind::separable, problem), "the grid is axis-aligned"};
  }
  return choose_pointwise(problem);
}

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const KernelKind kind : kinds) names.emplace_back(to_string(kind));
  return names;
}

}  // namespace isolume::gpu
