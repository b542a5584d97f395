#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/poisson_boltzmann/stencil.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <cmath>
#include <cstdint>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/electrostatics/poisson_boltzmann/stencil.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<float, 16>;
using Narrow = hn::CappedTag<float, 4>;
using Single = hn::CappedTag<float, 1>;
using WideDouble = hn::CappedTag<double, 8>;
using SingleDouble = hn::CappedTag<double, 1>;

/// The points of one parity of a row: `own` is where they begin, and `left` where their left neighbours do.
struct Part {
  std::size_t own, left;
  int first, end;

  HWY_INLINE Part(const Extents& e, int j, int k, int parity_of_i) {
    const std::size_t row = e.row(j, k);
    const auto half = static_cast<std::size_t>(e.half());
    own = parity_of_i == 0 ? row : row + half;
    left = parity_of_i == 0 ? row + half - 1 : row;
    first = parity_of_i == 0 ? 1 : 0;
    end = parity_of_i == 0 ? e.nx / 2 : (e.nx - 1) / 2;
  }
};

/// Calls `body(tag, m)` so that all of [first, end) is covered by whole vectors, some of which overlap: for
/// idempotent work. Nothing beyond the range is read or written, as it may belong to another thread.
template <class WideTag, class SingleTag, class Body>
HWY_INLINE void CoverWith(int first, int end, const Body& body) {
  const WideTag wide;
  const int lanes = static_cast<int>(hn::Lanes(wide));
  if (end - first >= lanes) {
    int m = first;
    for (; m + lanes <= end; m += lanes) body(wide, m);
    if (m < end) body(wide, end - lanes);
    return;
  }
  for (int m = first; m < end; ++m) body(SingleTag(), m);
}

/// The sums of links times neighbours, and of links.
template <class D>
struct Neighbours {
  hn::Vec<D> sum, links;

  HWY_INLINE Neighbours(D d, const Level& level, const float* z, std::size_t own, std::size_t left) {
    const auto nx = static_cast<std::size_t>(level.extents.nx);
    const std::size_t plane = level.extents.plane();
    const float *gx = level.gx.data(), *gy = level.gy.data(), *gz = level.gz.data();
    const auto west = hn::LoadU(d, gx + left), east = hn::LoadU(d, gx + own);
    const auto south = hn::LoadU(d, gy + own - nx), north = hn::LoadU(d, gy + own);
    const auto below = hn::LoadU(d, gz + own - plane), above = hn::LoadU(d, gz + own);
    links = hn::Add(hn::Add(hn::Add(west, east), hn::Add(south, north)), hn::Add(below, above));
    if (z == nullptr) {
      sum = hn::Zero(d);
      return;
    }
    sum = hn::Mul(west, hn::LoadU(d, z + left));
    sum = hn::MulAdd(east, hn::LoadU(d, z + left + 1), sum);
    sum = hn::MulAdd(south, hn::LoadU(d, z + own - nx), sum);
    sum = hn::MulAdd(north, hn::LoadU(d, z + own + nx), sum);
    sum = hn::MulAdd(below, hn::LoadU(d, z + own - plane), sum);
    sum = hn::MulAdd(above, hn::LoadU(d, z + own + plane), sum);
  }
};

template <bool zero>
HWY_INLINE void RelaxRow(Level& level, int j, int k, int parity_of_i) {
  const Part part(level.extents, j, k, parity_of_i);
  float* z = level.z.data();
  const float *r = level.r.data(), *extra = level.d.data();
  CoverWith<Wide, Single>(part.first, part.end, [&](auto d, int m) HWY_ATTR {
    const std::size_t own = part.own + static_cast<std::size_t>(m);
    const Neighbours<decltype(d)> near(d, level, zero ? nullptr : z, own,
                                       part.left + static_cast<std::size_t>(m));
    const auto diagonal = hn::Add(near.links, hn::LoadU(d, extra + own));
    hn::StoreU(hn::Div(hn::Add(hn::LoadU(d, r + own), near.sum), diagonal), d, z + own);
  });
}

void RelaxPlane(Level& level, int k, int colour, bool neighbours_are_zero) {
  for (int j = 1; j < level.extents.ny - 1; ++j) {
    const int parity = (colour + j + k) & 1;
    if (neighbours_are_zero) {
      RelaxRow<true>(level, j, k, parity);
    } else {
      RelaxRow<false>(level, j, k, parity);
    }
  }
}

double ApplyPlane(const Level& level, const float* p, float* out, int k) {
  const float* extra = level.d.data();
  double sum = 0;
  for (int j = 1; j < level.extents.ny - 1; ++j) {
    for (const int parity : {0, 1}) {
      const Part part(level.extents, j, k, parity);
      CoverWith<Wide, Single>(part.first, part.end, [&](auto d, int m) HWY_ATTR {
        const std::size_t own = part.own + static_cast<std::size_t>(m);
        const Neighbours<decltype(d)> near(d, level, p, own, part.left + static_cast<std::size_t>(m));
        const auto diagonal = hn::Add(near.links, hn::LoadU(d, extra + own));
        hn::StoreU(hn::MulSub(diagonal, hn::LoadU(d, p + own), near.sum), d, out + own);
      });
      float products = 0;
      const std::size_t end = part.own + static_cast<std::size_t>(part.end);
      const Wide d;
      auto lanes = hn::Zero(d);
      std::size_t at = part.own + static_cast<std::size_t>(part.first);
      for (; at + hn::Lanes(d) <= end; at += hn::Lanes(d))
        lanes = hn::MulAdd(hn::LoadU(d, p + at), hn::LoadU(d, out + at), lanes);
      for (; at < end; ++at) products += p[at] * out[at];
      sum += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, lanes)) + products);
    }
  }
  return sum;
}

void ResidualRow(const Level& level, int j, int k, int colour, float* out) {
  const Part part(level.extents, j, k, (colour + j + k) & 1);
  const float *z = level.z.data(), *r = level.r.data(), *extra = level.d.data();
  CoverWith<Wide, Single>(part.first, part.end, [&](auto d, int m) HWY_ATTR {
    const std::size_t own = part.own + static_cast<std::size_t>(m);
    const Neighbours<decltype(d)> near(d, level, z, own, part.left + static_cast<std::size_t>(m));
    const auto diagonal = hn::Add(near.links, hn::LoadU(d, extra + own));
    const auto known = hn::Add(hn::LoadU(d, r + own), near.sum);
    hn::StoreU(hn::NegMulAdd(diagonal, hn::LoadU(d, z + own), known), d, out + m);
  });
}

/// clamped_sinh(u); losses below 1e-16 are irrelevant to a residual.
template <class D>
HWY_INLINE hn::Vec<D> ClampedSinh(D d, hn::Vec<D> u) {
  const auto magnitude = hn::Abs(u), most = hn::Set(d, most_potential_of_ions);
  const auto within = hn::Min(magnitude, most);
  const auto e = hn::Exp(d, within), inverse = hn::Div(hn::Set(d, 1.0), e);
  const auto half = hn::Set(d, 0.5);
  const auto sinh = hn::Mul(half, hn::Sub(e, inverse)), cosh = hn::Mul(half, hn::Add(e, inverse));
  return hn::CopySign(hn::MulAdd(cosh, hn::Sub(magnitude, within), sinh), u);
}

/// Links times the differences to the neighbours, in double precision.
template <class D>
HWY_INLINE hn::Vec<D> MinusApplied(D d, const Level& level, const double* u, double ion_strength,
                                   std::size_t own, std::size_t left) {
  const hn::Rebind<float, D> narrow;
  const auto nx = static_cast<std::size_t>(level.extents.nx);
  const std::size_t plane = level.extents.plane();
  const float *gx = level.gx.data(), *gy = level.gy.data(), *gz = level.gz.data();
  const auto here = hn::LoadU(d, u + own);
  const auto link = [&](const float* g) HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(narrow, g)); };
  const auto ahead = [&](const double* of) HWY_ATTR { return hn::Sub(hn::LoadU(d, of), here); };
  auto sum = hn::Mul(link(gx + left), ahead(u + left));
  sum = hn::MulAdd(link(gx + own), ahead(u + left + 1), sum);
  sum = hn::MulAdd(link(gy + own - nx), ahead(u + own - nx), sum);
  sum = hn::MulAdd(link(gy + own), ahead(u + own + nx), sum);
  sum = hn::MulAdd(link(gz + own - plane), ahead(u + own - plane), sum);
  sum = hn::MulAdd(link(gz + own), ahead(u + own + plane), sum);
  const auto extra = link(level.d.data() + own);
  if (!(ion_strength > 0)) return hn::NegMulAdd(extra, here, sum);
  const auto reached = hn::Gt(extra, hn::Zero(d));
  if (hn::AllFalse(d, reached)) return sum;
  return hn::Sub(sum, hn::IfThenElseZero(reached, hn::Mul(hn::Set(d, ion_strength), ClampedSinh(d, here))));
}

void MinusAppliedPlane(const Level& level, const double* u, double ion_strength, float* out, int k) {
  for (int j = 1; j < level.extents.ny - 1; ++j) {
    for (const int parity : {0, 1}) {
      const Part part(level.extents, j, k, parity);
      CoverWith<WideDouble, SingleDouble>(part.first, part.end, [&](auto d, int m) HWY_ATTR {
        const std::size_t own = part.own + static_cast<std::size_t>(m);
        const hn::Rebind<float, decltype(d)> narrow;
        const auto value =
            MinusApplied(d, level, u, ion_strength, own, part.left + static_cast<std::size_t>(m));
        hn::StoreU(hn::DemoteTo(narrow, value), narrow, out + own);
      });
    }
  }
}

double DotPlane(const Extents& e, const float* a, const float* b, int k) {
  // In double precision, since squares for huge charges overflow single precision.
  const WideDouble d;
  const hn::Rebind<float, WideDouble> narrow;
  const std::size_t lanes = hn::Lanes(d), nx = static_cast<std::size_t>(e.nx);
  double total = 0;
  for (int j = 1; j < e.ny - 1; ++j) {
    const float *x = a + e.row(j, k), *y = b + e.row(j, k);
    auto sums = hn::Zero(d);
    std::size_t i = 0;
    for (; i + lanes <= nx; i += lanes) {
      sums = hn::MulAdd(hn::PromoteTo(d, hn::LoadU(narrow, x + i)),
                        hn::PromoteTo(d, hn::LoadU(narrow, y + i)), sums);
    }
    total += hn::GetLane(hn::SumOfLanes(d, sums));
    for (; i < nx; ++i) total += static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
  return total;
}

void DirectionPlane(const Extents& e, const float* HWY_RESTRICT z, double beta, float* HWY_RESTRICT p,
                    int k) {
  const auto b = static_cast<float>(beta);
  const std::size_t first = e.row(0, k), end = first + e.plane();
  if (beta == 0) {
    for (std::size_t i = first; i < end; ++i) p[i] = z[i];
  } else {
    for (std::size_t i = first; i < end; ++i) p[i] = z[i] + b * p[i];
  }
}

double StepPlane(const Extents& e, double alpha, const float* HWY_RESTRICT p, const float* HWY_RESTRICT w,
                 double* HWY_RESTRICT u, float* HWY_RESTRICT r, int k) {
  const auto a = static_cast<float>(alpha);
  for (int j = 1; j < e.ny - 1; ++j) {
    const std::size_t first = e.row(j, k), end = first + static_cast<std::size_t>(e.nx);
    for (std::size_t i = first; i < end; ++i) u[i] += static_cast<double>(a) * static_cast<double>(p[i]);
    for (std::size_t i = first; i < end; ++i) r[i] -= a * w[i];
  }
  return DotPlane(e, r, r, k);
}

/// As CoverWith, for work that must be done only once.
template <class WideTag, class SingleTag, class Body>
HWY_INLINE void CoverOnce(std::size_t first, std::size_t end, const Body& body) {
  const WideTag wide;
  const std::size_t lanes = hn::Lanes(wide);
  std::size_t at = first;
  for (; at + lanes <= end; at += lanes) body(wide, at);
  for (; at < end; ++at) body(SingleTag(), at);
}

/// Calls it for the points of plane k in the interior.
template <class Body>
HWY_INLINE void InsidePlane(const Extents& e, int k, const Body& body) {
  for (int j = 1; j < e.ny - 1; ++j) {
    for (const int parity : {0, 1}) {
      const Part part(e, j, k, parity);
      CoverOnce<WideDouble, SingleDouble>(part.own + static_cast<std::size_t>(part.first),
                                          part.own + static_cast<std::size_t>(part.end), body);
    }
  }
}

/// Two single-precision numbers in the bits of a double.
template <class D>
struct Aside {
  hn::Vec<D> before, change;

  HWY_INLINE Aside(D d, hn::Vec<D> packed) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<std::uint32_t, D> words;
    const hn::Rebind<float, D> narrow;
    const auto both = hn::BitCast(bits, packed);
    before = hn::PromoteTo(d, hn::BitCast(narrow, hn::TruncateTo(words, both)));
    change = hn::PromoteTo(d, hn::BitCast(narrow, hn::TruncateTo(words, hn::ShiftRight<32>(both))));
  }
  static HWY_INLINE hn::Vec<D> Packed(D d, hn::Vec<D> before, hn::Vec<D> change) {
    const hn::RebindToUnsigned<D> bits;
    const hn::Rebind<std::uint32_t, D> words;
    const hn::Rebind<float, D> narrow;
    const auto low = hn::PromoteTo(bits, hn::BitCast(words, hn::DemoteTo(narrow, before)));
    const auto high = hn::PromoteTo(bits, hn::BitCast(words, hn::DemoteTo(narrow, change)));
    return hn::BitCast(d, hn::Or(low, hn::ShiftLeft<32>(high)));
  }
};

void SetAsidePlane(const Extents& e, double* u, int k) {
  InsidePlane(e, k, [&](auto d, std::size_t at) HWY_ATTR {
    hn::StoreU(Aside<decltype(d)>::Packed(d, hn::LoadU(d, u + at), hn::Zero(d)), d, u + at);
  });
}

double StepAsidePlane(const Extents& e, double alpha, const float* HWY_RESTRICT p,
                      const float* HWY_RESTRICT w, double* HWY_RESTRICT u, float* HWY_RESTRICT r, int k) {
  const auto a = static_cast<float>(alpha);
  InsidePlane(e, k, [&](auto d, std::size_t at) HWY_ATTR {
    const hn::Rebind<float, decltype(d)> narrow;
    const Aside<decltype(d)> is(d, hn::LoadU(d, u + at));
    const auto by = hn::PromoteTo(d, hn::LoadU(narrow, p + at));
    const auto change = hn::MulAdd(hn::Set(d, static_cast<double>(a)), by, is.change);
    hn::StoreU(Aside<decltype(d)>::Packed(d, is.before, change), d, u + at);
    const auto left = hn::NegMulAdd(hn::Set(narrow, a), hn::LoadU(narrow, w + at), hn::LoadU(narrow, r + at));
    hn::StoreU(left, narrow, r + at);
  });
  return DotPlane(e, r, r, k);
}

ChangeOfIons ChangeOfIonsPlane(const Level& level, const double* u, double ion_strength, double part, int k) {
  ChangeOfIons sums;
  const float* extra = level.d.data();
  InsidePlane(level.extents, k, [&](auto d, std::size_t at) HWY_ATTR {
    const auto ions = hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, decltype(d)>(), extra + at));
    const auto reached = hn::Gt(ions, hn::Zero(d));
    if (hn::AllFalse(d, reached)) return;
    const Aside<decltype(d)> is(d, hn::LoadU(d, u + at));
    const auto then = ClampedSinh(d, hn::MulAdd(hn::Set(d, part), is.change, is.before));
    sums.work +=
        ion_strength * hn::GetLane(hn::SumOfLanes(d, hn::IfThenElseZero(reached, hn::Mul(then, is.change))));
    sums.curvature += hn::GetLane(hn::SumOfLanes(d, hn::Mul(ions, hn::Mul(is.change, is.change))));
  });
  return sums;
}

void TakePartPlane(const Extents& e, double part, double* u, int k) {
  InsidePlane(e, k, [&](auto d, std::size_t at) HWY_ATTR {
    const Aside<decltype(d)> is(d, hn::LoadU(d, u + at));
    hn::StoreU(hn::MulAdd(hn::Set(d, part), is.change, is.before), d, u + at);
  });
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {

HWY_EXPORT(RelaxPlane);
HWY_EXPORT(ApplyPlane);
HWY_EXPORT(ResidualRow);
HWY_EXPORT(MinusAppliedPlane);
HWY_EXPORT(DotPlane);
HWY_EXPORT(DirectionPlane);
HWY_EXPORT(StepPlane);
HWY_EXPORT(SetAsidePlane);
HWY_EXPORT(StepAsidePlane);
HWY_EXPORT(ChangeOfIonsPlane);
HWY_EXPORT(TakePartPlane);

void relax_plane(Level& level, int k, int colour, bool neighbours_are_zero) {
  HWY_DYNAMIC_DISPATCH(RelaxPlane)(level, k, colour, neighbours_are_zero);
}
double apply_plane(const Level& level, const float* p, float* out, int k) {
  return HWY_DYNAMIC_DISPATCH(ApplyPlane)(level, p, out, k);
}
void residual_row(const Level& level, int j, int k, int colour, float* out) {
  HWY_DYNAMIC_DISPATCH(ResidualRow)(level, j, k, colour, out);
}
void minus_applied_plane(const Level& level, const double* u, double ion_strength, float* out, int k) {
  HWY_DYNAMIC_DISPATCH(MinusAppliedPlane)(level, u, ion_strength, out, k);
}
double dot_plane(const Extents& extents, const float* a, const float* b, int k) {
  return HWY_DYNAMIC_DISPATCH(DotPlane)(extents, a, b, k);
}
void direction_plane(const Extents& extents, const float* z, double beta, float* p, int k) {
  HWY_DYNAMIC_DISPATCH(DirectionPlane)(extents, z, beta, p, k);
}
double step_plane(const Extents& extents, double alpha, const float* p, const float* w, double* u, float* r,
                  int k) {
  return HWY_DYNAMIC_DISPATCH(StepPlane)(extents, alpha, p, w, u, r, k);
}

void set_aside_plane(const Extents& extents, double* u, int k) {
  HWY_DYNAMIC_DISPATCH(SetAsidePlane)(extents, u, k);
}
double step_aside_plane(const Extents& extents, double alpha, const float* p, const float* w, double* u,
                        float* r, int k) {
  return HWY_DYNAMIC_DISPATCH(StepAsidePlane)(extents, alpha, p, w, u, r, k);
}
ChangeOfIons change_of_ions_plane(const Level& level, const double* u, double ion_strength, double part,
                                  int k) {
  return HWY_DYNAMIC_DISPATCH(ChangeOfIonsPlane)(level, u, ion_strength, part, k);
}
void take_part_plane(const Extents& extents, double part, double* u, int k) {
  HWY_DYNAMIC_DISPATCH(TakePartPlane)(extents, part, u, k);
}

double clamped_sinh(double u) {
  const double within = std::fmin(std::abs(u), most_potential_of_ions);
  return std::copysign(std::sinh(within) + std::cosh(within) * (std::abs(u) - within), u);
}
double clamped_cosh(double u) {
  return std::cosh(std::fmin(std::abs(u), most_potential_of_ions));
}

void linearise_ions_plane(Level& level, const double* u, double ion_strength, int k) {
  float* d = level.d.data();
  const std::size_t first = level.extents.row(0, k), end = first + level.extents.plane();
  for (std::size_t i = first; i < end; ++i) {
    if (d[i] > 0) d[i] = static_cast<float>(ion_strength * clamped_cosh(u[i]));
  }
}

}  // namespace isolume::electrostatics
#endif
