#include "core/surfaces/isosurface.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/field_values.h"
#include "core/base/handover.h"
#include "core/surfaces/case_table.h"

namespace isolume::surfaces {
namespace {

/// One byte for each point. Not initialised: clearing the bytes of a fine grid would take seconds and could not be
/// cancelled.
using Bytes = std::vector<std::uint8_t, UninitialisedAllocator<std::uint8_t>>;

constexpr unsigned is_above = 1, is_finite = 2;  ///< of a point
constexpr std::array<std::uint8_t, 8> ones{0, 1, 1, 2, 1, 2, 2, 3};

/// Whether the isovalue lies between two points with these bits.
constexpr unsigned is_crossed(unsigned a, unsigned b) {
  return (a ^ b) & (a & b) >> 1 & 1;
}

constexpr std::size_t bytes_at_once = 8;
std::uint64_t word_at(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}
/// Of eight bytes with three bits each.
std::size_t ones_of(std::uint64_t word) {
  constexpr std::uint64_t of_each = 0x0101010101010101;
  return ((word & of_each) + (word >> 1 & of_each) + (word >> 2 & of_each)) * of_each >> 56;
}

std::size_t ones_in(std::span<const std::uint8_t> bytes) {
  std::size_t sum = 0, i = 0;
  for (; i + bytes_at_once <= bytes.size(); i += bytes_at_once) sum += ones_of(word_at(&bytes[i]));
  for (; i < bytes.size(); ++i) sum += ones[bytes[i]];
  return sum;
}

/// Rows of points along x are processed as bytes, which compilers turn into vector instructions: first which points are
/// above the isovalue, then which edges from each point the surface crosses. Only where there are some, vertices and
/// triangles are written.
class Finder {
 public:
  Finder(const grid::ScalarField& field, double isovalue)
      : field_(field),
        values_(field.values.data()),
        n_(field.grid.dimensions),
        isovalue_(static_cast<float>(isovalue)),
        cases_(make_case_table()) {
    const auto nx = static_cast<std::size_t>(n_[0]), ny = static_cast<std::size_t>(n_[1]);
    offset_ = {1, nx, nx * ny};
    const double scale = grid::shown_per_unit(field.grid.unit);
    const Eigen::Matrix3d step = field.grid.step * scale;
    step_ = step.cast<float>();
    origin_ = (field.grid.origin * scale).cast<float>();
    covector_ = (isovalue < 0 ? 1.0 : -1.0) * step.inverse().transpose();
    mirrored_ = (step.determinant() < 0) != (isovalue < 0);
  }

  Mesh find(const jobs::Progress& progress) {
    points_.resize(field_.grid.point_count());
    edges_.resize(field_.grid.point_count());
    vertices_.assign(row_count() + 1, 0);
    triangles_.assign(row_count() + 1, 0);
    for_rows(progress, [&](int j, int k, auto&) { classify(j, k); });
    for_rows(progress, [&](int j, int k, auto& cases) { count(j, k, cases); });
    make_running_sums();
    Mesh mesh;
    mesh.points.resize(3 * vertices_.back());
    mesh.normals.resize(3 * vertices_.back());
    mesh.triangles.resize(3 * triangles_.back());
    for_rows(progress, [&](int j, int k, auto& cases) {
      const std::size_t r = row(j, k);
      if (vertices_[r + 1] > vertices_[r]) write_vertices(j, k, mesh);
      if (triangles_[r + 1] > triangles_[r]) write_triangles(j, k, cases, mesh);
    });
    return mesh;
  }

 private:
  /// The cases of a row's cells, with room for their making.
  struct Cases {
    explicit Cases(std::size_t points) : of_cells(points), columns(points), finite(points) {}
    std::vector<std::uint8_t> of_cells, columns, finite;
  };

  std::size_t length() const { return static_cast<std::size_t>(n_[0]); }
  std::size_t row_count() const { return static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]); }
  std::size_t row(int j, int k) const {
    return static_cast<std::size_t>(j) + static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(k);
  }
  bool has_cells(int j, int k) const { return j + 1 < n_[1] && k + 1 < n_[2]; }

  template <class Body>
  void for_rows(const jobs::Progress& progress, const Body& body) const {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, row_count(), 16), [&](const auto& rows) {
      progress.check();
      Cases cases(length());
      for (std::size_t r = rows.begin(); r != rows.end(); ++r) {
        const auto ny = static_cast<std::size_t>(n_[1]);
        body(static_cast<int>(r % ny), static_cast<int>(r / ny), cases);
      }
    });
  }

  void classify(int j, int k) {
    const float* values = values_ + length() * row(j, k);
    std::uint8_t* points = points_.data() + length() * row(j, k);
    constexpr float largest = std::numeric_limits<float>::max();
    const std::size_t n =
        length();  // here and below: bytes that are written may be any object, also a member
    const float isovalue = isovalue_;
    for (std::size_t i = 0; i < n; ++i) {
      const unsigned above = values[i] >= isovalue ? is_above : 0;
      const unsigned finite = std::abs(values[i]) <= largest ? is_finite : 0;
      points[i] = static_cast<std::uint8_t>(above | finite);
    }
  }

  /// The points of the row, of the next along y, of the next along z, and of the next along both.
  std::array<const std::uint8_t*, 4> around(const Bytes& bytes, int j, int k) const {
    const std::uint8_t* here = bytes.data() + length() * row(j, k);
    return {here, here + offset_[1], here + offset_[2], here + offset_[1] + offset_[2]};
  }

  void count(int j, int k, Cases& cases) {
    const std::size_t r = row(j, k);
    const std::uint8_t* here = points_.data() + length() * r;
    const std::uint8_t* along_y = j + 1 < n_[1] ? here + offset_[1] : here;
    const std::uint8_t* along_z = k + 1 < n_[2] ? here + offset_[2] : here;
    std::uint8_t* edges = edges_.data() + length() * r;
    const std::size_t last = length() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      edges[i] =
          static_cast<std::uint8_t>(is_crossed(here[i], here[i + 1]) | is_crossed(here[i], along_y[i]) << 1 |
                                    is_crossed(here[i], along_z[i]) << 2);
    }
    edges[last] = static_cast<std::uint8_t>(is_crossed(here[last], along_y[last]) << 1 |
                                            is_crossed(here[last], along_z[last]) << 2);
    vertices_[r] = ones_in({edges, length()});
    if (!has_cells(j, k)) return;
    make_cases(j, k, cases);
    std::size_t triangles = 0;
    for_each_cut_cell(cases, [&](std::size_t i) { triangles += cases_[cases.of_cells[i]].triangles; });
    triangles_[r] = triangles;
  }

  /// The corners at or above the isovalue; none if a value is not finite.
  void make_cases(int j, int k, Cases& cases) const {
    const auto [here, along_y, along_z, along_both] = around(points_, j, k);
    std::uint8_t *columns = cases.columns.data(), *finite = cases.finite.data(),
                 *of_cells = cases.of_cells.data();
    const std::size_t n = length();
    for (std::size_t i = 0; i < n; ++i) {
      columns[i] = static_cast<std::uint8_t>((here[i] & 1U) | (along_y[i] & 1U) << 2 |
                                             (along_z[i] & 1U) << 4 | (along_both[i] & 1U) << 6);
      finite[i] = static_cast<std::uint8_t>((here[i] & along_y[i] & along_z[i] & along_both[i]) >> 1);
    }
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const unsigned all_finite = 0U - (finite[i] & finite[i + 1]);
      of_cells[i] = static_cast<std::uint8_t>((columns[i] | columns[i + 1] << 1) & all_finite);
    }
    of_cells[n - 1] = 0;
  }

  template <class Body>
  void for_each_cut_cell(const Cases& cases, const Body& body) const {
    const std::uint8_t* of_cells = cases.of_cells.data();
    for (std::size_t i = 0; i < length(); ++i) {
      while (i + bytes_at_once <= length() && is_uncut(word_at(of_cells + i))) i += bytes_at_once;
      if (i < length() && of_cells[i] != 0 && of_cells[i] != 255) body(i);
    }
  }
  static bool is_uncut(std::uint64_t of_cells) { return of_cells == 0 || of_cells == ~std::uint64_t{0}; }

  void make_running_sums() {
    for (auto* counts : {&vertices_, &triangles_}) {
      std::size_t sum = 0;
      for (std::size_t& each : *counts) sum += std::exchange(each, sum);
    }
    if (vertices_.back() > std::numeric_limits<std::uint32_t>::max())
      throw ResourceError("The surface has more points than can be numbered. Choose a wider spacing.");
  }

  /// Central differences, one-sided at the grid's faces.
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
    const std::size_t r = row(j, k);
    const std::uint8_t* edges = edges_.data() + length() * r;
    std::size_t vertex = vertices_[r];
    for (std::size_t i = 0; i < length(); ++i) {
      while (i + bytes_at_once <= length() && word_at(edges + i) == 0) i += bytes_at_once;
      if (i >= length()) break;
      for (std::size_t a = 0; a < 3; ++a)
        if ((edges[i] >> a & 1U) != 0) write_vertex({static_cast<int>(i), j, k}, a, vertex++, mesh);
    }
  }

  void write_vertex(std::array<int, 3> place, std::size_t axis, std::size_t vertex, Mesh& mesh) const {
    const std::size_t p = static_cast<std::size_t>(place[0]) + length() * row(place[1], place[2]);
    const std::size_t q = p + offset_[axis];
    const float part = (isovalue_ - values_[p]) / (values_[q] - values_[p]);
    Eigen::Vector3f index = Eigen::Map<const Eigen::Vector3i>(place.data()).cast<float>();
    index[static_cast<Eigen::Index>(axis)] += part;
    std::array<int, 3> next = place;
    ++next[axis];
    const Eigen::Vector3f slopes = (1 - part) * gradient(place, p) + part * gradient(next, q);
    // Computed in double, since a float's square may underflow.
    const Eigen::Vector3d normal = (covector_ * slopes.cast<double>()).stableNormalized();
    Eigen::Map<Eigen::Vector3f>(&mesh.points[3 * vertex]) = origin_ + step_ * index;
    Eigen::Map<Eigen::Vector3f>(&mesh.normals[3 * vertex]) = normal.allFinite() && normal.norm() > 0.5
                                                                 ? Eigen::Vector3f(normal.cast<float>())
                                                                 : Eigen::Vector3f::UnitZ();
  }

  /// Numbers the vertices while it runs along a row of cells.
  struct Numbers {
    std::array<const std::uint8_t*, 4> edges;  ///< of the four rows of points around the cells
    std::array<std::size_t, 4> first;          ///< the first vertex of each row's point at the present cell

    /// The vertex on an edge of cell i; see CellCase.
    std::uint32_t vertex_of(std::size_t i, unsigned edge) const {
      const unsigned axis = edge / 4, u = edge & 1U, v = edge >> 1 & 1U;
      const std::size_t row = axis == 0 ? edge : axis == 1 ? 2 * v : v;
      const std::size_t along = axis == 0 ? 0 : u;
      const unsigned before = edges[row][i + along] & ((1U << axis) - 1);
      return static_cast<std::uint32_t>(first[row] + (along == 0 ? 0 : ones[edges[row][i]]) + ones[before]);
    }
    void pass(std::size_t i) {
      for (std::size_t row = 0; row < 4; ++row) first[row] += ones[edges[row][i]];
    }
    void pass_several(std::size_t i) {
      for (std::size_t row = 0; row < 4; ++row) first[row] += ones_of(word_at(edges[row] + i));
    }
  };

  void write_triangles(int j, int k, Cases& cases, Mesh& mesh) const {
    make_cases(j, k, cases);
    const std::size_t second = mirrored_ ? 2 : 1;
    std::uint32_t* corner = &mesh.triangles[3 * triangles_[row(j, k)]];
    Numbers numbers{around(edges_, j, k),
                    {vertices_[row(j, k)], vertices_[row(j + 1, k)], vertices_[row(j, k + 1)],
                     vertices_[row(j + 1, k + 1)]}};
    std::size_t i = 0;
    while (i + 1 < length()) {
      if (i + bytes_at_once <= length() && is_uncut(word_at(&cases.of_cells[i]))) {
        numbers.pass_several(i);
        i += bytes_at_once;
        continue;
      }
      const CellCase& cell = cases_[cases.of_cells[i]];
      for (std::size_t t = 0; t < cell.triangles; ++t, corner += 3) {
        corner[0] = numbers.vertex_of(i, cell.edges[3 * t]);
        corner[second] = numbers.vertex_of(i, cell.edges[3 * t + 1]);
        corner[3 - second] = numbers.vertex_of(i, cell.edges[3 * t + 2]);
      }
      numbers.pass(i++);
    }
  }

  const grid::ScalarField& field_;
  const float* values_;
  std::array<int, 3> n_;
  std::array<std::size_t, 3> offset_{};  ///< to the next point along each axis
  float isovalue_;
  CaseTable cases_;
  Eigen::Matrix3f step_;
  Eigen::Vector3f origin_;
  Eigen::Matrix3d covector_;
  bool mirrored_ = false;
  Bytes points_;  ///< is_above and is_finite
  Bytes edges_;   ///< bit a: the edge from this point along axis a is crossed
  std::vector<std::size_t> vertices_, triangles_;  ///< the first of each row, and their number at the end
};

}  // namespace

Mesh isosurface(const grid::ScalarField& field, double isovalue, const jobs::Progress& progress) {
  for (const int points : field.grid.dimensions) {
    if (points < 2) return {};
  }
  if (!std::isfinite(isovalue)) return {};
  return Finder(field, isovalue).find(progress);
}

}  // namespace isolume::surfaces
