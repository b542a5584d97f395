#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/orbitals/local_density.h"
#include "gpu/orbitals/separable/local_kernels.h"
#include "gpu/orbitals/separable/separable_layout.h"

namespace isolume::gpu {

/// A local density as its kernels want it, in host memory; the terms are SeparableLayout's.
struct LocalLayout {
  struct Part {
    float sign = 1;
    int columns = 0;          ///< at most: the number of weights of that sign
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
  int most_functions = 0;  ///< that reach any block
  int most_columns = 0;    ///< of any part
  double screening = 0;

  /// What one block's working memory takes.
  std::size_t block_bytes() const;
};

/// `terms` as lay_out_separable() makes them without columns.
LocalLayout lay_out_local(const FieldProblem& problem, const SeparableLayout& terms);

}  // namespace isolume::gpu
