#include "core/tomography/parameters.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/dispatch/memory.h"
#include "core/tomography/corrections.h"
#include "core/tomography/detector.h"

namespace isolume::tomography {

const parameters::Schema<ScanParameters>& scan_schema() {
  using parameters::field;
  using S = ScanParameters;
  static const parameters::Schema<S> schema({
      field("axis-shift", &S::axis_shift, "Axis of rotation")
          .group("Scan")
          .unit("px")
          .range(-500, 500)
          .usual(-10, 10)
          .help("Offset of the axis of rotation along the rows of the detector, relative to the geometry."),
      field("views", &S::views, "Views")
          .group("Scan")
          .range(0, 100'000)
          .usual(0, 180)
          .special(0, "All")
          .help("Number of projections that are used, spread over the scan."),
      field("arc", &S::arc, "Arc", {{"all", "All views"}, {"short", "Short scan"}})
          .group("Scan")
          .help("A short scan uses the views over 180° plus the fan angle."),
      field("hardening", &S::hardening, "Beam hardening")
          .group("Scan")
          .range(0, 1)
          .usual(0, 0.2)
          .help(
              "Factor of the square of each line integral that is added to it. It corrects rays whose low-energy "
              "photons were absorbed."),
      field("rings", &S::ring_width, "Ring filter")
          .group("Scan")
          .unit("px")
          .range(0, 1000)
          .usual(0, 30)
          .special(0, "Off")
          .help(
              "Removes what single columns of the detector add to all views: deviations of the mean projection "
              "from its median over this number of pixels."),
      field("noise", &S::has_noise, "Simulated noise")
          .group("Dose")
          .help("Adds Poisson noise for the given number of photons per pixel."),
      field("photons", &S::photons, "Photons per pixel")
          .group("Dose")
          .range(1, 1e9)
          .usual(100, 1e6)
          .logarithmic()
          .only_when("noise", {"true"})
          .help("Photons of the open beam that reach a pixel of one view."),
      field("seed", &S::seed, "Seed")
          .group("Dose")
          .range(0, 1e9)
          .usual(1, 20)
          .only_when("noise", {"true"})
          .help("Seed of the random numbers; the same seed gives the same noise."),
  });
  return schema;
}

const parameters::Schema<MethodParameters>& method_schema() {
  using parameters::field;
  using M = MethodParameters;
  static const parameters::Schema<M> schema({
      field("method", &M::method, "Method",
            {{"fdk", "Filtered back projection (FDK)"}, {"os-sirt", "OS-SIRT"}, {"cgls", "CGLS"}})
          .group("Reconstruction")
          .help(
              "FDK is a single filtered back projection. OS-SIRT and CGLS approach the volume by iterations."),
      field("filter", &M::window, "Filter",
            {{"ram-lak", "Ram-Lak"},
             {"shepp-logan", "Shepp-Logan"},
             {"cosine", "Cosine"},
             {"hamming", "Hamming"},
             {"hann", "Hann"}})
          .group("Reconstruction")
          .only_when("method", {"fdk"})
          .help("Window that the ramp filter is multiplied by. Windows further down the list smooth more."),
      field("cutoff", &M::cutoff, "Cut-off")
          .group("Reconstruction")
          .range(0.01, 1)
          .usual(0.1, 1)
          .only_when("method", {"fdk"})
          .help("Frequency above which the filter is 0, as a fraction of the highest one of the detector."),
      field("iterations", &M::iterations, "Iterations")
          .group("Reconstruction")
          .range(1, 10'000)
          .usual(1, 50)
          .only_when("method", {"os-sirt", "cgls"})
          .help("Number of passes over all views."),
      field("subsets", &M::subsets, "Subsets")
          .group("Reconstruction")
          .range(1, 10'000)
          .usual(1, 60)
          .only_when("method", {"os-sirt"})
          .help(
              "Groups of views that correct the volume one after the other. One is SIRT; as many as views is "
              "SART."),
      field("relaxation", &M::relaxation, "Relaxation")
          .group("Reconstruction")
          .range(0.01, 1.99)
          .usual(0.1, 1.9)
          .only_when("method", {"os-sirt"})
          .help("Factor of each correction. Smaller ones converge more slowly and suppress noise."),
      field("positive", &M::is_positive, "Not below zero")
          .group("Reconstruction")
          .only_when("method", {"os-sirt"})
          .help("Sets attenuation below 0 to 0 after each correction."),
  });
  return schema;
}

IterativeParameters MethodParameters::iterative() const {
  return {.method = method == Method::cgls ? IterativeMethod::cgls : IterativeMethod::os_sirt,
          .iterations = iterations,
          .subsets = subsets,
          .relaxation = relaxation,
          .is_positive = is_positive};
}

Projections prepared(const Projections& measured, const ScanParameters& parameters,
                     const jobs::Progress& progress) {
  std::vector<int> chosen;
  if (parameters.arc == ArcChoice::short_scan) {
    chosen = short_scan(measured.geometry);
  } else {
    chosen = spread_views(static_cast<int>(measured.geometry.views.size()), std::numeric_limits<int>::max());
  }
  if (parameters.views > 0 && parameters.views < static_cast<int>(chosen.size())) {
    std::vector<int> some;
    for (const int rank : spread_views(static_cast<int>(chosen.size()), parameters.views))
      some.push_back(chosen[static_cast<std::size_t>(rank)]);
    chosen = some;
  }
  Projections used = chosen_views(measured, chosen);
  progress.check();
  if (parameters.has_noise)
    used = with_noise(used, parameters.photons, static_cast<std::uint64_t>(parameters.seed), progress);
  if (parameters.ring_width > 0) remove_rings(used, parameters.ring_width);
  if (parameters.hardening != 0) straighten(used, parameters.hardening);
  used.geometry = with_axis_shifted(std::move(used.geometry), parameters.axis_shift);
  return used;
}

grid::Grid seen_grid(const Geometry& geometry, int size) {
  require_valid(geometry);
  double radius = std::numeric_limits<double>::infinity(), low = -radius, high = radius;
  for (const View& view : geometry.views) {
    // The widest circle about the axis, and the heights above and below the axis' middle that the detector sees.
    const ViewMatrix matrix = matrix_of(view, geometry.beam);
    const auto position = [&](double x, double y, double z) {
      return Eigen::Vector3d(matrix * Eigen::Vector4d(x, y, z, 1));
    };
    const Eigen::Vector3d centre = position(0, 0, 0);
    const double u = centre[0] / centre[2], v = centre[1] / centre[2];
    const double pitch = view.along.norm() * centre[2], height = view.up.norm() * centre[2];
    // Behind a detector that is displaced by more than filter() tolerates, the wider side sees all in a whole turn.
    const double before = u + 0.5, behind = geometry.columns - 0.5 - u;
    const bool is_displaced = std::abs(behind - before) > 0.1 * geometry.columns;
    const double half = (is_displaced ? std::max(before, behind) : std::min(before, behind)) * pitch;
    const double to_axis = geometry.beam == Beam::cone ? view.source.head<2>().norm() : 0;
    // The circle that touches the outermost ray.
    radius = std::min(radius, to_axis > 0 ? half / std::hypot(1, half / to_axis) : half);
    const double shrinks = to_axis > 0 ? std::max(0.1, 1 - radius / to_axis) : 1;
    const double up = view.up.z() > 0 ? 1 : -1;
    const double first = -(v + 0.5) * height * up * shrinks,
                 last = (geometry.rows - 0.5 - v) * height * up * shrinks;
    low = std::max(low, std::min(first, last));
    high = std::min(high, std::max(first, last));
  }
  if (!(radius > 0 && high > low && std::isfinite(radius)))
    throw Error("No part of the axis of rotation is seen by all views. Check geometry and units.");
  const double spacing = 2 * radius / size;
  const int layers = std::clamp(static_cast<int>(std::lround((high - low) / spacing)), 1, 4 * size);
  // The volume, the one shown before, and what is computed of it.
  dispatch::require_memory("The volume", 6.0 * sizeof(float) * size * size * layers, "Choose fewer voxels.");
  return grid::centred({0, 0, (low + high) / 2}, {size, size, layers}, spacing, grid::LengthUnit::millimetre);
}

Reconstruction reconstruct(const Projections& prepared, const grid::Grid& grid,
                           const MethodParameters& parameters,
                           const std::function<void(const Iterate&)>& show, const jobs::Progress& progress) {
  Reconstruction found;
  if (parameters.method == Method::fdk) {
    Filtered filtered = filter(prepared, parameters.filter(), progress.part(0, 0.1));
    found.remarks = filtered.remarks;
    found.values.resize(grid.point_count());
    back_project(filtered, grid, Region::whole(grid), found.values, progress.part(0.1, 1));
    return found;
  }
  const auto keep = [&](const Iterate& iterate) {
    found.residual = iterate.residual;
    if (show) show(iterate);
  };
  found.values =
      reconstruct_iteratively(prepared, grid, parameters.iterative(), keep, progress).with_x_fastest();
  return found;
}

double rmse(std::span<const float> one, std::span<const float> other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double difference = static_cast<double>(one[i]) - static_cast<double>(other[i]);
    sum += difference * difference;
  }
  return one.empty() ? 0 : std::sqrt(sum / static_cast<double>(one.size()));
}

}  // namespace isolume::tomography
