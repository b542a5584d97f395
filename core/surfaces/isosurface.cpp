#include "core/surfaces/isosurface.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/field_values.h"
#include "core/base/handover.h"
#include "core/surfaces/case_table.h"

namespace isolume::surfaces {
namespace {

/// Results of the first pass over the lattice points, before vertices are written.
struct Crossings {
  /// Not initialised: clearing the arrays of a fine lattice would take seconds and could not be cancelled.
  template <class T>
  using OfPoints = std::vector<T, UninitialisedAllocator<T>>;
  OfPoints<std::uint8_t> edges;        ///< bit a: the edge from this point along axis a is crossed
  OfPoints<std::uint32_t> first;       ///< the first of this point's vertices
  std::vector<std::size_t> triangles;  ///< the first of each row, and their total number at the end
};

class Finder {
 public:
  Finder(const lattice::ScalarField& field, double isovalue)
      : field_(field),
        values_(field.values.data()),
        n_(field.lattice.dimensions),
        isovalue_(static_cast<float>(isovalue)),
        cases_(make_case_table()) {
    const auto nx = static_cast<std::size_t>(n_[0]), ny = static_cast<std::size_t>(n_[1]);
    offset_ = {1, nx, nx * ny};
    const double scale = lattice::shown_per_unit(field.lattice.unit);
    const Eigen::Matrix3d step = field.lattice.step * scale;
    step_ = step.cast<float>();
    origin_ = (field.lattice.origin * scale).cast<float>();
    covector_ = (isovalue < 0 ? 1.0 : -1.0) * step.inverse().transpose();
    mirrored_ = (step.determinant() < 0) != (isovalue < 0);
  }

  Mesh find(const jobs::Progress& progress) {
    count(progress);
    Mesh mesh;
    const std::size_t vertices = number_vertices(progress);
    mesh.points.resize(3 * vertices);
    mesh.normals.resize(3 * vertices);
    mesh.triangles.resize(3 * crossings_.triangles.back());
    for_rows(progress, [&](int j, int k) {
      write_vertices(j, k, mesh);
      write_triangles(j, k, mesh);
    });
    return mesh;
  }

 private:
  std::size_t row_count() const { return static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]); }
  std::size_t row(int j, int k) const {
    return static_cast<std::size_t>(j) + static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(k);
  }
  std::size_t point(int i, int j, int k) const {
    return static_cast<std::size_t>(i) + static_cast<std::size_t>(n_[0]) * row(j, k);
  }
  bool above(std::size_t p) const { return values_[p] >= isovalue_; }

  template <class Body>
  void for_rows(const jobs::Progress& progress, const Body& body) const {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, row_count(), 16), [&](const auto& rows) {
      progress.check();
      for (std::size_t r = rows.begin(); r != rows.end(); ++r) {
        const auto ny = static_cast<std::size_t>(n_[1]);
        body(static_cast<int>(r % ny), static_cast<int>(r / ny));
      }
    });
  }

  /// The corners at or above the isovalue; empty if a value is not finite.
  unsigned case_of(std::size_t p) const {
    unsigned corners = 0;
    for (unsigned c = 0; c < 8; ++c) {
      const std::size_t q = p + (c & 1U) * offset_[0] + (c >> 1 & 1U) * offset_[1] + (c >> 2) * offset_[2];
      if (!std::isfinite(values_[q])) return 0;
      if (above(q)) corners |= 1U << c;
    }
    return corners;
  }
  bool has_cell(int i, int j, int k) const { return i + 1 < n_[0] && j + 1 < n_[1] && k + 1 < n_[2]; }

  void count(const jobs::Progress& progress) {
    crossings_.edges.resize(field_.lattice.point_count());
    crossings_.triangles.assign(row_count() + 1, 0);
    for_rows(progress, [&](int j, int k) {
      std::size_t triangles = 0;
      for (int i = 0; i < n_[0]; ++i) {
        const std::size_t p = point(i, j, k);
        crossings_.edges[p] = crossed_edges(i, j, k, p);
        if (has_cell(i, j, k)) triangles += cases_[case_of(p)].triangles;
      }
      crossings_.triangles[row(j, k)] = triangles;
    });
  }

  std::uint8_t crossed_edges(int i, int j, int k, std::size_t p) const {
    const std::array<int, 3> place{i, j, k};
    unsigned edges = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      if (place[a] + 1 >= n_[a]) continue;
      const std::size_t q = p + offset_[a];
      if (above(p) != above(q) && std::isfinite(values_[p]) && std::isfinite(values_[q])) edges |= 1U << a;
    }
    return static_cast<std::uint8_t>(edges);
  }

  /// Forms running sums of the counts and returns the number of vertices.
  std::size_t number_vertices(const jobs::Progress& progress) {
    std::size_t vertices = 0, triangles = 0;
    crossings_.first.resize(crossings_.edges.size());
    for (std::size_t p = 0; p < crossings_.edges.size(); ++p) {
      if (p % (1U << 20U) == 0) progress.check();
      crossings_.first[p] = static_cast<std::uint32_t>(vertices);
      vertices += static_cast<std::size_t>(std::popcount(crossings_.edges[p]));
    }
    if (vertices > std::numeric_limits<std::uint32_t>::max())
      throw ResourceError("The surface has more points than can be numbered. Choose a wider spacing.");
    for (std::size_t& each : crossings_.triangles) {
      const std::size_t here = each;
      each = triangles;
      triangles += here;
    }
    return vertices;
  }

  /// Central differences, one-sided at the lattice's faces.
  Eigen::Vector3f gradient(std::array<int, 3> place, std::size_t p) const {
    Eigen::Vector3f slopes;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::size_t low = place[a] > 0 ? p - offset_[a] : p,
                        high = place[a] + 1 < n_[a] ? p + offset_[a] : p;
      const float steps = (low == p || high == p) ? 1.0F : 2.0F;
      slopes[static_cast<Eigen::Index>(a)] = (values_[high] - values_[low]) / steps;
    }
    return slopes;
  }

  void write_vertices(int j, int k, Mesh& mesh) const {
    for (int i = 0; i < n_[0]; ++i) {
      const std::size_t p = point(i, j, k);
      std::size_t vertex = crossings_.first[p];
      for (std::size_t a = 0; a < 3; ++a) {
        if ((crossings_.edges[p] >> a & 1U) == 0) continue;
        const std::size_t q = p + offset_[a];
        const float part = (isovalue_ - values_[p]) / (values_[q] - values_[p]);
        Eigen::Vector3f index(static_cast<float>(i), static_cast<float>(j), static_cast<float>(k));
        index[static_cast<Eigen::Index>(a)] += part;
        std::array<int, 3> next{i, j, k};
        ++next[a];
        const Eigen::Vector3f slopes = (1 - part) * gradient({i, j, k}, p) + part * gradient(next, q);
        // Computed in double, since a float's square may underflow.
        const Eigen::Vector3d normal = (covector_ * slopes.cast<double>()).stableNormalized();
        Eigen::Map<Eigen::Vector3f>(&mesh.points[3 * vertex]) = origin_ + step_ * index;
        Eigen::Map<Eigen::Vector3f>(&mesh.normals[3 * vertex]) = normal.allFinite() && normal.norm() > 0.5
                                                                     ? Eigen::Vector3f(normal.cast<float>())
                                                                     : Eigen::Vector3f::UnitZ();
        ++vertex;
      }
    }
  }

  /// The vertex on an edge of the cell at p; see CellCase.
  std::uint32_t vertex_of(std::size_t p, unsigned edge) const {
    const unsigned axis = edge / 4, u = edge & 1U, v = edge >> 1 & 1U;
    constexpr std::array<std::array<std::size_t, 2>, 3> others{{{1, 2}, {0, 2}, {0, 1}}};
    const std::size_t from = p + u * offset_[others[axis][0]] + v * offset_[others[axis][1]];
    const unsigned before = crossings_.edges[from] & ((1U << axis) - 1);
    return crossings_.first[from] + static_cast<std::uint32_t>(std::popcount(before));
  }

  void write_triangles(int j, int k, Mesh& mesh) const {
    std::size_t corner = 3 * crossings_.triangles[row(j, k)];
    const std::size_t second = mirrored_ ? 2 : 1;
    for (int i = 0; i < n_[0]; ++i) {
      if (!has_cell(i, j, k)) continue;
      const std::size_t p = point(i, j, k);
      const CellCase& cell = cases_[case_of(p)];
      for (std::size_t t = 0; t < cell.triangles; ++t, corner += 3) {
        mesh.triangles[corner] = vertex_of(p, cell.edges[3 * t]);
        mesh.triangles[corner + second] = vertex_of(p, cell.edges[3 * t + 1]);
        mesh.triangles[corner + 3 - second] = vertex_of(p, cell.edges[3 * t + 2]);
      }
    }
  }

  const lattice::ScalarField& field_;
  const float* values_;
  std::array<int, 3> n_;
  std::array<std::size_t, 3> offset_{};  ///< to the next point along each axis
  float isovalue_;
  CaseTable cases_;
  Eigen::Matrix3f step_;
  Eigen::Vector3f origin_;
  Eigen::Matrix3d covector_;
  bool mirrored_ = false;
  Crossings crossings_;
};

}  // namespace

Mesh isosurface(const lattice::ScalarField& field, double isovalue, const jobs::Progress& progress) {
  for (const int points : field.lattice.dimensions) {
    if (points < 2) return {};
  }
  if (!std::isfinite(isovalue)) return {};
  return Finder(field, isovalue).find(progress);
}

}  // namespace isolume::surfaces
