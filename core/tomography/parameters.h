#pragma once

#include <functional>

#include "core/base/remarks.h"
#include "core/parameters/schema.h"
#include "core/tomography/fdk.h"
#include "core/tomography/iterative.h"

namespace isolume::tomography {

enum class ArcChoice { all, short_scan };

/// Which of the measured data are used, and how.
struct ScanParameters {
  double axis_shift = 0;  ///< with_axis_shifted(), in pixels
  int views = 0;          ///< number of those that are used, spread over all; 0: all
  ArcChoice arc = ArcChoice::all;
  double hardening = 0;  ///< straighten()
  int ring_width = 0;    ///< remove_rings(), in pixels; 0: not
  bool has_noise = false;
  double photons = 1e5;  ///< with_noise()
  int seed = 1;

  bool operator==(const ScanParameters&) const = default;
};
const parameters::Schema<ScanParameters>& scan_schema();

enum class Method { fdk, os_sirt, cgls };

struct MethodParameters {
  Method method = Method::fdk;
  FilterWindow window = FilterWindow::ram_lak;
  double cutoff = 1;
  int iterations = 10, subsets = 10;
  double relaxation = 1;
  bool is_positive = true;

  FilterParameters filter() const { return {window, cutoff}; }
  IterativeParameters iterative() const;
  bool operator==(const MethodParameters&) const = default;
};
const parameters::Schema<MethodParameters>& method_schema();

/// The data that are reconstructed: views of the chosen arc, some of them, with noise, with the axis shifted.
Projections prepared(const Projections& measured, const ScanParameters& parameters,
                     const jobs::Progress& progress = {});

/// A grid of cubic voxels about the axis that covers what all views see: `size` points along x and y. Throws Error if
/// no point is seen by all views, ResourceError.
grid::Grid seen_grid(const Geometry& geometry, int size);

struct Reconstruction {
  FieldValues values;   ///< attenuation in 1/mm, x fastest
  double residual = 0;  ///< of the last iteration (Iterate)
  Remarks remarks;
};
/// The volume by the chosen method. `show` is called after each iteration.
Reconstruction reconstruct(const Projections& prepared, const grid::Grid& grid,
                           const MethodParameters& parameters,
                           const std::function<void(const Iterate&)>& show = {},
                           const jobs::Progress& progress = {});

/// Root of the mean squared difference.
double rmse(std::span<const float> one, std::span<const float> other);

}  // namespace isolume::tomography
