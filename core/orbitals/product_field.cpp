#include "core/orbitals/product_field.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/orbitals/primitive_groups.h"

namespace isolume::orbitals {
namespace {

using products::block_y;
using products::block_z;
using products::plane_points;
using products::tile_x;

constexpr int max_degree = 2 * molecules::max_angular_momentum;
using AxisPolynomial = std::array<double, max_degree + 1>;

/// -ln of the relative error of convolutions.
constexpr double convolution_digits = 20.7;
/// Absolute tolerance of the field, in that of amplitudes.
constexpr double tolerance_of_screening = 0.01;

/// The sharpest exponent on a lattice of this spacing, with q twice as large: exp(-pi^2 / (4 p h^2)) is the error.
double largest_exponent(double spacing) {
  return std::numbers::pi * std::numbers::pi / (4 * convolution_digits * spacing * spacing);
}
/// Sharpening makes polynomials of degree n about (1 - p / q)^(-n / 2) times as large, and so is their rounding. For high
/// degrees p is kept farther below q, so that this is at most 2.5.
double largest_exponent(double spacing, int degree) {
  return largest_exponent(spacing) * std::min(1.0, 4.0 / (2 + degree));
}

/// max |x^i y^j z^k| / r^n, n = i + j + k, for the coefficients of a product in their order.
std::vector<double> largest_monomials(int degree) {
  const auto own_power = [](int n) { return std::pow(static_cast<double>(n), n); };  // 0^0 = 1
  std::vector<double> all;
  for (int i = 0; i <= degree; ++i) {
    for (int j = 0; j <= degree - i; ++j) {
      for (int k = 0; k <= degree - i - j; ++k)
        all.push_back(std::sqrt(own_power(i) * own_power(j) * own_power(k) / own_power(i + j + k)));
    }
  }
  return all;
}

const std::vector<double>& largest_monomials_of(int degree) {
  static const auto all = [] {
    std::array<std::vector<double>, max_degree + 1> made;
    for (int d = 0; d <= max_degree; ++d) made[static_cast<std::size_t>(d)] = largest_monomials(d);
    return made;
  }();
  return all[static_cast<std::size_t>(degree)];
}

/// sum_n by_power[n] r^n exp(-p r^2), an upper bound at the distance r.
struct Bound {
  double exponent = 0;
  int degree = 0;
  AxisPolynomial by_power{};

  Bound(const double* coefficients, int degree_of, double exponent_of)
      : exponent(exponent_of), degree(degree_of) {
    const double* largest = largest_monomials_of(degree).data();
    for (int i = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j) {
        for (int k = 0; k <= degree - i - j; ++k)
          by_power[i + j + k] += std::abs(*coefficients++) * *largest++;
      }
    }
  }
  /// A distance beyond which it is below `tolerance` > 0; negative: it is nowhere larger.
  double radius(double tolerance) const {
    // r -> sqrt(ln(sum_n b_n r^n / tolerance) / p) has it as its fixed point. From above it decreases towards it, without
    // ever passing below. Beyond the last maximum, sqrt(n / 2p), all terms decrease.
    const auto without_gaussian = [&](double r) {
      double sum = by_power[degree];
      for (int n = degree - 1; n >= 0; --n) sum = sum * r + by_power[n];
      return sum;
    };
    const double last_maximum = std::sqrt(degree / (2 * exponent));
    double r = std::max(last_maximum, 1 / std::sqrt(exponent));
    if (without_gaussian(r) <= tolerance) return -1;  // and smaller nearer the centre
    const auto next_squared = [&](double at) {
      return std::log(without_gaussian(at) / tolerance) / exponent;
    };
    double squared = next_squared(r *= 4);
    while (squared > r * r) squared = next_squared(r *= 2);
    for (int step = 0; step < 2; ++step) {
      r = std::max(last_maximum, std::sqrt(std::max(squared, 0.0)));
      squared = next_squared(r);
    }
    return std::max(last_maximum, std::sqrt(std::max(squared, 0.0)));
  }
};

/// Replaces a product by that whose convolution with the normalised Gaussian of exponent q it is, for one axis: solves
///   x^n exp(-p x^2) = sum_k b_k sqrt(q / pi) int y^k exp(-r y^2) exp(-q (x - y)^2) dy,   r = pq / (q - p).
class Sharpening {
 public:
  Sharpening(double p, double q, int degree)
      : degree_(degree), shrink_(1 - p / q), norm_(1 / std::sqrt(shrink_)) {
    const double variance = shrink_ / (2 * q);  // of exp(-(q + r) u^2), as q + r = q / (1 - p / q)
    moments_[0] = 1;
    for (int s = 2; s <= degree; s += 2) moments_[s] = moments_[s - 2] * (s - 1) * variance;
    choose_[0][0] = 1;
    for (int n = 1; n <= degree; ++n) {
      for (int k = 0; k <= n; ++k)
        choose_[n][k] = (k > 0 ? choose_[n - 1][k - 1] : 0) + (k < n ? choose_[n - 1][k] : 0);
    }
  }
  /// Of values that are `stride` apart, `degree` + 1 in number.
  void operator()(double* values, const int* at, int degree) const {
    // The coefficient of x^n is beta^n sum_s C(n + s, s) <u^s> b_(n+s), times 1 / norm.
    double power = 1;
    for (int n = 0; n < degree; ++n) power *= shrink_;
    for (int n = degree; n >= 0; --n, power /= shrink_) {
      double sum = values[at[n]] * norm_ / power;
      for (int s = 2; n + s <= degree; s += 2) sum -= choose_[n + s][s] * moments_[s] * values[at[n + s]];
      values[at[n]] = sum;
    }
  }

 private:
  int degree_;
  double shrink_, norm_;
  AxisPolynomial moments_{};
  std::array<std::array<double, max_degree + 1>, max_degree + 1> choose_{};
};

/// Positions of all coefficients of a product.
struct Positions {
  explicit Positions(int degree) {
    int at = 0;
    for (int i = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j) {
        for (int k = 0; k <= degree - i - j; ++k) of[i][j][k] = at++;
      }
    }
  }
  std::array<std::array<std::array<int, max_degree + 1>, max_degree + 1>, max_degree + 1> of{};
};

const Positions& positions_of(int degree) {
  static const auto all = [] {
    std::vector<Positions> made;
    for (int d = 0; d <= max_degree; ++d) made.emplace_back(d);
    return made;
  }();
  return all[static_cast<std::size_t>(degree)];
}

void sharpen(double* coefficients, int degree, double p, double q) {
  const Sharpening along_axis(p, q, degree);
  const auto& position = positions_of(degree).of;
  for (int axis = 0; axis < 3; ++axis) {
    for (int a = 0; a <= degree; ++a) {
      for (int b = 0; b <= degree - a; ++b) {
        std::array<int, max_degree + 1> line;
        for (int n = 0; n <= degree - a - b; ++n)
          line[n] = axis == 0 ? position[n][a][b] : axis == 1 ? position[a][n][b] : position[a][b][n];
        along_axis(coefficients, line.data(), degree - a - b);
      }
    }
  }
}

/// Calls `function(row, y, z)` for the rows of a pencil.
template <class Function>
void for_each_row(Function function) {
  for (int row = 0; row < plane_points; ++row) {
    const int of_layer = row % products::layer_points;
    function(row, row / products::layer_points * products::layer_y + of_layer % products::layer_y,
             of_layer / products::layer_y);
  }
}

int blocks_of(int count, int size) {
  return (count + size - 1) / size;
}

}  // namespace

bool ProductField::worthwhile(const FieldProblem& problem) {
  const auto& [molecule, basis, coefficients, weights, lattice, points, screening] = problem;
  if (weights == nullptr || lattice == nullptr || !lattice->axis_aligned() || !(screening > 0)) return false;
  // Almost linearly dependent functions have large coefficients: large products then add up to a small density, and
  // their rounding with them. Squares do not have this.
  constexpr double largest_cancellation = 10;
  const double norms = coefficients.cwiseAbs2().colwise().sum().dot(weights->cwiseAbs().transpose());
  if (norms > largest_cancellation * weights->cwiseAbs().sum()) return false;
  // Measured: a product takes as long as this many points of a column.
  constexpr double points_of_a_column = 4000;
  const double work = static_cast<double>(lattice->point_count()) * static_cast<double>(coefficients.cols());
  return product_count(molecule, basis, work / points_of_a_column) < work / points_of_a_column;
}

ProductField::ProductField(const FieldProblem& problem, int threads, const jobs::Progress& progress)
    : axes_(axes_of(*problem.lattice)), never_negative_((problem.weights->array() >= 0).all()) {
  tiles_ = blocks_of(axes_[0].count, tile_x);
  pencils_y_ = blocks_of(axes_[1].count, block_y);
  pencils_z_ = blocks_of(axes_[2].count, block_z);
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  arena.execute([&] {
    auto all =
        gaussian_products(problem.molecule, problem.basis, problem.coefficients, *problem.weights, progress);
    choose_levels(all);
    place(std::move(all), problem.screening * tolerance_of_screening, progress);
    for (Level& level : levels_) {
      progress.check();
      list(level);
      if (level.kernel > 0) sum_coarse(level, progress);
    }
  });
}

/// Its kernel has twice the sharpest exponent that it takes.
ProductField::Level ProductField::make_level(int over, int under) const {
  Level level;
  level.over = over;
  level.under = under;
  const double factor = level.factor();
  level.tiles = tiles_;
  level.pencils_y = pencils_y_;
  level.pencils_z = pencils_z_;
  level.axes = axes_;
  if (over == under) return level;
  const double widest = factor * std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  level.kernel = 2 * largest_exponent(widest);
  const std::array<int, 3> points{tiles_ * tile_x, pencils_y_ * block_y, pencils_z_ * block_z};
  std::array<int, 3> counts;
  for (int axis = 0; axis < 3; ++axis) {
    const double step = factor * axes_[axis].step;
    const int reach = static_cast<int>(std::round(std::sqrt(convolution_digits / level.kernel) / step));
    products::Stencil& stencil = level.stencils[axis];
    stencil.over = over;
    stencil.under = under;
    stencil.taps = 2 * reach + 2;
    for (int phase = 0; phase < over; ++phase) {
      for (int tap = 0; tap < stencil.taps; ++tap) {
        const double x = (static_cast<double>(phase) / over + reach - tap) * step;
        stencil.weights.push_back(static_cast<float>(step * std::sqrt(level.kernel / std::numbers::pi) *
                                                     std::exp(-level.kernel * x * x)));
      }
    }
    counts[axis] = stencil.first_tap(points[axis] - 1) + stencil.taps;
    level.axes[axis] = {axes_[axis].origin - reach * step, step, counts[axis]};
  }
  level.tiles = blocks_of(counts[0], tile_x);
  level.pencils_y = blocks_of(counts[1], block_y);
  level.pencils_z = blocks_of(counts[2], block_z);
  return level;
}

/// The field's own lattice, and those coarser ones that save operations; from fine to coarse.
void ProductField::choose_levels(const GaussianProducts& all) {
  constexpr std::array factors{std::pair(3, 2), std::pair(2, 1), std::pair(3, 1), std::pair(4, 1),
                               std::pair(6, 1), std::pair(8, 1), std::pair(12, 1)};
  constexpr double digits = 20;  // of a typical product's extent, as ln
  constexpr std::size_t sampled = 2000, most = 3;
  const double widest = std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  const auto cost = [&](const GaussianProduct& product, const Level& level) {
    double exponent = product.exponent;
    if (level.kernel > 0) {
      if (exponent > largest_exponent(level.factor() * widest, product.degree))
        return std::numeric_limits<double>::infinity();
      exponent *= level.kernel / (level.kernel - exponent);
    }
    double operations = product.degree + 1;  // two for half of the points of the box, since it is a sphere
    for (int axis = 0; axis < 3; ++axis) {
      const double granularity = axis == 0 ? tile_x : block_y;
      operations *=
          std::min(2 * std::sqrt(digits / exponent) / level.axes[axis].step, 1.0 * level.axes[axis].count) +
          granularity;
    }
    return operations;
  };
  levels_.push_back(make_level(1, 1));
  const std::size_t stride = all.products.size() / sampled + 1;
  std::vector<double> best;
  for (std::size_t n = 0; n < all.products.size(); n += stride)
    best.push_back(cost(all.products[n], levels_.front()));
  std::vector<Level> candidates;
  for (const auto& [over, under] : factors) candidates.push_back(make_level(over, under));
  for (std::size_t chosen = 0; chosen < most; ++chosen) {
    double most_saved = 0;
    std::size_t which = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      double saved = -interpolation_operations(candidates[c]);
      for (std::size_t n = 0; n < best.size(); ++n) {
        saved += static_cast<double>(stride) *
                 std::max(0.0, best[n] - cost(all.products[n * stride], candidates[c]));
      }
      if (saved > most_saved) std::tie(most_saved, which) = std::pair(saved, c);
    }
    if (most_saved == 0) break;
    for (std::size_t n = 0; n < best.size(); ++n)
      best[n] = std::min(best[n], cost(all.products[n * stride], candidates[which]));
    levels_.push_back(std::move(candidates[which]));
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(which));
  }
  std::ranges::sort(levels_, {}, &Level::factor);
}

/// Divides the tolerance among the products so that it saves most operations, and gives each to a level.
void ProductField::place(GaussianProducts all, double tolerance, const jobs::Progress& progress) {
  const double widest = std::max({axes_[0].step, axes_[1].step, axes_[2].step});
  const auto level_of = [&](const GaussianProduct& product) {
    std::size_t level = 0;
    while (level + 1 < levels_.size() &&
           product.exponent <= largest_exponent(levels_[level + 1].factor() * widest, product.degree))
      ++level;
    return level;
  };
  const auto share_of = [&](const GaussianProduct& product, std::size_t level) {
    const double factor = levels_[level].factor();
    return (product.degree + 1) / (factor * factor * factor * product.exponent * std::sqrt(product.exponent));
  };
  double shares = 0;
  for (const auto& product : all.products) shares += share_of(product, level_of(product));
  std::vector<double> radii(all.products.size());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, radii.size(), 1024), [&](const auto& part) {
    progress.check();
    for (std::size_t n = part.begin(); n != part.end(); ++n) {
      const GaussianProduct& product = all.products[n];
      const std::size_t level = level_of(product);
      double* const own = all.coefficients.data() + product.first;
      double exponent = product.exponent;
      if (const double q = levels_[level].kernel; q > 0) {
        sharpen(own, product.degree, exponent, q);
        exponent *= q / (q - exponent);
      }
      radii[n] = Bound(own, product.degree, exponent).radius(tolerance * share_of(product, level) / shares);
    }
  });
  for (std::size_t n = 0; n < radii.size(); ++n) {
    if (radii[n] < 0) continue;
    const GaussianProduct& product = all.products[n];
    Level& level = levels_[level_of(product)];
    const double q = level.kernel;
    products::Product made;
    for (int axis = 0; axis < 3; ++axis) {
      const auto& [origin, step, count] = level.axes[axis];
      const double nearest = std::round((product.centre[axis] - origin) / step);
      made.nearest[axis] = static_cast<std::int32_t>(nearest);
      made.offset[axis] = static_cast<float>(origin + nearest * step - product.centre[axis]);
    }
    made.exponent =
        static_cast<float>(q > 0 ? product.exponent * q / (q - product.exponent) : product.exponent);
    made.radius = static_cast<float>(radii[n] * (1 + 1e-6));
    made.degree = product.degree;
    made.first = static_cast<std::uint32_t>(level.coefficients.size());
    level.products.push_back(made);
    const double* const own = all.coefficients.data() + product.first;
    level.coefficients.insert(level.coefficients.end(), own, own + polynomial_size(product.degree));
  }
}

namespace {

/// Calls `function(block, rest)` for each block of an axis that a sphere extends into, with the square of what is left of
/// its radius there.
template <class Function>
void for_each_block(const products::Product& product, int axis, double step, int size, int blocks,
                    double radius_squared, Function function) {
  const double radius = std::sqrt(radius_squared),
               place = product.nearest[axis] * step - product.offset[axis];
  const int first = std::max(0, static_cast<int>(std::ceil(((place - radius) / step - (size - 1)) / size)));
  const int last = static_cast<int>(std::min(blocks - 1.0, std::floor((place + radius) / step / size)));
  for (int block = first; block <= last; ++block) {
    const double low = step * block * size, high = low + step * (size - 1);
    const double distance = std::max({low - place, place - high, 0.0});
    if (const double rest = radius_squared - distance * distance; rest > 0) function(block, rest);
  }
}

}  // namespace

void ProductField::list(Level& level) {
  std::vector<std::uint32_t> pencils;  // of all products, one after the other
  std::vector<std::size_t> ends;
  level.starts.assign(static_cast<std::size_t>(level.pencils_y * level.pencils_z) + 1, 0);
  for (const auto& product : level.products) {
    const double squared = static_cast<double>(product.radius) * product.radius;
    for_each_block(
        product, 2, level.axes[2].step, block_z, level.pencils_z, squared, [&](int z, double disc) {
          for_each_block(product, 1, level.axes[1].step, block_y, level.pencils_y, disc, [&](int y, double) {
            const int pencil = z * level.pencils_y + y;
            pencils.push_back(static_cast<std::uint32_t>(pencil));
            ++level.starts[static_cast<std::size_t>(pencil) + 1];
          });
        });
    ends.push_back(pencils.size());
  }
  std::partial_sum(level.starts.begin(), level.starts.end(), level.starts.begin());
  level.chosen.resize(pencils.size());
  auto next = level.starts;
  std::size_t at = 0;
  for (std::uint32_t product = 0; product < ends.size(); ++product) {
    for (; at < ends[product]; ++at) level.chosen[next[pencils[at]]++] = product;
  }
}

/// Sets the sums of the scratch memory.
void ProductField::sum(const Level& level, int pencil, products::Scratch& scratch) {
  const std::size_t size = static_cast<std::size_t>(level.tiles) * tile_x * plane_points;
  if (scratch.sums.size() < size) scratch.sums = AlignedFloats(size);
  std::fill_n(scratch.sums.data(), size, 0.0F);
  const auto at = static_cast<std::size_t>(pencil);
  products::add_products(
      {level.products,
       level.coefficients.data(),
       std::span(level.chosen).subspan(level.starts[at], level.starts[at + 1] - level.starts[at]),
       {static_cast<float>(level.axes[0].step), static_cast<float>(level.axes[1].step),
        static_cast<float>(level.axes[2].step)},
       pencil % level.pencils_y * block_y,
       pencil / level.pencils_y * block_z,
       level.tiles},
      scratch);
}

void ProductField::sum_coarse(Level& level, const jobs::Progress& progress) {
  const std::size_t width = static_cast<std::size_t>(level.tiles) * tile_x,
                    height = static_cast<std::size_t>(level.pencils_y) * block_y;
  level.values = AlignedFloats(width * height * static_cast<std::size_t>(level.pencils_z) * block_z);
  tbb::enumerable_thread_specific<products::Scratch> scratches;
  handover::parallel_for(
      tbb::blocked_range<int>(0, level.pencils_y * level.pencils_z, 1), [&](const auto& part) {
        const separable::DenormalsAsZero denormals_as_zero;
        products::Scratch& scratch = scratches.local();
        for (int pencil = part.begin(); pencil != part.end(); ++pencil) {
          progress.check();
          sum(level, pencil, scratch);
          for_each_row([&](int row, int y, int z) {
            const auto at_y = static_cast<std::size_t>(pencil % level.pencils_y * block_y + y);
            const auto at_z = static_cast<std::size_t>(pencil / level.pencils_y * block_z + z);
            float* const to = level.values.data() + (at_z * height + at_y) * width;
            for (int tile = 0; tile < level.tiles; ++tile)
              std::copy_n(scratch.sums.data() + (tile * plane_points + row) * tile_x, tile_x,
                          to + tile * tile_x);
          });
        }
      });
  for (const auto& scratch : scratches) preparing_operations_ += scratch.operations;
}

double ProductField::interpolation_operations(const Level& level) const {
  const double points = static_cast<double>(tiles_) * tile_x * pencils_y_ * block_y * pencils_z_ * block_z;
  return 2.0 * points * level.stencils[0].taps * (1 + (1 + 1 / level.factor()) / level.factor());
}

void ProductField::density(int piece, float* field, products::Scratch& scratch,
                           const jobs::Progress& progress) const {
  const separable::DenormalsAsZero denormals_as_zero;
  const std::size_t size = static_cast<std::size_t>(tiles_) * tile_x * plane_points;
  if (scratch.interpolated.size() < size) scratch.interpolated = AlignedFloats(size);
  std::fill_n(scratch.interpolated.data(), size, 0.0F);
  for (const Level& level : std::span(levels_).subspan(1)) {
    progress.check();
    const std::size_t width = static_cast<std::size_t>(level.tiles) * tile_x;
    products::interpolate({&level.stencils, level.values.data(), width,
                           width * static_cast<std::size_t>(level.pencils_y) * block_y,
                           piece % pencils_y_ * block_y, piece / pencils_y_ * block_z, tiles_},
                          scratch);
  }
  progress.check();
  sum(levels_.front(), piece, scratch);
  finish(piece, scratch, field);
}

/// Stores the sums and what is interpolated in the field.
void ProductField::finish(int pencil, const products::Scratch& scratch, float* field) const {
  constexpr int points = products::layer_points;
  const int first_y = pencil % pencils_y_ * block_y, first_z = pencil / pencils_y_ * block_z;
  for (int tile = 0; tile < tiles_; ++tile) {
    const int first = tile * tile_x, count = std::min(tile_x, axes_[0].count - first);
    for_each_row([&](int row, int y, int z) {
      if (first_y + y >= axes_[1].count || first_z + z >= axes_[2].count) return;
      const float* sums =
          scratch.sums.data() + (static_cast<std::size_t>(tile) * plane_points + row) * tile_x;
      const float* interpolated =
          scratch.interpolated.data() +
          (static_cast<std::size_t>(row / points) * tiles_ * tile_x + first) * points + row % points;
      float* const to =
          field + (static_cast<std::size_t>(first_z + z) * axes_[1].count + first_y + y) * axes_[0].count +
          first;
      for (int x = 0; x < count; ++x) {
        const float value = sums[x] + interpolated[x * points];
        to[x] = never_negative_ ? std::max(value, 0.0F) : value;
      }
    });
  }
}

}  // namespace isolume::orbitals
