#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/orbitals/local_density.h"
#include "gpu/orbitals/separable/local_kernels.h"
#include "gpu/orbitals/separable/separable_layout.h"

namespace isolume::gpu {

/// A local density in the format of its kernels, in host memory; the terms are SeparableLayout's.
struct LocalLayout {
  struct Part {
    float sign = 1;
    int columns = 0;          ///< maximum: the number of weights of that sign
    Eigen::MatrixXd density;  ///< functions x functions
  };
  std::vector<Part> parts;
  std::vector<separable::MonomialRow> rows;
  std::vector<int> function_begin;
  std::vector<separable::Element> by_function;
  std::vector<int> row_begin;
  std::vector<separable::Element> by_row;
  separable::Blocks blocks{};
  int functions = 0;
  int most_functions = 0;  ///< in range of any block
  int most_columns = 0;    ///< of any part
  double screening = 0;

  /// Scratch memory of one block.
  std::size_t block_bytes() const;
};

/// Whether squares of local columns (local_density.h) should be faster than those of the orbitals.
bool local_columns_worthwhile(const FieldProblem& problem);
/// `terms`: the result of lay_out_separable() without columns.
LocalLayout lay_out_local(const FieldProblem& problem, const SeparableLayout& terms);

}  // namespace isolume::gpu
