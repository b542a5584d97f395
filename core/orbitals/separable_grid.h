#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/orbitals/local_density.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/separable_terms.h"

/// Fields on axis-aligned grids. A Gaussian times a monomial is a product of three one-dimensional tables, so
///   psi(x, y, z) = sum_t A_t(x) B_t(y, z),   t = (primitive group, power i of x),
///   A_t(x) = x^i exp(-a x^2),   B_t(y, z) = sum_jk c_ijk y^j z^k exp(-a (y^2 + z^2)),
/// with positions relative to the group's atom. For each pencil (a block of y and z, all x) the B_t are computed
/// once, and each tile of x is a small matrix product over the terms that extend into it; for the choice of these and
/// the error of omitting the others, see separable_terms.h. A density of many orbitals is computed block by block
/// from fewer columns, derived for each block from the local part of the density matrix (local_density.h).
namespace isolume::orbitals {

inline constexpr int max_polynomial_size = polynomial_size(molecules::max_angular_momentum);

/// Data prepared once for K fields on one grid, read-only afterwards.
class SeparableGrid {
 public:
  /// `weights`: null for amplitudes, else those of the quadratic field.
  SeparableGrid(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights, const grid::Grid& grid,
                double tolerance);

  /// The field is computed in pieces, ordered by blocks of neighbouring planes (the last one may have fewer):
  /// pencils, or, where the density is local, bundles of 2 x 2 pencils.
  int piece_count() const { return pieces_y_ * pieces_z_; }
  int pieces_per_block() const { return pieces_y_; }
  static int planes_per_block(const molecules::Molecule& molecule, const Eigen::MatrixXd& coefficients,
                              const Eigen::VectorXd* weights, const grid::Grid& grid);

  /// Reason for this method, and its particularities here, as a clause.
  std::string_view reason() const;

  /// Terms that extend into some tiles of a pencil.
  struct Selection {
    std::vector<separable::PlaneMonomialsJob> monomial_jobs;
    std::vector<separable::PlaneTerm> terms;
    std::vector<std::vector<separable::TileEntry>> lists;
    std::vector<std::span<const separable::TileEntry>> tiles;
    std::size_t monomial_count = 0;
    AlignedFloats monomials;
    AlignedFloats planes;
    AlignedFloats squares;
    double plane_operations = 0;  ///< floating-point operations for the planes of a column
  };
  /// Working memory of one thread.
  struct Scratch {
    std::array<Selection, 4> pencils;
    std::vector<separable::Column> columns;
    LocalDensity::Scratch local;
    std::vector<std::int32_t> groups;    ///< in a block of the local density
    std::vector<std::int32_t> place_of;  ///< index of a group in `groups`, or -1
    std::vector<std::array<LocalDensity::TileValues, max_polynomial_size>> largest;
    double operations = 0;  ///< floating-point operations done so far
  };

  /// The amplitudes of one piece, `fields[k]` being the whole grid's values of column k.
  void amplitudes(int piece, const std::vector<float*>& fields, Scratch& scratch,
                  const jobs::Progress& progress) const;
  /// sum_k weights[k] psi_k^2 of one piece.
  void density(int piece, float* field, Scratch& scratch, const jobs::Progress& progress) const;
  /// Estimated number of floating-point operations for a piece, two per multiply-add.
  double expected_operations(int piece, Scratch& scratch) const;

 private:
  struct Term {
    std::int32_t group = 0;
    std::int32_t x_row = 0;
    std::int32_t first_coefficient = 0;
    std::int32_t power_x = 0;
    float radius_squared = 0;
  };
  struct GroupTables {
    std::int32_t x_row = 0;  ///< position that point 0 of row 0 would have
    std::int32_t y_row = 0;
    std::int32_t z_row = 0;
    std::int32_t x_stride = 0;
    std::int32_t y_stride = 0;
    std::int32_t z_stride = 0;
    std::int32_t power_x = 0;  ///< the highest power of x
    std::int32_t degree = 0;   ///< and of (y, z)
  };
  struct AtomTerms {
    Eigen::Vector3d position;
    float largest_radius_squared = 0;
    std::int32_t first = 0;
    std::int32_t last = 0;
  };

  struct TableRows {
    std::int32_t row = 0;
    std::int32_t stride = 0;
    bool empty = false;
  };
  void lay_out(const molecules::Molecule& molecule, const std::vector<SeparableTerm>& candidates);
  TableRows plan_rows(int axis, const PrimitiveGroup& group, double centre, double radius, int degree);
  void fill_tables();

  /// Tiles first .. last-1 of a pencil.
  struct Window {
    int pencil = 0;
    int first = 0;
    int last = 0;
  };
  Window whole(int pencil) const { return {pencil, 0, tiles_x_}; }

  /// Finds the terms that extend into the window: fills the selection's jobs, terms and lists, and computes its
  /// monomials.
  void select(const Window& window, Selection& selection) const;
  void list_terms(const AtomTerms& atom, double distance_squared, const Window& window,
                  Selection& selection) const;
  /// The window's points, without columns.
  separable::PencilJob job_for(const Window& window, Selection& selection) const;
  std::size_t first_point(const Window& window) const;
  void compute_columns(separable::PencilJob job, Scratch& scratch, const jobs::Progress& progress) const;
  /// Floating-point operations of one column.
  static double operations(const Selection& selection, const separable::PencilJob& job);

  /// The part of a bundle of pencils between two tiles of x: a block in LocalDensity.
  struct Block {
    static constexpr int tiles_x = 2;
    int pencil_y = 0;  ///< of the first of its 2 x 2 pencils
    int pencil_z = 0;
    int tile = 0;  ///< the first of its tiles
  };
  std::optional<Window> window(const Block& block, int pencil) const;
  void local_density(const Block& block, float* field, Scratch& scratch,
                     const jobs::Progress& progress) const;
  void reach(const Block& block, Scratch& scratch) const;
  void bound(int pencil, const Window& window, Scratch& scratch) const;
  void bound_group(std::int32_t group, const Window& window, int tile, int column,
                   std::span<LocalDensity::TileValues> largest) const;
  LocalDensity::TileValues least_values(const Block& block, const float* field, Scratch& scratch) const;
  void add_columns(const Block& block, int part, int first, const std::array<int, LocalDensity::tiles>& last,
                   float* field, Scratch& scratch, const jobs::Progress& progress) const;

  std::array<GridAxis, 3> axes_;
  int blocks_y_ = 0;
  int blocks_z_ = 0;
  int tiles_x_ = 0;
  int pieces_y_ = 0;
  int pieces_z_ = 0;
  std::vector<PrimitiveGroup> groups_;
  std::vector<GroupTables> group_tables_;
  std::vector<Term> terms_;
  std::vector<AtomTerms> atoms_;
  Eigen::MatrixXf coefficients_;  ///< polynomial rows x K; empty where
  std::optional<LocalDensity> local_;
  Eigen::VectorXf weights_;
  std::array<AlignedFloats, 3> tables_;
  std::array<std::size_t, 3> table_sizes_{};
  std::array<std::vector<separable::AxisTableJob>, 3> fill_jobs_;
};

}  // namespace isolume::orbitals
