#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/separable_terms.h"

/// Fields on axis-aligned lattices. A Gaussian times a monomial is a product of three one-dimensional tables,
/// so
///   psi(x, y, z) = sum_t A_t(x) B_t(y, z),   t = (primitive group, power i of x),
///   A_t(x) = x^i exp(-a x^2),   B_t(y, z) = sum_jk c_ijk y^j z^k exp(-a (y^2 + z^2)),
/// places relative to the group's atom. For each pencil (a block of y and z, all x) the B_t are made once,
/// and each tile of x is a small matrix product over the terms that reach it; which these are, and the error
/// of leaving out the others, says separable_terms.h.
namespace isolume::orbitals {

using AlignedFloats = std::vector<float, UninitialisedAllocator<float>>;

/// What is prepared once for K fields on one lattice, read-only afterwards.
class SeparableLattice {
 public:
  /// `weights`: null for amplitudes, else those of the quadratic field.
  SeparableLattice(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                   const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights,
                   const lattice::Lattice& lattice, double tolerance);

  int pencil_count() const { return blocks_y_ * blocks_z_; }
  Eigen::Index column_count() const { return coefficients_.cols(); }
  /// Bytes held by the tables.
  std::size_t memory_bytes() const;

  /// Working memory of one thread.
  struct Scratch {
    std::vector<separable::PlaneMonomialsJob> monomial_jobs;
    std::vector<separable::PlaneTerm> plane_terms;
    std::vector<std::size_t> monomial_offsets;
    std::vector<std::vector<separable::TileEntry>> lists;
    std::vector<std::span<const separable::TileEntry>> tiles;
    AlignedFloats monomials;
    AlignedFloats planes;
  };

  /// The amplitudes of one pencil, `fields[k]` being the whole lattice's values of column k.
  void amplitudes(int pencil, const std::vector<float*>& fields, Scratch& scratch,
                  const jobs::Progress& progress) const;
  /// sum_k weights[k] psi_k^2 of one pencil.
  void density(int pencil, const Eigen::VectorXd& weights, float* field, Scratch& scratch,
               const jobs::Progress& progress) const;
  /// Floating point operations that `amplitudes` or `density` execute for one pencil, all columns: two a
  /// multiply-add; table set-up and selection not counted.
  double operations(int pencil, bool quadratic, Scratch& scratch) const;

 private:
  struct Term {
    std::int32_t group = 0;
    std::int32_t x_row = 0;
    std::int32_t first_coefficient = 0;
    std::int32_t power_x = 0;
    float radius_squared = 0;
  };
  struct GroupTables {
    std::int32_t y_row = 0;  ///< where point 0 of row 0 would stand
    std::int32_t z_row = 0;
    std::int32_t y_stride = 0;
    std::int32_t z_stride = 0;
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

  /// Finds what reaches into a pencil: fills the scratch's jobs, terms and lists.
  void select(int pencil, Scratch& scratch) const;
  void list_terms(const AtomTerms& atom, double distance_squared, int y, int z, Scratch& scratch) const;
  separable::PencilJob job_for(int pencil, const Scratch& scratch) const;

  std::array<LatticeAxis, 3> axes_;
  int blocks_y_ = 0;
  int blocks_z_ = 0;
  int tiles_x_ = 0;
  std::vector<PrimitiveGroup> groups_;
  std::vector<GroupTables> group_tables_;
  std::vector<Term> terms_;
  std::vector<AtomTerms> atoms_;
  Eigen::MatrixXf coefficients_;  ///< polynomial rows x K
  std::array<AlignedFloats, 3> tables_;
  std::array<std::size_t, 3> table_sizes_{};
  std::array<std::vector<separable::AxisTableJob>, 3> fill_jobs_;
};

}  // namespace isolume::orbitals
