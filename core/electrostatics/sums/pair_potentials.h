#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>

namespace isolume::electrostatics {

/// Contribution of a charge q to the potential at a distance r: q / r times
enum class PairLaw {
  coulomb,          ///< 1
  cutoff,           ///< (1 - r^2 / cutoff^2)^2, and 0 beyond the cut-off
  screened,         ///< exp(-kappa r)
  distance,         ///< 1 / r, with r in angstrom: a permittivity proportional to the distance
  distance_cutoff,  ///< (1 - r^2 / cutoff^2)^2 / r, and 0 beyond the cut-off
  split,  ///< 1 - r smooth(r), and 0 beyond the cut-off: the long-range part, q smooth(r), is summed separately
          ///< (inverse_split.h)
};

/// In 1/angstrom, as a function of u = 2 r^2 / cutoff^2 - 1, for distances r within a cut-off.
struct RadialPolynomial {
  static constexpr int capacity = 48;

  int terms = 0;
  std::array<double, capacity> coefficients{};  ///< of u^0, u^1, ...

  double operator()(double u) const {
    double value = 0;
    for (int i = terms; i-- > 0;) value = value * u + coefficients[static_cast<std::size_t>(i)];
    return value;
  }
};

struct PairTerms {
  PairLaw law = PairLaw::coulomb;
  double cutoff = 0;                                 ///< angstrom; 0: none
  double kappa = 0;                                  ///< 1/angstrom
  RadialPolynomial smooth = {}, smooth_single = {};  ///< accurate to double precision, and to single
};

/// A charge closer to a point than this, in angstrom, does not contribute there, because the potential at a point
/// charge is infinite. With PairLaw::split, its long-range part is subtracted.
inline constexpr double nearest = 1e-4;

/// For laws with a cut-off, coordinates of tiles and charges near them are scaled such that this is the squared
/// cut-off.
inline constexpr double squared_cutoff = 3;
inline double units_per_angstrom(const PairTerms& terms) {
  return std::sqrt(squared_cutoff) / terms.cutoff;
}

/// Some charges, relative to the centre of a tile of points.
struct TileCharges {
  static constexpr int capacity = 512;
  static constexpr int room = capacity + 16;  ///< a whole vector may be written after the last one

  int count = 0;
  alignas(64) float x[room];
  alignas(64) float y[room];
  alignas(64) float z[room];
  alignas(64) float charge[room];
};

/// The neighbourhood of a tile of points: a box.
struct TileBox {
  std::array<double, 3> middle;  ///< in angstrom
  double units_per_angstrom;
  std::array<float, 3> half;  ///< half edges, in scaled units
  float reach;                ///< in scaled units
};

/// Appends those of `count` charges that are within reach of the box to those of their sign, until all are examined
/// or either sign has TileCharges::capacity of them or a few more. Returns the number examined.
std::size_t sort_near(const TileBox& box, const double* x, const double* y, const double* z,
                      const double* charge, std::size_t count, TileCharges& positive, TileCharges& negative);

/// Points in a row along x, relative to the centre of their tile. Sums are accumulated in double precision.
struct TileRow {
  static constexpr int capacity = 32;

  int count = 0;
  alignas(64) float x[capacity] = {};
  float y = 0, z = 0;
  double potential[capacity] = {};
};

/// Points of a grid along x, y and z in a cube, relative to the centre of their tile. Sums are accumulated in
/// double precision.
struct TileBlock {
  static constexpr int side = 4, points = side * side * side;
  static constexpr std::size_t most_in_row = 4;

  alignas(64) float x[side * side] = {};  ///< of the points of a plane, [y][x]
  alignas(64) float y[side * side] = {};
  float z[side] = {};
  double potential[points] = {};  ///< [z][y][x]
};

/// In single precision, for a law with a cut-off, with positions in units_per_angstrom(terms). The blocks are between
/// the same planes, those in a row along x consecutive; the charges have one sign.
void add_to_layer(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms);
/// In single precision, for a law without a cut-off, positions in angstrom.
void add_to_row(TileRow& row, const TileCharges& charges, const PairTerms& terms);

/// The sum at one point, in double precision.
double sum_at_point(double x, double y, double z, const double* charge_x, const double* charge_y,
                    const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms);

}  // namespace isolume::electrostatics
