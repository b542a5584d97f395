#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/anatomy/surface.h"
#include "core/volumes/counts.h"
#include "core/volumes/transform.h"

namespace isolume::anatomy {

/// How sums over pairs of triangles are made.
enum class CurrentsMethod {
  automatic,  ///< by all pairs where there are few, else by a mesh
  pairs,      ///< by all pairs, in double precision
  mesh        ///< triangles are spread to a mesh, on which the kernel is applied in Fourier space
};

/// The squared distance of two surfaces as currents, which needs no corresponding points (M. Vaillant and J. Glaunès, Information
/// Processing in Medical Imaging, 381, 2005).
///
/// A triangle f is its centre c_f and half of the cross product of two edges, n_f, as long as its area is large. With
/// k(x, y) = exp(-|x - y|^2 / (2 w^2)), the square of a current's length is the sum over f and g of n_f n_g k(c_f, c_g), in mm^4.
/// The distance of two surfaces is the length of one together with the reversed other one: 0 where they are the same.
///
/// The mesh has half of the kernel width w between its nodes, which cubic B-splines resolve to 10^-4 of the sum of both
/// squared lengths (particle-mesh sums as of U. Essmann et al., J. Chem. Phys. 103, 8577, 1995). Spreading sums in a fixed order: results have the same bits on any number of threads.
class CurrentsDistance {
 public:
  /// `moving`: where it begins; its points may be moved later. `width_mm`: w. Throws Error if a surface is empty or has a point that is
  /// not finite, or the width is not positive; ResourceError if the mesh does not fit the memory.
  CurrentsDistance(const Surface& moving, const Surface& target, double width_mm,
                   CurrentsMethod method = CurrentsMethod::automatic);

  /// The squared distance in mm^4 of the moving surface with these points, and, unless null, its derivative by each of them in mm^3.
  double measure(std::span<const Eigen::Vector3d> points, std::vector<Eigen::Vector3d>* gradient);
  /// The squared length of the target and of the moving surface where it began: the squared distance of surfaces far apart.
  double scale() const { return scale_; }
  CurrentsMethod method() const { return method_; }  ///< not automatic

 private:
  struct Current {
    std::vector<Eigen::Vector3d> centres, normals;
  };
  /// What the kernel makes of all currents at a triangle's centre: the sum of n_g k, and the gradient of n_f times it.
  struct Answer {
    Eigen::Vector3d sum, slope;
  };

  Current current_of(std::span<const Eigen::Vector3d> points,
                     std::span<const std::array<std::uint32_t, 3>> triangles) const;
  double by_pairs(const Current& moving, std::vector<Answer>* answers) const;
  double by_mesh(const Current& moving, std::vector<Answer>* answers);
  void make_mesh(const Current& moving);
  void spread(const Current& current, std::array<FieldValues, 3>& to) const;
  double apply_kernel();
  void multiply(const volumes::ModePlane& plane) const;

  std::vector<std::array<std::uint32_t, 3>> triangles_;
  Current target_;
  double width_, scale_ = 0, target_square_ = 0;
  CurrentsMethod method_;
  // Of the mesh.
  double spacing_ = 1;
  Eigen::Vector3d origin_ = Eigen::Vector3d::Zero();
  volumes::Counts counts_{};
  std::optional<volumes::Transform> transform_;
  std::vector<volumes::Modes> modes_;
  std::array<std::vector<float>, 3> factors_;  ///< of the kernel, for each axis and wave number
  std::array<FieldValues, 3> spread_target_, spread_, field_;  ///< components
};

}  // namespace isolume::anatomy
