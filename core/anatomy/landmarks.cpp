#include "core/anatomy/landmarks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using volumes::Counts;
using volumes::VectorField;
using Points = Eigen::Matrix3Xd;

/// Both point sets as columns about their means.
struct CentredPairs {
  Points fixed, moving;
  Vector3d mean_fixed, mean_moving;

  explicit CentredPairs(std::span<const LandmarkPair> pairs)
      : fixed(3, static_cast<Eigen::Index>(pairs.size())), moving(fixed) {
    if (pairs.empty()) throw Error("There is no pair of landmarks. Add one in both images first.");
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      fixed.col(static_cast<Eigen::Index>(i)) = pairs[i].fixed;
      moving.col(static_cast<Eigen::Index>(i)) = pairs[i].moving;
    }
    mean_fixed = fixed.rowwise().mean();
    mean_moving = moving.rowwise().mean();
    fixed.colwise() -= mean_fixed;
    moving.colwise() -= mean_moving;
  }
  Eigen::Affine3d with(const Matrix3d& matrix) const {
    Eigen::Affine3d map = Eigen::Affine3d::Identity();
    map.linear() = matrix;
    map.translation() = mean_moving - matrix * mean_fixed;
    return map;
  }
};

/// Singular values below this part of the largest one are rounding.
constexpr double least_part = 1e-6;

bool has_plane(const Points& centred) {
  const Vector3d values = Eigen::JacobiSVD<Matrix3d>(centred * centred.transpose()).singularValues();
  return values[1] > least_part * values[0];
}

Matrix3d rotation_of(const CentredPairs& pairs) {
  const Eigen::JacobiSVD<Matrix3d> svd(pairs.moving * pairs.fixed.transpose(),
                                       Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector3d values = svd.singularValues();
  if (values[0] == 0) return Matrix3d::Identity();
  if (values[1] <= least_part * values[0]) {
    // All on a line: turned by the angle between the lines, and not about them.
    return Eigen::Quaterniond::FromTwoVectors(svd.matrixV().col(0), svd.matrixU().col(0)).toRotationMatrix();
  }
  Vector3d signs = Vector3d::Ones();
  if ((svd.matrixU() * svd.matrixV().transpose()).determinant() < 0) signs[2] = -1;
  return svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
}

}  // namespace

Vector3d vector_at(const VectorField& field, const Vector3d& index) {
  std::array<std::size_t, 3> first{}, along{};
  Vector3d fraction;
  std::size_t stride = 1, at = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<std::size_t>(axis);
    const double inside = std::clamp(index[axis], 0.0, field.counts[k] - 1.0);
    first[k] = static_cast<std::size_t>(std::min(static_cast<int>(inside), std::max(field.counts[k] - 2, 0)));
    fraction[axis] = inside - static_cast<double>(first[k]);
    along[k] = field.counts[k] > 1 ? stride : 0;
    at += first[k] * stride;
    stride *= static_cast<std::size_t>(field.counts[k]);
  }
  Vector3d sum = Vector3d::Zero();
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::size_t place = at;
    for (int axis = 0; axis < 3; ++axis) {
      const bool is_second = (corner >> axis & 1) == 1;
      weight *= is_second ? fraction[axis] : 1 - fraction[axis];
      if (is_second) place += along[static_cast<std::size_t>(axis)];
    }
    for (int component = 0; component < 3; ++component)
      sum[component] += weight * static_cast<double>(field.data(static_cast<std::size_t>(component))[place]);
  }
  return sum;
}

Matrix3d map_gradient_at(const VectorField& field, const Vector3d& index) {
  Matrix3d gradient = Matrix3d::Identity();
  for (int axis = 0; axis < 3; ++axis) {
    const Vector3d half = 0.5 * Vector3d::Unit(axis);
    gradient.col(axis) += vector_at(field, index + half) - vector_at(field, index - half);
  }
  return gradient;
}

bool determine_rotation(std::span<const LandmarkPair> pairs) {
  if (pairs.size() < 3) return false;
  const CentredPairs centred(pairs);
  return has_plane(centred.fixed) && has_plane(centred.moving);
}

Eigen::Affine3d rigid_fit(std::span<const LandmarkPair> pairs) {
  const CentredPairs centred(pairs);
  return centred.with(rotation_of(centred));
}

Eigen::Affine3d affine_fit(std::span<const LandmarkPair> pairs) {
  const CentredPairs centred(pairs);
  const Matrix3d rotation = rotation_of(centred);
  // The least squares of what the rotation leaves, of the least norm: nothing where points do not differ.
  Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred.fixed.transpose(), Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(std::sqrt(least_part));
  const Eigen::MatrixXd rest = (centred.moving - rotation * centred.fixed).transpose();
  return centred.with(rotation + svd.solve(rest).transpose());
}

std::vector<double> errors_of(std::span<const LandmarkPair> pairs, const Transform& transform) {
  std::vector<double> errors;
  errors.reserve(pairs.size());
  for (const LandmarkPair& each : pairs)
    errors.push_back((point_at(transform, each.fixed) - each.moving).norm());
  return errors;
}

double root_mean_square(std::span<const double> errors) {
  double sum = 0;
  for (const double each : errors) sum += each * each;
  return errors.empty() ? 0 : std::sqrt(sum / static_cast<double>(errors.size()));
}

bool is_on_grid(const Vector3d& index, const grid::Grid& grid) {
  const Vector3d last(grid.dimensions[0] - 1, grid.dimensions[1] - 1, grid.dimensions[2] - 1);
  return (index.array() >= -0.5).all() && (index.array() <= last.array() + 0.5).all();
}

std::vector<GridLandmark> on_grid(std::span<const LandmarkPair> pairs, const grid::Grid& grid,
                                  const Eigen::Affine3d& map) {
  const Eigen::Affine3d back = map.inverse();
  std::vector<GridLandmark> found;
  for (const LandmarkPair& each : pairs) {
    const Vector3d index = grid.index_at(each.fixed);
    if (is_on_grid(index, grid)) found.push_back({index, grid.index_at(back * each.moving)});
  }
  return found;
}

LandmarkForces::LandmarkForces(const LandmarkTerm& term, const Counts& finest, const Counts& counts,
                               const std::array<double, 3>& spacing_mm, double intensity)
    : counts_(counts), spacing_(spacing_mm[0], spacing_mm[1], spacing_mm[2]) {
  if (term.weight == 0) return;
  constexpr double unit_mm = 10;
  for (const GridLandmark& each : term.pairs) {
    const auto at_level = [&](Vector3d index) {
      for (int axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        index[axis] = (index[axis] + 0.5) * counts[k] / finest[k] - 0.5;
      }
      return index;
    };
    pairs_.push_back({at_level(each.fixed), at_level(each.moving)});
  }
  if (pairs_.empty()) return;
  weight_ = term.weight * intensity * intensity * static_cast<double>(volumes::point_count(counts)) /
            (static_cast<double>(pairs_.size()) * unit_mm * unit_mm);
  response_.assign(pairs_.size(), 0.0);
}

/// A single slice moves within its plane.
Vector3d LandmarkForces::distance_mm(const GridLandmark& pair, const Vector3d& displacement) const {
  Vector3d distance = (pair.moving - pair.fixed - displacement).cwiseProduct(spacing_);
  if (counts_[2] == 1) distance[2] = 0;
  return distance;
}

double LandmarkForces::measure(const VectorField& displacement) const {
  double sum = 0;
  for (const GridLandmark& each : pairs_) {
    sum += distance_mm(each, vector_at(displacement, each.fixed)).squaredNorm();
  }
  return weight_ * sum;
}

/// A Gaussian of a standard deviation of 1.5 voxels, its weights scaled so that their sum on the grid is 1.
void LandmarkForces::spread(const Vector3d& centre, const Vector3d& force, VectorField& to) const {
  constexpr double deviation = 1.5;
  constexpr int reach = 5;
  std::array<std::array<double, 2 * reach + 1>, 3> weights{};
  std::array<int, 3> first{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double place = std::clamp(centre[static_cast<int>(axis)], 0.0, counts_[axis] - 1.0);
    first[axis] = static_cast<int>(std::lround(place)) - reach;
    double sum = 0;
    for (int i = 0; i <= 2 * reach; ++i) {
      const int index = first[axis] + i;
      if (index < 0 || index >= counts_[axis]) continue;
      const double weight = std::exp(-0.5 * std::pow((index - place) / deviation, 2));
      weights[axis][static_cast<std::size_t>(i)] = weight;
      sum += weight;
    }
    for (double& each : weights[axis]) each /= sum;
  }
  for (std::size_t k = 0; k <= 2 * reach; ++k) {
    for (std::size_t j = 0; j <= 2 * reach; ++j) {
      for (std::size_t i = 0; i <= 2 * reach; ++i) {
        const double weight = weights[0][i] * weights[1][j] * weights[2][k];
        if (weight == 0) continue;
        const auto at = [&](std::size_t axis, std::size_t offset) {
          return static_cast<std::size_t>(first[axis] + static_cast<int>(offset));
        };
        const std::size_t index = (at(2, k) * static_cast<std::size_t>(counts_[1]) + at(1, j)) *
                                      static_cast<std::size_t>(counts_[0]) +
                                  at(0, i);
        for (int axis = 0; axis < 3; ++axis)
          to.data(static_cast<std::size_t>(axis))[index] += static_cast<float>(weight * force[axis]);
      }
    }
  }
}

void LandmarkForces::add_unit(VectorField& force) const {
  for (const GridLandmark& each : pairs_) spread(each.fixed, Vector3d::UnitX(), force);
}

void LandmarkForces::set_response(const VectorField& velocity) {
  for (std::size_t i = 0; i < pairs_.size(); ++i)
    response_[i] = std::max(vector_at(velocity, pairs_[i].fixed)[0], 0.0);
}

void LandmarkForces::add(const VectorField& displacement, double step_size, double longest,
                         VectorField& force) const {
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const GridLandmark& pair = pairs_[i];
    const Vector3d left = distance_mm(pair, vector_at(displacement, pair.fixed)).cwiseQuotient(spacing_);
    // The step moves the point before the present map does.
    const Matrix3d gradient = map_gradient_at(displacement, pair.fixed);
    Vector3d before = gradient.determinant() > 0.1 ? Vector3d(gradient.inverse() * left) : left;
    if (counts_[2] == 1) before[2] = 0;
    const double stiffness = step_size * weight_ * response_[i];
    const double move = before.norm() * stiffness / (1 + stiffness);
    const double factor = weight_ / (1 + stiffness) * (move > longest ? longest / move : 1);
    spread(pair.fixed, factor * before.cwiseProduct(spacing_), force);
  }
}

}  // namespace isolume::anatomy
