#pragma once

#include <Eigen/Core>

namespace isolume::molecules {

/// A^T B, columns of `a` x columns of `b`: the inner products of all columns of one matrix with all of
/// another, with the widest vectors of the processor it runs on. Eigen's own product uses those it was
/// compiled for, which for a program that runs on every x86-64 are SSE2's. The bound is arithmetic: two
/// operations per element of every pair of columns.
Eigen::MatrixXd inner_products(const Eigen::Ref<const Eigen::MatrixXd>& a,
                               const Eigen::Ref<const Eigen::MatrixXd>& b);

}  // namespace isolume::molecules
