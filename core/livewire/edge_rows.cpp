// Rows are padded for vectors of a fixed length; the scalable instruction sets have none.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/livewire/edge_rows.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <numbers>

#include <hwy/highway.h>

#include "core/livewire/cost_grid.h"
#include "core/livewire/edge_rows.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::livewire::rows::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Vector = hn::Vec<Floats>;

HWY_INLINE int Lanes() {
  return static_cast<int>(hn::Lanes(Floats()));
}
/// Not hn::MulAdd, which rounds only once where the processor supports it.
HWY_INLINE Vector AddProduct(Vector sum, Vector a, Vector b) {
  return hn::Add(sum, hn::Mul(a, b));
}
HWY_INLINE Vector Constant(float value) {
  return hn::Set(Floats(), value);
}

void FilterDown(const Kernels& kernels, const float* const* image, int width, Filtered to) {
  const Floats d;
  const int radius = kernels.radius();
  for (int x = 0; x < width; x += Lanes()) {
    const auto middle = hn::LoadU(d, image[radius] + x);
    auto smooth = hn::Mul(Constant(kernels.smooth[0]), middle),
         curvature = hn::Mul(Constant(kernels.curvature[0]), middle), slope = hn::Zero(d);
    for (int k = 1; k <= radius; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto above = hn::LoadU(d, image[radius - k] + x), below = hn::LoadU(d, image[radius + k] + x);
      const auto sum = hn::Add(above, below);
      smooth = AddProduct(smooth, Constant(kernels.smooth[at]), sum);
      curvature = AddProduct(curvature, Constant(kernels.curvature[at]), sum);
      slope = AddProduct(slope, Constant(kernels.slope[at]), hn::Sub(below, above));
    }
    hn::StoreU(smooth, d, to.smooth + x);
    hn::StoreU(slope, d, to.slope + x);
    hn::StoreU(curvature, d, to.curvature + x);
  }
}

void FilterAlong(const Kernels& kernels, Filtered from, int width, float* slope_x, float* slope_y,
                 float* laplacian) {
  const Floats d;
  for (int x = 0; x < width; x += Lanes()) {
    auto along_x = hn::Zero(d), along_y = hn::Mul(Constant(kernels.smooth[0]), hn::LoadU(d, from.slope + x));
    auto both = AddProduct(hn::Mul(Constant(kernels.curvature[0]), hn::LoadU(d, from.smooth + x)),
                           Constant(kernels.smooth[0]), hn::LoadU(d, from.curvature + x));
    for (int k = 1; k <= kernels.radius(); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto smooth = Constant(kernels.smooth[at]), curvature = Constant(kernels.curvature[at]);
      const auto left = hn::LoadU(d, from.smooth + x - k), right = hn::LoadU(d, from.smooth + x + k);
      along_x = AddProduct(along_x, Constant(kernels.slope[at]), hn::Sub(right, left));
      along_y = AddProduct(along_y, smooth,
                           hn::Add(hn::LoadU(d, from.slope + x - k), hn::LoadU(d, from.slope + x + k)));
      both = AddProduct(both, curvature, hn::Add(left, right));
      both = AddProduct(both, smooth,
                        hn::Add(hn::LoadU(d, from.curvature + x - k), hn::LoadU(d, from.curvature + x + k)));
    }
    hn::StoreU(along_x, d, slope_x + x);
    hn::StoreU(along_y, d, slope_y + x);
    hn::StoreU(both, d, laplacian + x);
  }
}

void Magnitudes(const float* x, const float* y, int width, float* to) {
  const Floats d;
  for (int i = 0; i < width; i += Lanes()) {
    const auto along_x = hn::LoadU(d, x + i), along_y = hn::LoadU(d, y + i);
    hn::StoreU(hn::Sqrt(AddProduct(hn::Mul(along_x, along_x), along_y, along_y)), d, to + i);
  }
}

/// Whether the Laplacian changes sign between two pixels and is closer to 0 at the first.
HWY_INLINE hn::Mask<Floats> Crosses(Vector here, Vector there, Vector least_change) {
  const auto opposite = hn::Le(hn::Mul(here, there), hn::Zero(Floats()));
  const auto nearer = hn::Le(hn::Abs(here), hn::Abs(there));
  return hn::And(hn::And(opposite, nearer), hn::Ge(hn::Abs(hn::Sub(here, there)), least_change));
}

void PixelCostsOf(const PixelCosts& costs, const float* gradient, const float* scale,
                  std::array<const float*, 3> laplacian, int width, float* to) {
  const Floats d;
  const auto one = Constant(1), least_change = Constant(costs.least_change),
             full = Constant(costs.full_gradient), by_full = Constant(1 / costs.full_gradient);
  for (int x = 0; x < width; x += Lanes()) {
    const auto strength = hn::LoadU(d, gradient + x);
    const auto weak = hn::Sub(one, hn::Min(one, hn::Div(strength, hn::LoadU(d, scale + x))));
    auto cost = hn::Mul(Constant(costs.gradient_weight), weak);
    if (costs.zero_crossing_weight > 0) {
      const auto here = hn::LoadU(d, laplacian[1] + x);
      auto crosses = hn::Or(Crosses(here, hn::LoadU(d, laplacian[1] + x + 1), least_change),
                            Crosses(here, hn::LoadU(d, laplacian[1] + x - 1), least_change));
      crosses = hn::Or(crosses, Crosses(here, hn::LoadU(d, laplacian[0] + x), least_change));
      crosses = hn::Or(crosses, Crosses(here, hn::LoadU(d, laplacian[2] + x), least_change));
      crosses = hn::And(crosses, hn::Gt(strength, hn::Zero(d)));
      const auto partly =
          hn::IfThenElseZero(hn::Lt(strength, full), hn::Sub(one, hn::Mul(strength, by_full)));
      cost = AddProduct(cost, Constant(costs.zero_crossing_weight), hn::IfThenElse(crosses, partly, one));
    }
    hn::StoreU(cost, d, to + x);
  }
}

/// The arc tangent of 0 to 1 within 2e-8: Abramowitz and Stegun, Handbook of Mathematical Functions (1964),
/// 4.4.49.
HWY_INLINE Vector ArcTangent(Vector ratio) {
  const auto square = hn::Mul(ratio, ratio);
  auto sum = Constant(0.0028662257F);
  for (const float term : {-0.0161657367F, 0.0429096138F, -0.0752896400F, 0.1065626393F, -0.1420889944F,
                           0.1999355085F, -0.3333314528F, 1.0F}) {
    sum = AddProduct(Constant(term), sum, square);
  }
  return hn::Mul(sum, ratio);
}

void TurnsOf(const Turns& turns, const float* gradient_x, const float* gradient_y, int width,
             float* const* to) {
  const Floats d;
  const auto pi = Constant(std::numbers::pi_v<float>), half_pi = Constant(std::numbers::pi_v<float> / 2),
             zero = hn::Zero(d);
  for (int x = 0; x < width; x += Lanes()) {
    // The edge's direction is (along_y, -along_x).
    const auto along_x = hn::Mul(hn::LoadU(d, gradient_x + x), Constant(turns.height_by_width)),
               along_y = hn::LoadU(d, gradient_y + x);
    const auto size_x = hn::Abs(along_x), size_y = hn::Abs(along_y);
    const auto greater = hn::Max(size_x, size_y), lesser = hn::Min(size_x, size_y);
    const auto none = hn::Eq(greater, zero);
    auto angle = ArcTangent(hn::Div(lesser, hn::IfThenElse(none, Constant(1), greater)));
    angle = hn::IfThenElse(hn::Gt(size_x, size_y), hn::Sub(half_pi, angle), angle);
    angle = hn::IfThenElse(hn::Lt(along_y, zero), hn::Sub(pi, angle), angle);
    angle = hn::IfThenElse(hn::Gt(along_x, zero), hn::Neg(angle), angle);
    for (std::size_t axis = 0; axis < turns.axes.size(); ++axis) {
      const auto apart = hn::Abs(hn::Sub(angle, Constant(turns.axes[axis])));
      const auto turn = hn::Sub(half_pi, hn::Abs(hn::Sub(apart, pi)));
      const auto weighted = hn::Mul(Constant(turns.weight), turn);
      hn::StoreU(hn::IfThenElse(none, zero, weighted), d, to[axis] + x);
    }
  }
}

constexpr std::size_t axis_of(int direction) {
  return static_cast<std::size_t>(direction < 4 ? direction % 2 : 2 + direction % 2);
}

/// The arcs of a direction: 2 / (3 pi) (acos(d_p) + acos(d_q)), with the step oriented along the edge at p, plus the
/// pixel cost. `start` is p's part of it; `flip` has the sign bit where the step goes against the edge.
template <int direction>
HWY_INLINE hn::Vec<Words> Arc(const Arcs& arcs, int x, Vector start, Vector flip) {
  const Floats d;
  const Words u;
  constexpr Pixel step = steps[direction];
  constexpr std::size_t axis = axis_of(direction), row = 1 + step.y;
  const auto there = hn::Xor(hn::LoadU(d, arcs.turns[axis][row] + x + step.x), flip);
  auto cost = hn::Add(hn::Add(start, there), hn::LoadU(d, arcs.pixel_costs[row] + x + step.x));
  if (arcs.more[direction] != nullptr) cost = hn::Add(cost, hn::LoadU(d, arcs.more[direction] + x));
  cost = hn::Min(hn::Max(cost, Constant(1)), Constant(greatest_node_cost));
  // For floats from 2^23 up, the lowest bits are an integer.
  constexpr float whole_numbers = 1 << 23;
  const auto bits = hn::BitCast(u, hn::Add(cost, Constant(whole_numbers)));
  const auto whole = hn::Sub(bits, hn::BitCast(u, Constant(whole_numbers)));
  const std::uint32_t length = arcs.length[direction];
  if (length == 128) return whole;
  const auto scaled = hn::ShiftRight<7>(hn::Add(hn::Mul(whole, hn::Set(u, length)), hn::Set(u, 64)));
  return hn::Min(scaled, hn::Set(u, 0xffff));  // for pixels more than 45 times as long as wide
}

/// For opposite directions.
template <int there, int back>
HWY_INLINE void ArcsOfAxis(const Arcs& arcs, int x, Vector across, hn::Vec<Words>* costs) {
  const Floats d;
  const auto here = hn::LoadU(d, arcs.turns[axis_of(there)][1] + x), sign = Constant(-0.0F);
  const auto start = hn::Sub(across, hn::Abs(here));
  costs[there] = Arc<there>(arcs, x, start, hn::IfThenElseZero(hn::Gt(here, hn::Zero(d)), sign));
  costs[back] = Arc<back>(arcs, x, start, hn::IfThenElseZero(hn::Ge(here, hn::Zero(d)), sign));
}

template <int directions>
void ArcCostsAs(const Arcs& arcs, std::uint32_t* to, Bounds& bounds) {
  const Words u;
  const auto across = Constant(arcs.turn_weight * std::numbers::pi_v<float>);
  auto least = hn::Set(u, bounds.least), greatest = hn::Set(u, bounds.greatest);
  for (int x = 0; x < arcs.width; x += Lanes()) {
    hn::Vec<Words> cost[directions];
    ArcsOfAxis<0, 2>(arcs, x, across, cost);
    ArcsOfAxis<1, 3>(arcs, x, across, cost);
    if constexpr (directions == 8) {
      ArcsOfAxis<4, 6>(arcs, x, across, cost);
      ArcsOfAxis<5, 7>(arcs, x, across, cost);
    }
    hn::Vec<Words> pair[directions / 2];
#pragma GCC unroll 4
    for (std::size_t i = 0; i < directions / 2; ++i)
      pair[i] = hn::Or(cost[2 * i], hn::ShiftLeft<16>(cost[2 * i + 1]));
    std::uint32_t* words = to + x * (directions / 2);
    if constexpr (directions == 8) {
      hn::StoreInterleaved4(pair[0], pair[1], pair[2], pair[3], u, words);
    } else {
      hn::StoreInterleaved2(pair[0], pair[1], u, words);
    }
    if (x + Lanes() > arcs.width) {  // the last lanes are beyond the row
      for (; words < to + arcs.width * (directions / 2); ++words) {
        bounds.least = std::min({bounds.least, *words & 0xffff, *words >> 16});
        bounds.greatest = std::max({bounds.greatest, *words & 0xffff, *words >> 16});
      }
      break;
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < directions; ++i) {
      least = hn::Min(least, cost[i]);
      greatest = hn::Max(greatest, cost[i]);
    }
  }
  bounds.least = std::min(bounds.least, hn::GetLane(hn::MinOfLanes(u, least)));
  bounds.greatest = std::max(bounds.greatest, hn::GetLane(hn::MaxOfLanes(u, greatest)));
}

void ArcCosts(const Arcs& arcs, std::uint32_t* to, Bounds& bounds) {
  arcs.directions == 8 ? ArcCostsAs<8>(arcs, to, bounds) : ArcCostsAs<4>(arcs, to, bounds);
}

}  // namespace isolume::livewire::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::livewire::rows {

HWY_EXPORT(FilterDown);
HWY_EXPORT(FilterAlong);
HWY_EXPORT(Magnitudes);
HWY_EXPORT(PixelCostsOf);
HWY_EXPORT(TurnsOf);
HWY_EXPORT(ArcCosts);

void filter_down(const Kernels& kernels, const float* const* image, int width, Filtered to) {
  HWY_DYNAMIC_DISPATCH(FilterDown)(kernels, image, width, to);
}
void filter_along(const Kernels& kernels, Filtered from, int width, float* slope_x, float* slope_y,
                  float* laplacian) {
  HWY_DYNAMIC_DISPATCH(FilterAlong)(kernels, from, width, slope_x, slope_y, laplacian);
}
void magnitudes(const float* x, const float* y, int width, float* to) {
  HWY_DYNAMIC_DISPATCH(Magnitudes)(x, y, width, to);
}
void pixel_costs(const PixelCosts& costs, const float* gradient, const float* scale,
                 std::array<const float*, 3> laplacian, int width, float* to) {
  HWY_DYNAMIC_DISPATCH(PixelCostsOf)(costs, gradient, scale, laplacian, width, to);
}
void turns(const Turns& turns, const float* gradient_x, const float* gradient_y, int width,
           float* const* to) {
  HWY_DYNAMIC_DISPATCH(TurnsOf)(turns, gradient_x, gradient_y, width, to);
}
void arc_costs(const Arcs& arcs, std::uint32_t* to, Bounds& bounds) {
  HWY_DYNAMIC_DISPATCH(ArcCosts)(arcs, to, bounds);
}

}  // namespace isolume::livewire::rows
#endif
