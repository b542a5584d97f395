#pragma once

#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

/// How many pixels farther along the rows of the detector the axis of rotation is seen than the geometry states: where
/// rays that are measured twice, from opposite sides, agree best in the plane of rotation. In [-range, range] for a
/// range of an eighth of the detector. Throws Error if less than 20 degrees of the arc are measured twice.
double find_axis_shift(const Projections& projections, const jobs::Progress& progress = {});

/// Removes what each pixel adds to all views, which becomes a ring: the difference of its mean over views to the
/// median of such means over `width` pixels along the row (J. A. Seibert and others, Proc. SPIE 3336, 348, 1998, for
/// line integrals).
void remove_rings(Projections& projections, int width);

/// p + factor p^2: the polynomial of second order for hardened beams (G. T. Herman, Phys. Med. Biol. 24, 81, 1979).
void straighten(Projections& projections, double factor);

}  // namespace isolume::tomography
