#include "core/anatomy/surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "core/anatomy/parts.h"
#include "core/base/error.h"
#include "core/surfaces/isosurface.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;
using Triangle = std::array<std::uint32_t, 3>;

/// C. Ericson, Real-Time Collision Detection, 5.1.5.
Vector3d nearest_on_triangle(const Vector3d& p, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const Vector3d ab = b - a, ac = c - a, ap = p - a;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap);
  if (d1 <= 0 && d2 <= 0) return a;
  const Vector3d bp = p - b;
  const double d3 = ab.dot(bp), d4 = ac.dot(bp);
  if (d3 >= 0 && d4 <= d3) return b;
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
  const Vector3d cp = p - c;
  const double d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d6 >= 0 && d5 <= d6) return c;
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return b + (d4 - d3) / (d4 - d3 + d5 - d6) * (c - b);
  const double sum = va + vb + vc;
  return sum > 0 ? Vector3d(a + vb / sum * ab + vc / sum * ac) : a;
}

/// Triangles in a tree of boxes, for the nearest point of them.
class TriangleTree {
 public:
  explicit TriangleTree(const Surface& surface) : surface_(surface), order_(surface.triangles.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (const Triangle& each : surface.triangles)
      centres_.push_back((surface.points[each[0]] + surface.points[each[1]] + surface.points[each[2]]) / 3);
    add_node(0, order_.size());
  }

  double distance(const Vector3d& p) const {
    double best = std::numeric_limits<double>::infinity();
    search(0, p, best);
    return std::sqrt(best);
  }

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    std::size_t begin = 0, end = 0;     ///< in order_, of a leaf
    std::size_t first = 0, second = 0;  ///< nodes; 0: it is a leaf
  };

  std::size_t add_node(std::size_t begin, std::size_t end) {
    const std::size_t number = nodes_.size();
    Node node{.box = {}, .begin = begin, .end = end};
    Eigen::AlignedBox3d centres;
    for (std::size_t i = begin; i < end; ++i) {
      centres.extend(centres_[order_[i]]);
      for (const std::uint32_t corner : surface_.triangles[order_[i]])
        node.box.extend(surface_.points[corner]);
    }
    nodes_.push_back(node);
    constexpr std::size_t of_leaf = 8;
    if (end - begin <= of_leaf) return number;
    Eigen::Index axis = 0;
    centres.sizes().maxCoeff(&axis);
    const std::size_t middle = (begin + end) / 2;
    const auto at = [this](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [&](std::size_t a, std::size_t b) { return centres_[a][axis] < centres_[b][axis]; });
    const std::size_t first = add_node(begin, middle), second = add_node(middle, end);
    nodes_[number].first = first;
    nodes_[number].second = second;
    return number;
  }

  void search(std::size_t number, const Vector3d& p, double& best) const {
    const Node& node = nodes_[number];
    if (node.first == 0) {
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const Triangle& t = surface_.triangles[order_[i]];
        const Vector3d nearest =
            nearest_on_triangle(p, surface_.points[t[0]], surface_.points[t[1]], surface_.points[t[2]]);
        best = std::min(best, (nearest - p).squaredNorm());
      }
      return;
    }
    std::array<std::pair<double, std::size_t>, 2> both{{{0, node.first}, {0, node.second}}};
    for (auto& [square, child] : both) square = nodes_[child].box.squaredExteriorDistance(p);
    if (both[1].first < both[0].first) std::swap(both[0], both[1]);
    for (const auto& [square, child] : both) {
      if (square < best) search(child, p, best);
    }
  }

  const Surface& surface_;
  std::vector<std::size_t> order_;
  std::vector<Vector3d> centres_;
  std::vector<Node> nodes_;
};

/// A third of the area of all triangles about each point.
std::vector<double> point_areas(const Surface& surface) {
  std::vector<double> areas(surface.points.size());
  for (const Triangle& each : surface.triangles) {
    const Vector3d& a = surface.points[each[0]];
    const double area = (surface.points[each[1]] - a).cross(surface.points[each[2]] - a).norm() / 2;
    for (const std::uint32_t corner : each) areas[corner] += area / 3;
  }
  return areas;
}

}  // namespace

Surface surface_of(const Labels& labels, std::int64_t label, const jobs::Progress& progress) {
  const auto& n = labels.grid.dimensions;
  if (std::ranges::count(n, 1) > 0) {
    throw Error(
        "A surface needs a volume, and the label map is a single slice. Choose a label map of a volume.");
  }
  const auto found = std::ranges::lower_bound(labels.values, label);
  if (found == labels.values.end() || *found != label) return {};
  const auto number = static_cast<std::uint32_t>(found - labels.values.begin());
  std::array<int, 3> low = n, high{-1, -1, -1};
  const auto for_label = [&](const auto& visit) {
    std::size_t at = 0;
    for (int z = 0; z < n[2]; ++z) {
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x, ++at) {
          if (labels.indices[at] == number) visit(std::array{x, y, z});
        }
      }
    }
  };
  for_label([&](const std::array<int, 3>& index) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], index[axis]);
      high[axis] = std::max(high[axis], index[axis]);
    }
  });
  progress.check();
  // Two voxels around the label, which the weights reach, and where the surface closes.
  constexpr int margin = 2;
  grid::ScalarField field;
  field.grid = labels.grid;
  std::array<std::size_t, 3> count{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    low[axis] -= margin;
    count[axis] = static_cast<std::size_t>(high[axis] + margin + 1 - low[axis]);
    field.grid.dimensions[axis] = static_cast<int>(count[axis]);
  }
  // Positions in voxels: single precision is enough for these, and not for mm far from the origin.
  field.grid.origin = Vector3d::Zero();
  field.grid.step = Eigen::Matrix3d::Identity();
  field.grid.unit = grid::LengthUnit::millimetre;
  FieldValues values(count[0] * count[1] * count[2], 0.F);
  for_label([&](const std::array<int, 3>& index) {
    std::size_t at = 0;
    for (std::size_t axis = 3; axis-- > 0;)
      at = at * count[axis] + static_cast<std::size_t>(index[axis] - low[axis]);
    values[at] = 1;
  });
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const FieldValues from = values;
    for_parts(values.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t at = begin; at < end; ++at) {
        const std::size_t along = at / stride % count[axis];
        if (along == 0 || along + 1 == count[axis]) continue;
        values[at] = (from[at - stride] + 6 * from[at] + from[at + stride]) / 8;
      }
    });
    stride *= count[axis];
  }
  field.values = std::move(values);
  const surfaces::Mesh mesh = surfaces::isosurface(field, 0.5, progress);
  Surface surface;
  const Vector3d first(low[0], low[1], low[2]);
  for (std::size_t i = 0; i < mesh.points.size(); i += 3) {
    surface.points.push_back(
        labels.grid.position(first + Eigen::Map<const Eigen::Vector3f>(&mesh.points[i]).cast<double>()));
  }
  const bool is_mirrored = labels.grid.step.determinant() < 0;
  for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
    Triangle triangle{mesh.triangles[i], mesh.triangles[i + 1], mesh.triangles[i + 2]};
    if (is_mirrored) std::swap(triangle[1], triangle[2]);
    surface.triangles.push_back(triangle);
  }
  return surface;
}

Surface simplified(const Surface& surface, double edge) {
  // Both sides of a thin sheet stay apart: the fourth number is the side of a cube that the normal points to.
  std::map<std::array<std::int64_t, 4>, std::uint32_t> numbers;
  std::vector<Vector3d> normals(surface.points.size(), Vector3d::Zero());
  for (const Triangle& each : surface.triangles) {
    const Vector3d& a = surface.points[each[0]];
    const Vector3d normal = (surface.points[each[1]] - a).cross(surface.points[each[2]] - a);
    for (const std::uint32_t corner : each) normals[corner] += normal;
  }
  std::vector<std::uint32_t> number_of(surface.points.size());
  std::vector<double> counts;
  Surface result;
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    std::array<std::int64_t, 4> cube{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      cube[axis] = static_cast<std::int64_t>(std::floor(surface.points[i][static_cast<int>(axis)] / edge));
    Eigen::Index main = 0;
    normals[i].cwiseAbs().maxCoeff(&main);
    cube[3] = 2 * main + (normals[i][main] < 0 ? 1 : 0);
    const auto [found, is_new] = numbers.emplace(cube, static_cast<std::uint32_t>(counts.size()));
    number_of[i] = found->second;
    if (is_new) {
      counts.push_back(0);
      result.points.emplace_back(Vector3d::Zero());
    }
    ++counts[number_of[i]];
    result.points[number_of[i]] += surface.points[i];
  }
  for (std::size_t i = 0; i < counts.size(); ++i) result.points[i] /= counts[i];
  for (const Triangle& each : surface.triangles) {
    const Triangle joined{number_of[each[0]], number_of[each[1]], number_of[each[2]]};
    if (joined[0] != joined[1] && joined[1] != joined[2] && joined[2] != joined[0])
      result.triangles.push_back(joined);
  }
  return result;
}

MeshDistances mesh_distances(const Surface& a, const Surface& b, const jobs::Progress& progress) {
  if (a.empty() || b.empty()) throw Error("A surface has no triangles. Choose another one.");
  MeshDistances result;
  double sum = 0, all = 0;
  for (const auto& [from, to] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    const TriangleTree tree(*to);
    const std::vector<double> areas = point_areas(*from);
    std::vector<double> distances(areas.size());
    for_parts(areas.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
      progress.check();
      for (std::size_t i = begin; i < end; ++i) distances[i] = tree.distance(from->points[i]);
    });
    for (std::size_t i = 0; i < areas.size(); ++i) {
      sum += areas[i] * distances[i];
      all += areas[i];
      if (areas[i] > 0) result.greatest = std::max(result.greatest, distances[i]);
    }
  }
  result.mean = all > 0 ? sum / all : 0;
  return result;
}

}  // namespace isolume::anatomy
