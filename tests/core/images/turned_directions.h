#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include <Eigen/Core>

namespace isolume::images {

/// All 48 ways in which a volume's axes can lie along the patient's, mirrored ones too.
inline std::vector<Eigen::Matrix3d> turned_directions() {
  std::vector<Eigen::Matrix3d> all;
  std::array<int, 3> order{0, 1, 2};
  do {
    for (int signs = 0; signs < 8; ++signs) {
      Eigen::Matrix3d direction = Eigen::Matrix3d::Zero();
      for (int i = 0; i < 3; ++i)
        direction(order[static_cast<std::size_t>(i)], i) = (signs >> i & 1) != 0 ? -1 : 1;
      all.push_back(direction);
    }
  } while (std::ranges::next_permutation(order).found);
  return all;
}

}  // namespace isolume::images
