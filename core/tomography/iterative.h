#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "core/jobs/progress.h"
#include "core/tomography/projector.h"

namespace isolume::tomography {

enum class IterativeMethod { os_sirt, cgls };

struct IterativeParameters {
  IterativeMethod method = IterativeMethod::os_sirt;
  int iterations = 10;
  int subsets = 10;         ///< of the views, for OS-SIRT: 1 is SIRT, as many as views is SART
  double relaxation = 1;    ///< of OS-SIRT, in (0, 2)
  bool is_positive = true;  ///< OS-SIRT sets attenuation below 0 to 0

  bool operator==(const IterativeParameters&) const = default;
};

/// An iterate. `residual`: norm of projections - A volume, divided by that of the projections. OS-SIRT measures it for
/// each subset before its step, CGLS after the iteration.
struct Iterate {
  int iteration = 0;
  double residual = 1;
  const ColumnVolume& volume;
};

/// Solves A volume = projections in the sense of least squares, from 0 on. OS-SIRT: W. Xu and K. Mueller, GPU
/// Computing Gems Emerald, 2011, chapter 43: x += relaxation C A'(R (p - A x)) for each subset of views, where R and C
/// are the inverses of A's sums of rows and columns. CGLS: conjugate gradients on the normal equations (Å. Björck,
/// Numerical Methods for Least Squares Problems, 1996, section 7.4). `show` is called after each iteration. Throws
/// Error as Projector, and ResourceError.
ColumnVolume reconstruct_iteratively(const Projections& projections, const grid::Grid& grid,
                                     const IterativeParameters& parameters,
                                     const std::function<void(const Iterate&)>& show = {},
                                     const jobs::Progress& progress = {});

/// Views of each subset: those of one lie as far apart as possible, and so do subsets that follow each other.
std::vector<std::vector<int>> ordered_subsets(int views, int subsets);

}  // namespace isolume::tomography
