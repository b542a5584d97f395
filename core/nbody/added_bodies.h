#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::nbody {

/// A body that somebody adds to a running system, in its units with G = 1.
struct AddedBody {
  double mass = 0;
  Eigen::Vector3d place = {0, 0, 0}, velocity = {0, 0, 0};
  bool operator==(const AddedBody&) const = default;
};

/// "mass x y z vx vy vz; mass x ...". Throws Error that names what cannot be read.
std::vector<AddedBody> added_bodies(const std::string& text);
/// The same with one more, all digits.
std::string with_added(const std::string& text, const AddedBody& body);

}  // namespace isolume::nbody
