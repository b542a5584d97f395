#include "core/anatomy/phantom.h"

#include <array>
#include <cmath>

#include <Eigen/Core>

#include "core/volumes/counts.h"

namespace isolume::anatomy {
namespace {

/// The deformed values of a function on -1 to 1 along each axis.
template <class Function>
FieldValues deformed(int side, double size, const Function& function) {
  FieldValues values(volumes::point_count({side, side, side}));
  std::size_t i = 0;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x, ++i) {
        const Eigen::Vector3d p = 2.0 / (side - 1) * Eigen::Vector3d(x, y, z) - Eigen::Vector3d::Ones();
        const double bump = size * (1 - p.array().square()).prod();
        const Eigen::Vector3d by(std::cos(2 * p.y()), -std::sin(3 * p.z()), std::cos(3 * p.x()));
        values[i] = static_cast<float>(function(Eigen::Vector3d(p + bump * by)));
      }
    }
  }
  return values;
}

/// A part of the head at a place.
struct Part {
  double inside;  ///< above 0 within it
  double value;
  double label;
};

/// Outer ones first, each within the one before.
std::array<Part, 6> parts_at(const Eigen::Vector3d& p) {
  // Wider behind and higher in front, with folds narrower to one side: a turned head is another one.
  const Eigen::Vector3d q = p.cwiseQuotient(Eigen::Vector3d(0.66 + 0.12 * p.y(), 0.84, 0.72 - 0.14 * p.y()));
  const double r = q.norm();
  const double angle = std::atan2(q.y(), q.x());
  const double folds = std::sin(11 * angle + 3 * std::cos(angle)) * std::cos(9 * q.z());
  const auto ventricle = [&](double x) {
    const Eigen::Vector3d v =
        (p - Eigen::Vector3d(x, 0, 0.05)).cwiseQuotient(Eigen::Vector3d(0.08, 0.3, 0.14));
    return 0.1 * (1 - v.norm());
  };
  return {{{1 - r, 1, 1},
           {0.92 - r, 0.1, 2},
           {0.86 + 0.03 * folds - r, 0.5, 3},
           {0.74 + 0.06 * folds - r, 0.8, 4},
           {ventricle(-0.12), 0.1, 5},
           {ventricle(0.12), 0.1, 5}}};
}

}  // namespace

FieldValues phantom(int side, double size) {
  return deformed(side, size, [](const Eigen::Vector3d& p) {
    const double texture = std::sin(9 * p.x()) * std::sin(8 * p.y()) * std::sin(7 * p.z());
    return (1 + 0.5 * texture) / (1 + std::exp((p.norm() - 0.7) * 20));
  });
}

FieldValues head_phantom(int side, double size) {
  return deformed(side, size, [&](const Eigen::Vector3d& p) {
    double value = 0;
    for (const Part& part : parts_at(p))
      value += (part.value - value) / (1 + std::exp(-0.8 * side * part.inside));  // edges about a voxel wide
    return value;
  });
}

FieldValues head_parts(int side, double size) {
  return deformed(side, size, [&](const Eigen::Vector3d& p) {
    double label = 0;
    for (const Part& part : parts_at(p)) {
      if (part.inside > 0) label = part.label;
    }
    return label;
  });
}

}  // namespace isolume::anatomy
