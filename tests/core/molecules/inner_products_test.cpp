#include "core/molecules/inner_products.h"

#include <limits>

#include <gtest/gtest.h>

namespace isolume::molecules {
namespace {

TEST(InnerProducts, equal_sums_in_a_row_for_every_shape) {
  for (const int elements : {0, 1, 7, 255, 256, 257, 600}) {
    for (const int left : {1, 15, 16, 33}) {
      for (const int right : {1, 5, 12, 25}) {
        const Eigen::MatrixXd a = Eigen::MatrixXd::Random(elements, left);
        const Eigen::MatrixXd b = Eigen::MatrixXd::Random(elements, right);
        const Eigen::MatrixXd products = inner_products(a, b);
        ASSERT_EQ(products.rows(), left);
        ASSERT_EQ(products.cols(), right);
        for (int i = 0; i < left; ++i) {
          for (int j = 0; j < right; ++j) {
            long double sum = 0;
            for (int k = 0; k < elements; ++k) sum += static_cast<long double>(a(k, i)) * b(k, j);
            ASSERT_NEAR(products(i, j), static_cast<double>(sum), 1e-13) << elements << ' ' << i << ' ' << j;
          }
        }
      }
    }
  }
}

TEST(InnerProducts, of_parts_of_matrices) {
  const Eigen::MatrixXd whole = Eigen::MatrixXd::Random(40, 40);
  const Eigen::MatrixXd products = inner_products(whole.block(3, 5, 30, 7), whole.block(3, 20, 30, 9));
  const Eigen::MatrixXd expected = whole.block(3, 5, 30, 7).transpose() * whole.block(3, 20, 30, 9);
  EXPECT_LT((products - expected).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(InnerProducts, no_infinity_or_nan_is_lost) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Ones(9, 3), b = Eigen::MatrixXd::Zero(9, 2);
  a(8, 1) = std::numeric_limits<double>::quiet_NaN();
  a(0, 2) = std::numeric_limits<double>::infinity();
  const Eigen::MatrixXd products = inner_products(a, b);
  EXPECT_EQ(products(0, 0), 0);
  EXPECT_TRUE(products.row(1).array().isNaN().all());
  EXPECT_TRUE(products.row(2).array().isNaN().all());  // infinity x 0
}

}  // namespace
}  // namespace isolume::molecules
