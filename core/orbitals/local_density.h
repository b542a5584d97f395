#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "core/grid/grid.h"
#include "core/orbitals/pivoted_cholesky.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/separable_kernels.h"

/// Densities of many orbitals from few columns. In a block of points only some basis functions matter, and only their
/// part of the density matrix D = C diag(w) C^T; a pivoted Cholesky decomposition of that part, with each function
/// weighted by its largest value in the block, gives columns whose squares sum to the same density. They decrease so
/// fast that in a block of some bohr half of C60's 180 is enough where most work is done, and their number does not
/// grow with the molecule. Columns are only omitted as squares, so the error is of second order in them: with s the
/// screening, a tile's columns end when the remaining ones can add less anywhere in it than
///   s q + s^2 / 4,   q^2 = the smallest density in the tile from the first columns (a lower bound),
/// which, with terms screened by s / 2 (separable_terms.h), keeps the whole within 2 s sqrt(rho) + s^2, as q itself
/// is at most s / 2 too large.
/// Weights of both signs are treated as two matrices, each with half of that.
namespace isolume::orbitals {

class LocalDensity {
 public:
  /// Data of a density, and which functions may overlap in a block.
  struct Problem {
    const molecules::Molecule& molecule;
    const molecules::BasisSet& basis;
    const Eigen::MatrixXd& coefficients;  ///< functions x K
    const Eigen::VectorXd& weights;
    const grid::Grid& grid;  ///< axis-aligned
    double screening;
    std::vector<double> reach_bohr;  ///< for the functions of each atom; negative: everywhere negligible
  };
  /// The density matrix of the weights of one sign (1 or -1), zero where functions cannot overlap: functions x
  /// functions.
  static Eigen::MatrixXd density_matrix(const Problem& problem, double sign);
  /// This many columns contain nearly all of a block's density, enough for a lower bound of it.
  static constexpr int first_count = 16;

  /// `polynomials`: rows x functions (GroupedFunctions).
  LocalDensity(const Problem& problem, Eigen::SparseMatrix<double, Eigen::RowMajor> polynomials);
  /// Whether blocks of the grid save time: a block's columns depend on the atoms within some bohr of it. If that
  /// is most of the molecule, or there are few columns, the decomposition costs more than it saves. With very many
  /// functions the density matrix takes too much memory.
  static bool worthwhile(const molecules::Molecule& molecule, const Eigen::MatrixXd& coefficients,
                         const grid::Grid& grid);

  /// Tiles of a block.
  static constexpr int tiles = 8;
  static constexpr std::array<int, 3> block_points{2 * separable::tile_x, 2 * separable::block_y,
                                                   2 * separable::block_z};
  static std::array<int, tiles> all(int columns) {
    std::array<int, tiles> each;
    each.fill(columns);
    return each;
  }
  using TileValues = Eigen::Array<float, tiles, 1>;

  /// Working memory of one thread: one block's columns.
  struct Scratch {
    struct Element {  ///< of the polynomials
      std::int32_t row = 0;
      std::int32_t position = 0;  ///< in `functions`
      float value = 0;
    };
    std::vector<Element> elements;  ///< by increasing row within a group
    std::vector<int> functions;
    std::vector<int> position_of;                            ///< index of a function in `functions`, or -1
    Eigen::Array<float, tiles, Eigen::Dynamic> tile_bounds;  ///< of each of the functions
    std::vector<double> bounds;                              ///< maximum over the tiles
    PivotedCholesky factor;
    Eigen::MatrixXf of_functions;  ///< functions of the block x columns
    Eigen::MatrixXf columns;       ///< polynomial rows (all; only those of the block are filled) x columns
    int column_count = 0;
  };

  void start_block(Scratch& scratch) const;
  /// Adds a group that extends into the block: its rows, with the largest magnitude of each of its monomials, times
  /// the Gaussian, in each tile.
  void add_group(Eigen::Index first_row, std::span<const TileValues> largest, Scratch& scratch) const;

  /// One matrix, or one each for the positive and the negative weights.
  int part_count() const { return static_cast<int>(parts_.size()); }
  float sign(int part) const { return parts_[static_cast<std::size_t>(part)].sign; }
  /// The first columns of the block.
  void first_columns(int part, Scratch& scratch) const;
  /// All columns that a tile may need, where `least` is the smallest density so far in each of the tiles (from all
  /// previous parts); and how many of them each tile needs.
  std::array<int, tiles> further_columns(const TileValues& least, Scratch& scratch) const;

 private:
  struct Part {
    float sign = 1;
    Eigen::MatrixXd density;  ///< functions x functions
  };
  void add_columns(Scratch& scratch) const;

  Eigen::SparseMatrix<double, Eigen::RowMajor> polynomials_;
  std::vector<Part> parts_;
  double screening_;
};

}  // namespace isolume::orbitals
