#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/multipoles/softening.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first.
#include <hwy/highway.h>

#include "core/multipoles/softening.h"
#include "core/multipoles/softening_index.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::multipoles::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Each lane is one source.
using SourceLanes = hn::CappedTag<double, 8>;
using SourceVector = hn::Vec<SourceLanes>;

/// Computes the derivatives by x, y and z of 1 / sqrt(r^2 + softening^2) - 1 / r, or of the first term alone
/// where `harmonic` is 0, for all kept orders. With f(n) the function after n times d / (r dr), those of f(n)
/// by x^(t + 1) are x (those of f(n + 1) by x^t) + t (by x^(t - 1)).
HWY_INLINE void SofteningDerivatives(const SofteningIndex& index, const SourceVector* at,
                                     SourceVector harmonic, double softening, SourceVector* of) {
  const SourceLanes d;
  const SourceVector one = hn::Set(d, 1.0);
  const SourceVector squared = hn::MulAdd(at[0], at[0], hn::MulAdd(at[1], at[1], hn::Mul(at[2], at[2])));
  const SourceVector soft = hn::Div(one, hn::Add(squared, hn::Set(d, softening * softening))),
                     hard = hn::Div(harmonic, squared);
  SourceVector radial[softening_degree + 1];
  SourceVector soft_power = hn::Sqrt(soft), hard_power = hn::Sqrt(hard);
  for (int n = 0; n <= softening_degree; ++n) {
    radial[n] = hn::Sub(soft_power, hard_power);
    const SourceVector factor = hn::Set(d, -(2.0 * n + 1));
    soft_power = hn::Mul(factor, hn::Mul(soft_power, soft));
    hard_power = hn::Mul(factor, hn::Mul(hard_power, hard));
  }
  // n decreases from the highest, in place: terms of one degree follow from lower terms of n + 1.
  for (int n = softening_degree; n >= 0; --n) {
    for (std::size_t i = SofteningIndex::terms_to(softening_degree - n); i-- > 1;) {
      const std::size_t axis = index.axis[i], lower = index.lower[i];
      SourceVector sum = hn::Mul(at[axis], of[lower]);
      if (const int power = index.powers[i][axis] - 1; power > 0) {
        sum = hn::MulAdd(hn::Set(d, static_cast<double>(power)), of[index.second_lower[i]], sum);
      }
      of[i] = sum;
    }
    of[0] = radial[n];
  }
}

void AddSofteningField(std::span<const SofteningSource> sources, double softening, double* field) {
  const SourceLanes d;
  const SofteningIndex& index = softening_index();
  const std::size_t width = hn::Lanes(d);
  SourceVector sums[softening_terms];
  for (auto& sum : sums) sum = hn::Zero(d);
  for (std::size_t first = 0; first < sources.size(); first += width) {
    HWY_ALIGN double ways[3][8], harmonic[8], moments[softening_terms * 8];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const bool any = first + lane < sources.size();
      const SofteningSource& source = sources[any ? first + lane : first];
      harmonic[lane] = source.alone ? 0 : 1;
      for (std::size_t axis = 0; axis < 3; ++axis) ways[axis][lane] = source.to[static_cast<int>(axis)];
      for (std::size_t i = 0; i < softening_terms; ++i) {
        moments[i * width + lane] = any ? source.moments[i] : 0;
      }
    }
    const SourceVector at[3] = {hn::Load(d, ways[0]), hn::Load(d, ways[1]), hn::Load(d, ways[2])};
    SourceVector derivatives[softening_terms];
    SofteningDerivatives(index, at, hn::Load(d, harmonic), softening, derivatives);
    for (std::size_t a = 0; a < softening_terms; ++a) {
      SourceVector even = sums[a], odd = hn::Zero(d);
      const auto& sum = index.sum[a];
      std::size_t b = 0;
      for (; b + 1 < index.partners[a]; b += 2) {
        even = hn::MulAdd(hn::Load(d, moments + b * width), derivatives[sum[b]], even);
        odd = hn::MulAdd(hn::Load(d, moments + (b + 1) * width), derivatives[sum[b + 1]], odd);
      }
      if (b < index.partners[a]) {
        even = hn::MulAdd(hn::Load(d, moments + b * width), derivatives[sum[b]], even);
      }
      sums[a] = hn::Add(even, odd);
    }
  }
  for (std::size_t a = 0; a < softening_terms; ++a) field[a] += hn::GetLane(hn::SumOfLanes(d, sums[a]));
}

}  // namespace isolume::multipoles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::multipoles {

const SofteningIndex& softening_index() {
  static const SofteningIndex index;
  return index;
}

namespace {

using Eigen::Vector3d;
using Terms = std::array<double, softening_terms>;

/// Computes by^a / a! for all terms a.
Terms powers_of(const SofteningIndex& index, const Vector3d& by) {
  Terms terms;
  terms[0] = 1;
  for (std::size_t i = 1; i < softening_terms; ++i) {
    const std::size_t axis = index.axis[i];
    terms[i] = terms[index.lower[i]] * by[static_cast<int>(axis)] / index.powers[i][axis];
  }
  return terms;
}

}  // namespace

HWY_EXPORT(AddSofteningField);

void softening_moments(const PointSpan& points, const Vector3d& centre, double* moments) {
  const SofteningIndex& index = softening_index();
  const PointTree& tree = points.tree;
  std::fill_n(moments, softening_terms, 0.0);
  for (std::uint32_t i = points.begin; i < points.begin + points.count; ++i) {
    const Terms terms = powers_of(index, centre - Vector3d(tree.x[i], tree.y[i], tree.z[i]));
    for (std::size_t b = 0; b < softening_terms; ++b) moments[b] += tree.charge[i] * terms[b];
  }
}

void add_softening_moments(const double* part, const Vector3d& to, double* moments) {
  const SofteningIndex& index = softening_index();
  const Terms shift = powers_of(index, to);
  for (std::size_t a = 0; a < softening_terms; ++a) {
    for (std::size_t b = 0; b < index.partners[a]; ++b) moments[index.sum[a][b]] += shift[a] * part[b];
  }
}

void add_softening_field(std::span<const SofteningSource> sources, double softening, double* field) {
  HWY_DYNAMIC_DISPATCH(AddSofteningField)(sources, softening, field);
}

void move_softening_field(const double* field, const Vector3d& by, double* moved) {
  const SofteningIndex& index = softening_index();
  const Terms shift = powers_of(index, by);
  for (std::size_t a = 0; a < softening_terms; ++a) {
    double sum = 0;
    for (std::size_t b = 0; b < index.partners[a]; ++b) sum += field[index.sum[a][b]] * shift[b];
    moved[a] = sum;
  }
}

void add_softening_at_points(const double* field, const Vector3d& centre, const PointSpan& points,
                             const FieldSums& sums) {
  const SofteningIndex& index = softening_index();
  // The first derivatives by x, y and z are terms 1, 2 and 3.
  std::array<Terms, 3> slopes;
  const std::size_t kept = index.partners[1];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t a = 0; a < kept; ++a) slopes[axis][a] = field[index.sum[axis + 1][a]];
  }
  for (std::uint32_t i = 0; i < points.count; ++i) {
    const std::uint32_t from = points.begin + i;
    const Terms terms =
        powers_of(index, Vector3d(points.tree.x[from], points.tree.y[from], points.tree.z[from]) - centre);
    double potential = 0, x = 0, y = 0, z = 0;
    for (std::size_t a = 0; a < softening_terms; ++a) potential += field[a] * terms[a];
    for (std::size_t a = 0; a < kept; ++a) {
      x += slopes[0][a] * terms[a];
      y += slopes[1][a] * terms[a];
      z += slopes[2][a] * terms[a];
    }
    sums.potential[i] += potential;
    sums.x[i] += x;
    sums.y[i] += y;
    sums.z[i] += z;
  }
}

}  // namespace isolume::multipoles
#endif
