#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"
#include "core/orbitals/field_problem.h"
#include "core/orbitals/product_kernels.h"
#include "core/orbitals/scattered_points.h"
#include "core/orbitals/separable_grid.h"

namespace isolume::orbitals {

/// A field prepared for the CPU and divided into pieces that are computed one by one, in any order, on any thread:
/// used by the CPU engine, and for the CPU's share if other devices compute the rest. Axis-aligned grids are
/// computed by separable tables: densities of many orbitals from products of primitives (product_field.h), everything
/// else from orbitals (separable_grid.h). Other points are computed one by one (scattered_points.h).
class CpuField {
 public:
  /// The problem must outlive it and have at least one point and one column. Throws Error for coefficients that do
  /// not fit the basis, and Cancelled. `threads`: for what all pieces share; 0: all.
  explicit CpuField(const FieldProblem& problem, int threads = 1, const jobs::Progress& progress = {});
  ~CpuField();
  CpuField(CpuField&&) noexcept;

  /// Pieces are numbered block by block; a block is a number of neighbouring planes of the grid (the last one may
  /// have fewer), or neighbouring points of a list.
  std::size_t piece_count() const;
  std::size_t pieces_per_block() const;
  static int block_size(const FieldProblem& problem);
  int block_size() const;

  /// Working memory of one thread.
  struct Scratch {
    products::Scratch products;
    SeparableGrid::Scratch separable;
    ScatteredPoints::Scratch scattered;
  };
  /// Writes one piece into the whole fields, `fields[k]` for column k or the one quadratic field.
  void compute(std::size_t piece, const std::vector<float*>& fields, Scratch& scratch,
               const jobs::Progress& progress) const;

  /// Number of pieces that take about two milliseconds together; fewer where each of `threads` threads would get
  /// fewer than four such groups.
  std::size_t pieces_per_tile(int threads) const;
  std::string_view kernel() const;  ///< "products", "separable", or "pointwise"
  std::string_view reason() const;  ///< reason for the kernel: "the grid is axis-aligned"

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Computes a whole field on the CPU, with this many threads (0: all).
dispatch::Report fill_on_cpu(const FieldProblem& problem, const std::vector<float*>& fields, int threads,
                             const jobs::Progress& progress);

}  // namespace isolume::orbitals
