#include "core/surfaces/mesh_quality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include <Eigen/Geometry>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::surfaces {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

/// Points around each point: the second and third of each triangle in its order.
using Ring = std::vector<std::array<std::uint32_t, 2>>;

/// A closed fan: each neighbour ends one triangle and begins one other.
bool is_disc(const Ring& ring) {
  std::map<std::uint32_t, std::uint32_t> next;
  for (const auto& [from, to] : ring) {
    if (!next.emplace(from, to).second) return false;
  }
  if (next.size() < 3) return false;
  std::uint32_t at = ring.front()[0];
  for (std::size_t i = 0; i < next.size(); ++i) {
    const auto found = next.find(at);
    if (found == next.end()) return false;
    at = found->second;
    if (at == ring.front()[0]) return i + 1 == next.size();
  }
  return false;
}

/// The smallest number that no neighbour has, point by point.
std::vector<std::vector<std::uint32_t>> colour_classes(const std::vector<Ring>& rings,
                                                       const std::vector<bool>& is_movable) {
  constexpr std::uint32_t uncoloured = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> colours(rings.size(), uncoloured);
  std::vector<std::vector<std::uint32_t>> classes;
  std::vector<bool> taken;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (!is_movable[i]) continue;
    taken.assign(classes.size() + 1, false);
    for (const auto& pair : rings[i]) {
      for (const std::uint32_t each : pair) {
        if (colours[each] != uncoloured) taken[colours[each]] = true;
      }
    }
    const auto colour = static_cast<std::size_t>(std::ranges::find(taken, false) - taken.begin());
    if (colour == classes.size()) classes.emplace_back();
    colours[i] = static_cast<std::uint32_t>(colour);
    classes[colour].push_back(static_cast<std::uint32_t>(i));
  }
  return classes;
}

/// The surroundings of a point in its tangent plane; heights are along the normal.
struct Surroundings {
  struct Corner {
    Vector3d position, normal;
    Vector2d flat;
    double height;
  };
  std::vector<std::array<Corner, 2>> triangles;
  Vector3d centre, centre_normal;     ///< of the surface
  Vector3d normal, along_u, along_v;  ///< of the plane
  double trust = 0;

  /// Nothing where the triangles fold over each other in the plane.
  static std::optional<Surroundings> of(const TriangleMesh& mesh, const std::vector<Vector3d>& normals,
                                        std::uint32_t point, const Ring& ring) {
    Surroundings around;
    around.centre = mesh.points[point];
    around.centre_normal = normals[point];
    Vector3d normal = Vector3d::Zero();
    for (const auto& [b, c] : ring)
      normal += (mesh.points[b] - around.centre).cross(mesh.points[c] - around.centre);
    if (!(normal.norm() > 0)) return std::nullopt;
    around.normal = normal.normalized();
    around.along_u = around.normal.unitOrthogonal();
    around.along_v = around.normal.cross(around.along_u);
    double nearest = std::numeric_limits<double>::infinity();
    const auto corner = [&](std::uint32_t each) {
      const Vector3d away = mesh.points[each] - around.centre;
      Corner made{mesh.points[each],
                  normals[each],
                  {away.dot(around.along_u), away.dot(around.along_v)},
                  away.dot(around.normal)};
      nearest = std::min(nearest, made.flat.norm());
      return made;
    };
    for (const auto& [b, c] : ring) {
      around.triangles.push_back({corner(b), corner(c)});
      const auto& [first, second] = around.triangles.back();
      if (!(first.flat.x() * second.flat.y() - first.flat.y() * second.flat.x() > 0)) return std::nullopt;
    }
    around.trust = 0.5 * nearest;
    return around;
  }
  struct Lifted {
    Vector3d position, normal;
  };
  /// The point of the surface over a position in the plane; nothing outside of the triangles. These are curved by half
  /// the mean distance to the tangent planes of their corners, which is exact to second order on a sphere.
  std::optional<Lifted> lifted(const Vector2d& at) const {
    constexpr double rounding = 1e-12;
    for (const auto& [b, c] : triangles) {
      const double area = b.flat.x() * c.flat.y() - b.flat.y() * c.flat.x();
      const double of_b = (at.x() * c.flat.y() - at.y() * c.flat.x()) / area,
                   of_c = (b.flat.x() * at.y() - b.flat.y() * at.x()) / area, of_a = 1 - of_b - of_c;
      if (of_b < -rounding || of_c < -rounding || of_a < 0) continue;
      const Vector3d on_triangle =
          centre + at.x() * along_u + at.y() * along_v + (of_b * b.height + of_c * c.height) * normal;
      const auto to_plane = [&](const Vector3d& corner, const Vector3d& its_normal) -> Vector3d {
        return (corner - on_triangle).dot(its_normal) * its_normal;
      };
      return Lifted{
          on_triangle + 0.5 * (of_a * to_plane(centre, centre_normal) +
                               of_b * to_plane(b.position, b.normal) + of_c * to_plane(c.position, c.normal)),
          (of_a * centre_normal + of_b * b.normal + of_c * c.normal).normalized()};
    }
    return std::nullopt;
  }
  /// The least ratio around, as a cost; triangles that turn over are as bad as none.
  double cost(const Vector3d& position) const {
    double least = 1;
    for (const auto& [b, c] : triangles) {
      if (!((b.position - position).cross(c.position - position).dot(normal) > 0)) return 0;
      least = std::min(least, radius_ratio(position, b.position, c.position));
    }
    return -least;
  }
};

/// The place of least cost that the search finds; that of the point where none is better.
Surroundings::Lifted best_place(const Surroundings& around, const Vector3d& begun_at, double most_move) {
  constexpr int most_steps = 40;
  struct Vertex {
    Vector2d at;
    Surroundings::Lifted place;
    double cost;
  };
  const auto vertex = [&](const Vector2d& at) {
    Vertex made{at, {around.centre, around.centre_normal}, 1};
    if (at.norm() > around.trust) return made;
    const auto lifted = around.lifted(at);
    if (!lifted || (lifted->position - begun_at).norm() > most_move) return made;
    made.place = *lifted;
    made.cost = around.cost(lifted->position);
    return made;
  };
  const double side = 0.4 * around.trust;
  std::array<Vertex, 3> simplex{vertex({0, 0}), vertex({side, 0}), vertex({-0.5 * side, 0.866 * side})};
  const double before = around.cost(around.centre);
  simplex[0] = {{0, 0}, {around.centre, around.centre_normal}, before};
  const auto order = [&] { std::ranges::stable_sort(simplex, {}, &Vertex::cost); };
  for (int i = 0; i < most_steps; ++i) {
    order();
    auto& [best, good, worst] = simplex;
    if ((worst.at - best.at).norm() < 1e-3 * around.trust) break;
    const Vector2d middle = 0.5 * (best.at + good.at);
    const Vertex reflected = vertex(2 * middle - worst.at);
    if (reflected.cost < best.cost) {
      const Vertex expanded = vertex(3 * middle - 2 * worst.at);
      worst = expanded.cost < reflected.cost ? expanded : reflected;
      continue;
    }
    if (reflected.cost < good.cost) {
      worst = reflected;
      continue;
    }
    const Vertex outer = vertex(1.5 * middle - 0.5 * worst.at), inner = vertex(0.5 * (middle + worst.at));
    const Vertex& contracted = outer.cost < inner.cost ? outer : inner;
    if (contracted.cost < worst.cost) {
      worst = contracted;
      continue;
    }
    good = vertex(0.5 * (good.at + best.at));
    worst = vertex(0.5 * (worst.at + best.at));
  }
  order();
  return simplex[0].cost < before ? simplex[0].place
                                  : Surroundings::Lifted{around.centre, around.centre_normal};
}

/// Of the surface at each point, from the areas of its triangles; 0 where they cancel.
std::vector<Vector3d> normals_of(const TriangleMesh& mesh) {
  std::vector<Vector3d> normals(mesh.points.size(), Vector3d::Zero());
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vector3d normal = (mesh.points[b] - mesh.points[a]).cross(mesh.points[c] - mesh.points[a]);
    for (const std::uint32_t each : {a, b, c}) normals[each] += normal;
  }
  for (Vector3d& each : normals) {
    if (each.norm() > 0) each.normalize();
  }
  return normals;
}

}  // namespace

double radius_ratio(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  // r = 2 A / (l + m + n) and R = l m n / (4 A), with twice the area A as the length of a cross product.
  const double l = (b - c).norm(), m = (c - a).norm(), n = (a - b).norm();
  const double edges = l * m * n * (l + m + n);
  return edges > 0 ? std::min(4 * (b - a).cross(c - a).squaredNorm() / edges, 1.0) : 0;
}

MeshQuality quality_of(const TriangleMesh& mesh) {
  if (mesh.triangles.empty()) return {};
  MeshQuality quality{.least = 1, .mean = 0};
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const double ratio = radius_ratio(mesh.points[a], mesh.points[b], mesh.points[c]);
    quality.least = std::min(quality.least, ratio);
    sum += ratio;
  }
  quality.mean = sum / static_cast<double>(mesh.triangles.size());
  return quality;
}

MeshImprovement improve(TriangleMesh& mesh, int sweeps, double most_move, const jobs::Progress& progress) {
  MeshImprovement result;
  result.before = quality_of(mesh);
  std::vector<Ring> rings(mesh.points.size());
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k)
      rings[triangle[k]].push_back({triangle[(k + 1) % 3], triangle[(k + 2) % 3]});
  }
  std::vector<bool> is_movable(rings.size());
  for (std::size_t i = 0; i < rings.size(); ++i) {
    is_movable[i] = !rings[i].empty() && is_disc(rings[i]);
    result.locked += is_movable[i] || rings[i].empty() ? 0 : 1;
  }
  const auto classes = colour_classes(rings, is_movable);
  std::vector<Vector3d> normals = normals_of(mesh);
  const std::vector<Vector3d> begun = mesh.points;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (const auto& points : classes) {
      progress.check();
      handover::parallel_for(tbb::blocked_range<std::size_t>(0, points.size(), 64), [&](const auto& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          const std::uint32_t point = points[i];
          const auto around = Surroundings::of(mesh, normals, point, rings[point]);
          if (!around) continue;
          const auto [position, normal] = best_place(*around, begun[point], most_move);
          mesh.points[point] = position;
          normals[point] = normal;
        }
      });
    }
    progress.report((sweep + 1.0) / sweeps);
  }
  for (std::size_t i = 0; i < begun.size(); ++i)
    result.largest_move = std::max(result.largest_move, (mesh.points[i] - begun[i]).norm());
  result.after = quality_of(mesh);
  return result;
}

}  // namespace isolume::surfaces
