#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/parameters/schema.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

/// How a force becomes a velocity.
enum class Smoothing {
  helmholtz,  ///< (1 - l^2 laplacian - c l^2 grad div) v = f, solved exactly on a periodic grid
  gaussian    ///< a Gaussian of the standard deviation sqrt(2) l, which has the same curvature at long waves
};

/// How the difference of two images is measured.
enum class Metric {
  squares,      ///< of the difference of values
  correlation,  ///< of values in a window about each voxel: one image may be brighter here than there, or have another contrast
  mutual_information  ///< of all values: images of any two kinds
};

/// "root mean square difference"
std::string_view name_of(Metric metric);

/// What values are compared.
enum class Intensities {
  range,  ///< of each image, its range mapped to 0 to 1
  kept    ///< as they are
};

/// Parameters of a fluid registration (G. E. Christensen et al., IEEE Trans. Image Process. 5, 1435, 1996).
struct FluidParameters {
  double smoothness_mm = 6;    ///< l
  double compressibility = 0;  ///< c: of the Navier-Stokes operator, beta / alpha
  Smoothing smoothing = Smoothing::helmholtz;
  Metric metric = Metric::squares;
  double window = 2.5;        ///< standard deviation of the Gaussian window in voxels of the level
  double largest_step = 0.5;  ///< voxels of the level
  int levels = 3;             ///< each with half of the voxels along an axis
  int iterations = 100;       ///< of the coarsest level; each finer one has half of them
  Intensities intensities = Intensities::range;

  bool operator==(const FluidParameters&) const = default;
};
const parameters::Schema<FluidParameters>& fluid_schema();

/// What is searched.
enum class DeformationModel {
  fluid,     ///< small steps, each smoothed and composed (register_images)
  b_spline,  ///< coefficients of cubic B-splines (register_by_splines)
  lddmm,     ///< velocities over time, whose flow is a geodesic (register_by_flow)
  demons     ///< one velocity, whose flow is the map (register_by_demons)
};

/// Parameters of the deformation of one image onto another one.
struct DeformationParameters : FluidParameters {
  DeformationModel model = DeformationModel::fluid;
  double control_spacing_mm = 8;  ///< between control points of the finest level
  double bending = 0.05;          ///< weight of the bending energy of splines, in mm^2
  int time_steps = 5;             ///< of a flow
  double regularity = 3e-5;       ///< weight of the kinetic energy of a flow, per mm^2
  double velocity_smoothness_mm =
      1;  ///< of log-demons: standard deviation of the Gaussian of the velocity in each step
  double landmark_weight = 1;   ///< LandmarkTerm::weight
  std::string engine = "auto";  ///< of fluid registrations: dispatch::ComputeOptions::engine

  bool operator==(const DeformationParameters&) const = default;
};
const parameters::Schema<DeformationParameters>& deformation_schema();

/// A resolution at which images are compared.
struct Level {
  volumes::Counts counts{};
  int iterations = 0;
};
/// Coarsest first; fewer levels than requested where a grid is too small to be halved so often.
std::vector<Level> levels_of(const volumes::Counts& finest, const FluidParameters& parameters);

}  // namespace isolume::anatomy
