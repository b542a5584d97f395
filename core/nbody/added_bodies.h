#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::nbody {

/// A body added by the user to a running system, in the system's units with G = 1.
struct AddedBody {
  double mass = 0;
  Eigen::Vector3d place = {0, 0, 0}, velocity = {0, 0, 0};
  bool operator==(const AddedBody&) const = default;
};

/// Parses "mass x y z vx vy vz; mass x ...". Throws Error naming the part that cannot be parsed.
std::vector<AddedBody> added_bodies(const std::string& text);
/// Returns `text` with one more body, all digits written.
std::string with_added(const std::string& text, const AddedBody& body);

}  // namespace isolume::nbody
