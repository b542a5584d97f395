#include "gpu/orbitals/products/product_layout.h"

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/molecules/basis_set.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_levels.h"

namespace isolume::gpu {
namespace {

using products::tile_edge;
static_assert(products::most_degree == 2 * molecules::max_angular_momentum);

void require_density_on_axes(const FieldProblem& problem) {
  if (problem.weights == nullptr) {
    throw Error("GPU: the products kernel computes densities, not single orbitals. Choose another kernel.");
  }
  if (problem.grid == nullptr || !problem.grid->axis_aligned()) {
    throw Error(
        "GPU: the products kernel computes grids along x, y and z, no other points. Choose another "
        "kernel.");
  }
  if (!(problem.screening > 0)) {
    throw Error(
        "GPU: the products kernel needs a screening above 0, as every product extends to infinity. Choose "
        "another kernel.");
  }
}

Eigen::Vector3d centre_in_steps(const orbitals::products::Product& product, const GridAxes& axes) {
  Eigen::Vector3d centre;
  for (int axis = 0; axis < 3; ++axis)
    centre[axis] = product.nearest[axis] - product.offset[axis] / axes[axis].step;
  return centre;
}

/// Sorts products by radius, then by place, in a few classes and cells each, so that chunks are small and reach to few
/// blocks. Returns the new position of each.
std::vector<std::uint32_t> sorted_positions(const std::vector<orbitals::products::Product>& products,
                                            const GridAxes& axes) {
  constexpr int cell = 16;    // points; two tiles
  constexpr int classes = 4;  // of radii
  constexpr float width = 5;  // of a class, in points
  const auto cells = [&](std::size_t axis) { return static_cast<std::size_t>(axes[axis].count / cell + 1); };
  const auto key = [&](const orbitals::products::Product& product) {
    const auto radius_class =
        std::min(static_cast<std::size_t>(product.radius / (width * static_cast<float>(axes[0].step))),
                 static_cast<std::size_t>(classes - 1));
    std::size_t made = radius_class;
    for (const std::size_t axis : {2, 1, 0})
      made = made * cells(axis) +
             static_cast<std::size_t>(std::clamp(product.nearest[axis], 0, axes[axis].count)) / cell;
    return made;
  };
  std::vector<std::uint32_t> starts(classes * cells(0) * cells(1) * cells(2) + 1), positions;
  for (const auto& product : products) ++starts[key(product) + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  positions.reserve(products.size());
  for (const auto& product : products) positions.push_back(starts[key(product)]++);
  return positions;
}

ProductLayout::Level lay_out(orbitals::ProductLevel from) {
  ProductLayout::Level level{from.axes, std::move(from.stencils), {}, {}, {}, std::move(from.coefficients)};
  if (from.products.empty()) return level;
  const auto positions = sorted_positions(from.products, level.axes);
  const std::size_t size = (from.products.size() + chunk_terms - 1) / chunk_terms * chunk_terms;
  level.reach.resize(size);
  level.products.resize(size);
  const tbb::blocked_range<std::size_t> all(0, from.products.size(), 4096);
  handover::parallel_for(all, [&](const auto& part) {
    for (std::size_t n = part.begin(); n != part.end(); ++n) {
      const auto& product = from.products[n];
      level.reach[positions[n]] = reach_of(level.axes, centre_in_steps(product, level.axes), product.radius);
      level.products[positions[n]] = {{product.nearest[0], product.nearest[1], product.nearest[2]},
                                      product.degree,
                                      {product.offset[0], product.offset[1], product.offset[2]},
                                      static_cast<float>(product.exponent * std::numbers::log2e),
                                      product.first,
                                      {}};
    }
  });
  auto nowhere = level.reach[from.products.size() - 1];
  nowhere.radius_squared = -1;
  std::fill(level.reach.begin() + static_cast<std::ptrdiff_t>(from.products.size()), level.reach.end(),
            nowhere);
  level.chunks = chunks_of(level.reach);
  return level;
}

/// Two operations for each multiply-add, one for each exponential.
double operations_of_tile(int degree) {
  constexpr double points = tile_edge * tile_edge * tile_edge, plane = tile_edge * tile_edge;
  return 2 * (degree + 1) * points + plane * (2 * orbitals::polynomial_size(degree) + 1) + tile_edge;
}

/// Of a sample of the products, if there are many.
void count_operations(ProductLayout& layout) {
  constexpr std::size_t sampled = 4096;
  const auto& [axes, stencils, reach, products, chunks, coefficients] = layout.levels.front();
  layout.layer_operations.resize(static_cast<std::size_t>((axes[2].count + tile_edge - 1) / tile_edge));
  constexpr std::array size{tile_edge, tile_edge, tile_edge};
  const std::size_t stride = reach.size() / sampled + 1;
  for (std::size_t n = 0; n < reach.size(); n += stride) {
    const double of_tile = static_cast<double>(stride) * operations_of_tile(products[n].degree);
    for (std::size_t layer = 0; layer < layout.layer_operations.size(); ++layer) {
      layout.layer_operations[layer] +=
          of_tile * boxes_in_layer(axes, size, reach[n], static_cast<int>(layer));
    }
  }
  const double plane_points = static_cast<double>(axes[0].count) * axes[1].count;
  for (std::size_t n = 1; n < layout.levels.size(); ++n) {
    const auto& coarse = layout.levels[n];
    const auto taps = [&](std::size_t axis) { return 2.0 * coarse.stencils[axis].taps; };
    layout.plane_operations += taps(2) * coarse.axes[0].count * coarse.axes[1].count +
                               taps(1) * coarse.axes[0].count * axes[1].count + taps(0) * plane_points;
  }
}

}  // namespace

std::size_t ProductLayout::Level::points() const {
  std::size_t count = 1;
  for (const auto& axis : axes) count *= static_cast<std::size_t>(axis.count);
  return count;
}

std::size_t ProductLayout::values_along_z() const {
  std::size_t most = 0;
  for (std::size_t n = 1; n < levels.size(); ++n) {
    const auto& axes = levels[n].axes;
    most = std::max(most, static_cast<std::size_t>(axes[0].count) * static_cast<std::size_t>(axes[1].count));
  }
  return most;
}

std::size_t ProductLayout::values_along_y() const {
  std::size_t most = 0;
  for (std::size_t n = 1; n < levels.size(); ++n) {
    most = std::max(most, static_cast<std::size_t>(levels[n].axes[0].count) *
                              static_cast<std::size_t>(levels[0].axes[1].count));
  }
  return most;
}

ProductLayout lay_out_products(const FieldProblem& problem, const jobs::Progress& progress) {
  check_problem(problem);
  require_density_on_axes(problem);
  ProductLayout layout;
  layout.never_negative = (problem.weights->array() >= 0).all();
  for (auto& level : orbitals::product_levels(problem, progress))
    layout.levels.push_back(lay_out(std::move(level)));
  count_operations(layout);
  return layout;
}

}  // namespace isolume::gpu
