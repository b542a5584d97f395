#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/poisson_boltzmann/grid_transfer.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <vector>

#include <hwy/highway.h>

#include "core/electrostatics/poisson_boltzmann/grid_transfer.h"
#include "core/electrostatics/poisson_boltzmann/stencil.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

/// Converts a row in natural order to its layout in memory, and back.
HWY_INLINE void Split(const Extents& e, const float* HWY_RESTRICT in_order, float* HWY_RESTRICT row) {
  const int half = e.half();
  for (int m = 0; m < half; ++m) row[m] = in_order[2 * m];
  for (int m = 0; m < e.nx - half; ++m) row[half + m] = in_order[2 * m + 1];
}
HWY_INLINE void Join(const Extents& e, const float* HWY_RESTRICT row, float* HWY_RESTRICT in_order) {
  const int half = e.half();
  for (int m = 0; m < e.nx - half; ++m) {
    in_order[2 * m] = row[m];
    in_order[2 * m + 1] = row[half + m];
  }
  in_order[e.nx - 1] = row[half - 1];  // nx is odd
}

/// Restriction of a row in natural order: even fine points count once, odd ones by half for both neighbours.
HWY_INLINE void AddEven(const float* HWY_RESTRICT even, int coarse, float weight, float* HWY_RESTRICT sums) {
  for (int i = 1; i < coarse - 1; ++i) sums[i] += weight * even[i];
}
HWY_INLINE void AddOdd(const float* HWY_RESTRICT odd, int coarse, float weight, float* HWY_RESTRICT sums) {
  const float half = 0.5f * weight;
  for (int i = 1; i < coarse - 1; ++i) sums[i] += half * (odd[i - 1] + odd[i]);
}

/// Restricts one fine plane, by coarse rows in natural order.
void RestrictPlane(const Level& fine, Points points, int k, const Extents& coarse,
                   std::vector<float>& residuals, std::vector<float>& plane) {
  const Extents& e = fine.extents;
  std::fill(plane.begin(), plane.end(), 0.0f);
  std::vector<float> sums(static_cast<std::size_t>(coarse.nx));
  for (int j = 1; j < e.ny - 1; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    if (points == Points::all) {
      const float* row = fine.r.data() + e.row(j, k);
      AddEven(row, coarse.nx, 1, sums.data());
      AddOdd(row + e.half(), coarse.nx, 1, sums.data());
    } else {
      const int colour = points == Points::even ? 0 : 1;
      residual_row(fine, j, k, colour, residuals.data());
      if (((colour + j + k) & 1) == 0) {
        AddEven(residuals.data(), coarse.nx, 1, sums.data());
      } else {
        AddOdd(residuals.data(), coarse.nx, 1, sums.data());
      }
    }
    const auto add = [&](int to, float weight) HWY_ATTR {
      float* HWY_RESTRICT row = plane.data() + static_cast<std::size_t>(coarse.nx) * to;
      for (int i = 0; i < coarse.nx; ++i) row[i] += weight * sums[static_cast<std::size_t>(i)];
    };
    if (j % 2 == 0) {
      add(j / 2, 1);
    } else {
      add(j / 2, 0.5f);
      add(j / 2 + 1, 0.5f);
    }
  }
}

void RestrictPlanes(const Level& fine, Points points, int first, int end, Level& coarse) {
  const Extents& e = coarse.extents;
  std::vector<float> residuals(static_cast<std::size_t>(fine.extents.half()));
  std::vector<float> plane(e.plane()), sums(e.plane()), next(e.plane());
  RestrictPlane(fine, points, 2 * first - 1, e, residuals, next);
  for (int k = first; k < end; ++k) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 0.5f * next[i];
    RestrictPlane(fine, points, 2 * k, e, residuals, plane);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += plane[i];
    RestrictPlane(fine, points, 2 * k + 1, e, residuals, next);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += 0.5f * next[i];
    for (int j = 1; j < e.ny - 1; ++j)
      Split(e, sums.data() + static_cast<std::size_t>(e.nx) * j, coarse.r.data() + e.row(j, k));
  }
}

void ProlongPlane(const Level& coarse, Points points, bool add, int k, Level& fine) {
  const Extents &c = coarse.extents, &e = fine.extents;
  std::vector<float> mean(static_cast<std::size_t>(c.nx)), in_order(static_cast<std::size_t>(c.nx));
  for (int j = 1; j < e.ny - 1; ++j) {
    const float* HWY_RESTRICT z = coarse.z.data();
    // For one, two or four coarse rows.
    const std::size_t up = j % 2 == 0 ? 0 : static_cast<std::size_t>(c.nx),
                      above = k % 2 == 0 ? 0 : c.plane();
    const float *a = z + c.row(j / 2, k / 2), *b = a + up, *s = a + above, *t = b + above;
    for (int i = 0; i < c.nx; ++i)
      mean[static_cast<std::size_t>(i)] = 0.25f * ((a[i] + b[i]) + (s[i] + t[i]));
    Join(c, mean.data(), in_order.data());
    const float* HWY_RESTRICT w = in_order.data();
    float* HWY_RESTRICT even = fine.z.data() + e.row(j, k);
    float* HWY_RESTRICT odd = even + e.half();
    const float keep = add ? 1.0f : 0.0f;
    const int parity = points == Points::all ? -1 : ((points == Points::even ? 0 : 1) + j + k) & 1;
    if (parity != 1) {
      for (int m = 1; m < c.nx - 1; ++m) even[m] = keep * even[m] + w[m];
    }
    if (parity != 0) {
      for (int m = 0; m < c.nx - 1; ++m) odd[m] = keep * odd[m] + 0.5f * (w[m] + w[m + 1]);
    }
  }
}

/// sums += weight times the harmonic mean of a and b. Both are conductances of two intervals, so it is that of one.
HWY_INLINE void AddHarmonic(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int count, float weight,
                            float* HWY_RESTRICT sums) {
  for (int i = 0; i < count; ++i) sums[i] += weight * a[i] * b[i] / (a[i] + b[i]);
}

/// Weight of a fine row next to the coarse one.
HWY_INLINE float Across(int offset) {
  return offset == 0 ? 0.5f : 0.25f;
}

// A coarse link has four times the cross-section and twice the length of a fine one. Two fine ones in series conduct
// a b / (a + b), and four times the weighted mean across of that is the conductance of nine of them in parallel.
constexpr float parallel_links = 4;

void LinksAlongX(const Level& fine, int j, int k, float* sums) {
  const Extents& e = fine.extents;
  for (int dk = -1; dk <= 1; ++dk) {
    for (int dj = -1; dj <= 1; ++dj) {
      const float* row = fine.gx.data() + e.row(2 * j + dj, 2 * k + dk);
      AddHarmonic(row, row + e.half(), e.nx / 2, parallel_links * Across(dj) * Across(dk), sums);
    }
  }
}

/// Along y (or z): `next` is the stride from a row to the next one along the axis, `side` the stride across.
void LinksAlong(const float* g, std::size_t at, std::size_t next, std::size_t side, const Extents& e,
                int coarse, float* harmonic, float* sums) {
  for (int d = -1; d <= 1; ++d) {
    const float* a = g + at + static_cast<std::size_t>(d + 1) * side - side;
    const float* b = a + next;
    std::fill(harmonic, harmonic + e.nx, 0.0f);
    AddHarmonic(a, b, e.nx, parallel_links * Across(d), harmonic);
    AddEven(harmonic, coarse, 0.5f, sums);
    AddOdd(harmonic + e.half(), coarse, 0.5f, sums);
  }
}

void CoarsenIonsPlane(const Level& fine, int k, Level& coarse) {
  const Extents &e = fine.extents, &c = coarse.extents;
  std::vector<float> sums(static_cast<std::size_t>(c.nx));
  for (int j = 0; j < c.ny; ++j) {
    std::fill(sums.begin(), sums.end(), 0.0f);
    if (j > 0 && k > 0 && j < c.ny - 1 && k < c.nz - 1) {
      for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
          const float* row = fine.d.data() + e.row(2 * j + dj, 2 * k + dk);
          const float weight = 4 * Across(dj) * Across(dk);
          AddEven(row, c.nx, weight, sums.data());
          AddOdd(row + e.half(), c.nx, weight, sums.data());
        }
      }
    }
    Split(c, sums.data(), coarse.d.data() + c.row(j, k));
  }
}

void CoarsenPlane(const Level& fine, int k, Level& coarse) {
  const Extents &e = fine.extents, &c = coarse.extents;
  const auto nx = static_cast<std::size_t>(e.nx);
  std::vector<float> sums(static_cast<std::size_t>(c.nx)), harmonic(nx);
  const bool inside_k = k > 0 && k < c.nz - 1;
  for (int j = 0; j < c.ny; ++j) {
    const bool inside_j = j > 0 && j < c.ny - 1;
    const std::size_t to = c.row(j, k), from = e.row(2 * j, 2 * k);
    const auto put = [&](FieldValues& g, auto compute) HWY_ATTR {
      std::fill(sums.begin(), sums.end(), 0.0f);
      compute();
      Split(c, sums.data(), g.data() + to);
    };
    put(coarse.gx, [&] {
      if (inside_j && inside_k) LinksAlongX(fine, j, k, sums.data());
    });
    put(coarse.gy, [&] {
      if (j < c.ny - 1 && inside_k)
        LinksAlong(fine.gy.data(), from, nx, e.plane(), e, c.nx, harmonic.data(), sums.data());
    });
    put(coarse.gz, [&] {
      if (inside_j && k < c.nz - 1)
        LinksAlong(fine.gz.data(), from, e.plane(), nx, e, c.nx, harmonic.data(), sums.data());
    });
  }
  CoarsenIonsPlane(fine, k, coarse);
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {

HWY_EXPORT(RestrictPlanes);
HWY_EXPORT(ProlongPlane);
HWY_EXPORT(CoarsenPlane);
HWY_EXPORT(CoarsenIonsPlane);

void restrict_planes(const Level& fine, Points points, int first, int end, Level& coarse) {
  HWY_DYNAMIC_DISPATCH(RestrictPlanes)(fine, points, first, end, coarse);
}
void prolong_plane(const Level& coarse, Points points, bool add, int k, Level& fine) {
  HWY_DYNAMIC_DISPATCH(ProlongPlane)(coarse, points, add, k, fine);
}
void coarsen_plane(const Level& fine, int k, Level& coarse) {
  HWY_DYNAMIC_DISPATCH(CoarsenPlane)(fine, k, coarse);
}
void coarsen_ions_plane(const Level& fine, int k, Level& coarse) {
  HWY_DYNAMIC_DISPATCH(CoarsenIonsPlane)(fine, k, coarse);
}

}  // namespace isolume::electrostatics
#endif
