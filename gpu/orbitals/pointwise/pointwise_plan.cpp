#include "gpu/orbitals/pointwise/pointwise_plan.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/runtime/memory/constant_memory.h"

namespace isolume::gpu {
namespace {

std::size_t constant_words_needed(const PackedShells& shells) {
  return static_cast<std::size_t>(shells.layout.first_coefficient) + shells.layout.words_per_pass;
}

/// Packed for the best number of columns per pass that fits.
PackedShells pack_for_constant_memory(const FieldProblem& problem) {
  int columns = choose_columns_per_pass(problem.coefficients.cols());
  PackedShells shells = pack_shells(problem, columns);
  while (constant_words_needed(shells) > constant_memory_words && columns > 1) {
    columns /= 2;
    shells = pack_shells(problem, columns);
  }
  if (constant_words_needed(shells) > constant_memory_words) {
    throw Error(
        fmt::format("The kernel \"constant\" has {} for coefficients; this basis set needs {}, of them {} "
                    "for one orbital. Choose the kernel \"cached\", \"tiled\" or \"range-limited\".",
                    format_bytes(constant_memory_words * sizeof(Word)),
                    format_bytes(constant_words_needed(shells) * sizeof(Word)),
                    format_bytes(static_cast<std::size_t>(shells.layout.words_per_pass) * sizeof(Word))));
  }
  return shells;
}

PackedShells pack_for(KernelKind kind, const FieldProblem& problem) {
  if (kind == KernelKind::constant) return pack_for_constant_memory(problem);
  std::optional<double> tolerance;
  if (kind == KernelKind::range_limited) tolerance = problem.screening;
  return pack_shells(problem, choose_columns_per_pass(problem.coefficients.cols()), tolerance);
}

void set_grid(const grid::Grid& grid, PointSet& points) {
  points.kind = grid.axis_aligned() ? PlaceKind::aligned_grid : PlaceKind::grid;
  for (int axis = 0; axis < 3; ++axis) {
    for (int x = 0; x < 3; ++x) points.step[3 * axis + x] = static_cast<float>(grid.step(x, axis));
  }
  points.nx = std::max(grid.dimensions[0], 0);
  points.ny = std::max(grid.dimensions[1], 0);
  points.nz = std::max(grid.dimensions[2], 0);
}

/// Rows x, y, z rounded to float, then three of rounding errors.
std::vector<float> split_places(const Eigen::Matrix3Xd& places) {
  const Eigen::Index count = places.cols();
  std::vector<float> split(6 * static_cast<std::size_t>(count));
  for (Eigen::Index axis = 0; axis < 3; ++axis) {
    for (Eigen::Index n = 0; n < count; ++n) {
      const auto high = static_cast<float>(places(axis, n));
      split[axis * count + n] = high;
      split[(3 + axis) * count + n] = static_cast<float>(places(axis, n) - high);
    }
  }
  return split;
}

/// ScatteredBox, one after the other, of `each` points.
std::vector<float> boxes_around(const Eigen::Matrix3Xd& places, int each) {
  std::vector<float> boxes;
  for (Eigen::Index first = 0; first < places.cols(); first += each) {
    const auto some = places.middleCols(first, std::min<Eigen::Index>(each, places.cols() - first));
    const Eigen::Vector3d low = some.rowwise().minCoeff();
    const Eigen::Vector3d high = some.rowwise().maxCoeff();
    const Eigen::Vector3d middle = (low + high) / 2;
    const Eigen::Vector3f rounded = middle.cast<float>();
    const Eigen::Vector3f rest = (middle - rounded.cast<double>()).cast<float>();
    const Eigen::Vector3f half = ((high - low) / 2 * (1 + 1e-6)).cast<float>();
    for (const auto& part : {rounded, rest, half}) boxes.insert(boxes.end(), part.begin(), part.end());
  }
  return boxes;
}

}  // namespace

std::shared_ptr<const PointwisePlan> make_pointwise_plan(KernelKind kind, const FieldProblem& problem) {
  auto plan = std::make_shared<PointwisePlan>();
  plan->kind = kind;
  plan->shells = pack_for(kind, problem);
  plan->columns = static_cast<int>(problem.coefficients.cols());
  plan->density = problem.weights != nullptr;
  const PackedLayout& layout = plan->shells.layout;
  if (problem.grid != nullptr) {
    set_grid(*problem.grid, plan->points);
  } else {
    plan->points.kind = PlaceKind::scattered;
    plan->points.place_stride = static_cast<std::size_t>(problem.points_bohr->cols());
    plan->places = split_places(*problem.points_bohr);
    if (kind == KernelKind::range_limited) {
      plan->boxes = boxes_around(*problem.points_bohr, points_per_block(layout.columns_per_pass));
    }
  }
  if (kind == KernelKind::constant) {
    plan->passes_per_launch = (constant_memory_words - layout.first_coefficient) / layout.words_per_pass;
    plan->content = new_constant_contents(layout.pass_count / plan->passes_per_launch + 1);
  }
  return plan;
}

}  // namespace isolume::gpu
