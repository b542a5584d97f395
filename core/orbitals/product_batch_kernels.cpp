// Arrays of vectors do not exist for the scalable instruction sets.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/product_batch_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <cmath>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_batch_kernels.h"

#ifndef ISOLUME_CORE_ORBITALS_PRODUCT_BATCH_TABLES
#define ISOLUME_CORE_ORBITALS_PRODUCT_BATCH_TABLES
namespace isolume::orbitals::products {
namespace {

constexpr int most_group_degree = molecules::max_angular_momentum;
constexpr int most_degree = 2 * most_group_degree;

/// Powers of the rows of a group's polynomial, in the order of polynomial_row().
const std::vector<std::array<int, 3>>& powers_of_rows(int degree) {
  static const auto all = [] {
    std::array<std::vector<std::array<int, 3>>, most_group_degree + 1> made;
    for (int d = 0; d <= most_group_degree; ++d) {
      for (int i = 0; i <= d; ++i) {
        for (int n = 0; n <= d - i; ++n) {
          for (int k = 0; k <= n; ++k) made[static_cast<std::size_t>(d)].push_back({i, n - k, k});
        }
      }
    }
    return made;
  }();
  return all[static_cast<std::size_t>(degree)];
}

/// The coefficients of a product.
struct Monomials {
  explicit Monomials(int degree) {
    const auto own_power = [](int n) { return std::pow(static_cast<double>(n), n); };  // 0^0 = 1
    int at = 0;
    for (int i = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j) {
        for (int k = 0; k <= degree - i - j; ++k) {
          position[i][j][k] = at++;
          largest.push_back(std::sqrt(own_power(i) * own_power(j) * own_power(k) / own_power(i + j + k)));
        }
      }
    }
  }
  int position[most_degree + 1][most_degree + 1][most_degree + 1]{};
  std::vector<double> largest;  ///< max |x^i y^j z^k| / r^n, n = i + j + k
};
const Monomials& monomials_of(int degree) {
  static const auto all = [] {
    std::vector<Monomials> made;
    for (int d = 0; d <= most_degree; ++d) made.emplace_back(d);
    return made;
  }();
  return all[static_cast<std::size_t>(degree)];
}

}  // namespace
}  // namespace isolume::orbitals::products
#endif

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::products::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, product_lanes>;
using Vector = hn::Vec<Tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));

void MultiplyTransposed(const double* HWY_RESTRICT a, std::size_t functions_of_a,
                        const double* HWY_RESTRICT b, std::size_t functions_of_b, std::size_t columns,
                        double* HWY_RESTRICT result) {
  const Tag d;
  constexpr std::size_t rows = lanes, vectors = product_lanes / lanes;  // eight accumulators
  for (std::size_t f = 0; f < functions_of_a; f += rows) {
    for (std::size_t g = 0; g < functions_of_b; g += product_lanes) {
      Vector sums[rows][vectors];
#pragma GCC unroll 8
      for (std::size_t n = 0; n < rows; ++n) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v) sums[n][v] = hn::Zero(d);
      }
      for (std::size_t k = 0; k < columns; ++k) {
        Vector of_b[vectors];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          of_b[v] = hn::LoadU(d, b + k * functions_of_b + g + v * lanes);
#pragma GCC unroll 8
        for (std::size_t n = 0; n < rows; ++n) {
          const Vector of_a = hn::Set(d, a[k * functions_of_a + f + n]);
#pragma GCC unroll 8
          for (std::size_t v = 0; v < vectors; ++v) sums[n][v] = hn::MulAdd(of_a, of_b[v], sums[n][v]);
        }
      }
#pragma GCC unroll 8
      for (std::size_t n = 0; n < rows; ++n) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < vectors; ++v)
          hn::StoreU(sums[n][v], d, result + (f + n) * functions_of_b + g + v * lanes);
      }
    }
  }
}

/// Coefficients of (x + a)^i (x + b)^j, for one axis and all i and j.
class ShiftedPowers {
 public:
  HWY_INLINE void Fill(Vector a, int degree_a, Vector b, int degree_b) {
    const Tag d;
    values_[0][0][0] = hn::Set(d, 1);
    for (int i = 1; i <= degree_a; ++i) Multiply(values_[i - 1][0], i - 1, a, values_[i][0]);
    for (int i = 0; i <= degree_a; ++i) {
      for (int j = 1; j <= degree_b; ++j) Multiply(values_[i][j - 1], i + j - 1, b, values_[i][j]);
    }
  }
  HWY_INLINE const Vector* operator()(int i, int j) const { return values_[i][j]; }

 private:
  HWY_INLINE static void Multiply(const Vector* from, int degree, Vector shift, Vector* to) {
    to[degree + 1] = from[degree];
    for (int n = degree; n > 0; --n) to[n] = hn::MulAdd(shift, from[n], from[n - 1]);
    to[0] = hn::Mul(shift, from[0]);
  }
  Vector values_[most_group_degree + 1][most_group_degree + 1][most_degree + 1];
};

void MultiplyPairs(const PairBatch& pairs, ProductBatch& batch, double* coefficients) {
  const Tag d;
  const int degree_a = pairs.degree_a, degree_b = pairs.degree_b, degree = degree_a + degree_b;
  const auto& position = monomials_of(degree).position;
  const auto &powers_a = powers_of_rows(degree_a), &powers_b = powers_of_rows(degree_b);
  batch.degree = degree;
  batch.count = pairs.count;
  std::fill_n(coefficients, polynomial_size(degree) * product_lanes, 0.0);
  ShiftedPowers along[3];
  for (int lane = 0; lane < product_lanes; lane += lanes) {
    const Vector a = hn::LoadU(d, &pairs.a[lane]), b = hn::LoadU(d, &pairs.b[lane]);
    const Vector exponent = hn::Add(a, b), inverse = hn::Div(hn::Set(d, 1), exponent);
    Vector squared = hn::Zero(d);
    for (int axis = 0; axis < 3; ++axis) {
      const Vector place_a = hn::LoadU(d, &pairs.place_a[axis][lane]),
                   place_b = hn::LoadU(d, &pairs.place_b[axis][lane]), apart = hn::Sub(place_b, place_a);
      squared = hn::MulAdd(apart, apart, squared);
      const Vector from_a = hn::Mul(hn::Mul(b, inverse), apart);
      hn::StoreU(hn::Add(place_a, from_a), d, &batch.centre[axis][lane]);
      along[axis].Fill(from_a, degree_a, hn::Sub(from_a, apart), degree_b);
    }
    hn::StoreU(exponent, d, &batch.exponent[lane]);
    const Vector factor = hn::Mul(hn::LoadU(d, &pairs.factor[lane]),
                                  hn::Exp(d, hn::Neg(hn::Mul(hn::Mul(a, b), hn::Mul(inverse, squared)))));
    const Lanes* elements = pairs.elements.data();
    for (const auto& [i, j, k] : powers_a) {
      for (const auto& [p, q, r] : powers_b) {
        const Vector element = hn::Mul(factor, hn::LoadU(d, &(*elements++)[lane]));
        if (hn::AllTrue(d, hn::Eq(element, hn::Zero(d)))) continue;
        const Vector *by_x = along[0](i, p), *by_y = along[1](j, q), *by_z = along[2](k, r);
        for (int t = 0; t <= i + p; ++t) {
          const Vector at_x = hn::Mul(element, by_x[t]);
          for (int u = 0; u <= j + q; ++u) {
            const Vector at = hn::Mul(at_x, by_y[u]);
            double* to = coefficients + position[t][u][0] * product_lanes + lane;
            for (int v = 0; v <= k + r; ++v, to += product_lanes)
              hn::StoreU(hn::MulAdd(at, by_z[v], hn::LoadU(d, to)), d, to);
          }
        }
      }
    }
  }
}

void Sharpen(const Lanes& inverse_q, ProductBatch& batch, double* coefficients) {
  const Tag d;
  const int degree = batch.degree;
  const auto& position = monomials_of(degree).position;
  double choose[most_degree + 1][most_degree + 1]{};
  for (int n = 0; n <= degree; ++n) {
    choose[n][0] = 1;
    for (int k = 1; k <= n; ++k) choose[n][k] = choose[n - 1][k - 1] + choose[n - 1][k];
  }
  for (int lane = 0; lane < product_lanes; lane += lanes) {
    const Vector one = hn::Set(d, 1), inverse = hn::LoadU(d, &inverse_q[lane]),
                 exponent = hn::LoadU(d, &batch.exponent[lane]),
                 shrink = hn::NegMulAdd(exponent, inverse, one), widen = hn::Div(one, shrink),
                 variance = hn::Mul(hn::Mul(shrink, inverse), hn::Set(d, 0.5));  // of exp(-(q + r) u^2)
    hn::StoreU(hn::Mul(exponent, widen), d, &batch.exponent[lane]);
    // The coefficient of x^n is shrink^n sum_s C(n + s, s) <u^s> b_(n+s), times sqrt(shrink).
    Vector scales[most_degree + 1], moments[most_degree + 1];
    scales[0] = hn::Sqrt(widen);
    moments[0] = one;
    for (int n = 1; n <= degree; ++n) scales[n] = hn::Mul(scales[n - 1], widen);
    for (int s = 2; s <= degree; s += 2)
      moments[s] = hn::Mul(moments[s - 2], hn::Mul(variance, hn::Set(d, s - 1)));
    for (int axis = 0; axis < 3; ++axis) {
      for (int a = 0; a <= degree; ++a) {
        for (int b = 0; b <= degree - a; ++b) {
          const auto at = [&](int n) {
            const int of_line = axis == 0   ? position[n][a][b]
                                : axis == 1 ? position[a][n][b]
                                            : position[a][b][n];
            return coefficients + of_line * product_lanes + lane;
          };
          for (int n = degree - a - b; n >= 0; --n) {
            Vector sum = hn::Mul(hn::LoadU(d, at(n)), scales[n]);
            for (int s = 2; n + s <= degree - a - b; s += 2) {
              sum = hn::NegMulAdd(hn::Mul(hn::Set(d, choose[n + s][s]), moments[s]), hn::LoadU(d, at(n + s)),
                                  sum);
            }
            hn::StoreU(sum, d, at(n));
          }
        }
      }
    }
  }
}

void FindRadii(const ProductBatch& batch, const double* coefficients, const Lanes& tolerances, Lanes& radii) {
  const Tag d;
  const int degree = batch.degree;
  for (int lane = 0; lane < product_lanes; lane += lanes) {
    // sum_n bounds[n] r^n exp(-p r^2) is an upper bound at the distance r, in units of the tolerance.
    Vector bounds[most_degree + 1];
    std::fill_n(bounds, degree + 1, hn::Zero(d));
    const double *of_lane = coefficients + lane, *largest = monomials_of(degree).largest.data();
    for (int i = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j) {
        for (int n = i + j; n <= degree; ++n, of_lane += product_lanes)
          bounds[n] = hn::MulAdd(hn::Abs(hn::LoadU(d, of_lane)), hn::Set(d, *largest++), bounds[n]);
      }
    }
    const Vector inverse = hn::Div(hn::Set(d, 1), hn::LoadU(d, &tolerances[lane]));
    for (int n = 0; n <= degree; ++n) bounds[n] = hn::Mul(bounds[n], inverse);
    const auto without_gaussian = [&](Vector r) {
      Vector sum = bounds[degree];
      for (int n = degree - 1; n >= 0; --n) sum = hn::MulAdd(sum, r, bounds[n]);
      return sum;
    };
    // r -> sqrt(ln(sum_n b_n r^n) / p) has the radius as its fixed point. From above it decreases towards it, without
    // ever passing below. Beyond the last maximum, sqrt(n / 2p), all terms decrease.
    const Vector width = hn::Div(hn::Set(d, 1), hn::LoadU(d, &batch.exponent[lane]));
    const Vector last_maximum = hn::Sqrt(hn::Mul(width, hn::Set(d, 0.5 * degree)));
    Vector r = hn::Max(last_maximum, hn::Sqrt(width));
    const auto nowhere = hn::Le(without_gaussian(r), hn::Set(d, 1));  // and smaller nearer the centre
    const auto next_squared = [&](Vector at) {
      const Vector sum = hn::Max(without_gaussian(at), hn::Set(d, 1));
      return hn::Mul(hn::Log(d, sum), width);
    };
    r = hn::Mul(r, hn::Set(d, 4));
    Vector squared = next_squared(r);
    while (!hn::AllFalse(d, hn::Gt(squared, hn::Mul(r, r)))) {
      r = hn::Add(r, r);
      squared = next_squared(r);
    }
    for (int step = 0; step < 2; ++step) {
      r = hn::Max(last_maximum, hn::Sqrt(squared));
      squared = next_squared(r);
    }
    r = hn::Max(last_maximum, hn::Sqrt(squared));
    hn::StoreU(hn::IfThenElse(nowhere, hn::Set(d, -1), r), d, &radii[lane]);
  }
}

}  // namespace isolume::orbitals::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals::products {

HWY_EXPORT(MultiplyTransposed);
HWY_EXPORT(MultiplyPairs);
HWY_EXPORT(Sharpen);
HWY_EXPORT(FindRadii);

void multiply_transposed(const double* a, std::size_t functions_of_a, const double* b,
                         std::size_t functions_of_b, std::size_t columns, double* result) {
  HWY_DYNAMIC_DISPATCH(MultiplyTransposed)(a, functions_of_a, b, functions_of_b, columns, result);
}

void multiply_pairs(const PairBatch& pairs, ProductBatch& batch, double* coefficients) {
  HWY_DYNAMIC_DISPATCH(MultiplyPairs)(pairs, batch, coefficients);
}

void sharpen(const Lanes& inverse_q, ProductBatch& batch, double* coefficients) {
  HWY_DYNAMIC_DISPATCH(Sharpen)(inverse_q, batch, coefficients);
}

void find_radii(const ProductBatch& batch, const double* coefficients, const Lanes& tolerances,
                Lanes& radii) {
  HWY_DYNAMIC_DISPATCH(FindRadii)(batch, coefficients, tolerances, radii);
}

}  // namespace isolume::orbitals::products
#endif
