#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::nbody {

/// A body added by the user to a running system, in the system's units with G = 1.
struct AddedBody {
  double mass = 0;
  Eigen::Vector3d place = {0, 0, 0}, velocity = {0, 0, 0};
  std::optional<std::int64_t> step = std::nullopt;  ///< at which it joins; nothing: at the start
  bool operator==(const AddedBody&) const = default;
};

/// Parses "mass x y z vx vy vz @step; mass x ...", where "@step" may be missing. Throws Error naming the part that
/// cannot be parsed.
std::vector<AddedBody> added_bodies(const std::string& text);
/// All digits are written.
std::string text_of(const std::vector<AddedBody>& bodies);
/// Returns `text` with one more body.
std::string with_added(const std::string& text, const AddedBody& body);

/// Returns `text` for a run that has the bodies of `now`: other ones without a step join at `step`. In order of steps.
std::string joining_at(std::int64_t step, const std::string& now, const std::string& text);
/// Returns `text` with all bodies joining at the start.
std::string joining_at_start(const std::string& text);

/// From a step on, these bodies have been added.
struct AddedFrom {
  std::int64_t step = 0;
  std::string added;
};
/// How a run that had the bodies of `before` comes to have those of `after`, from the first step on at which they
/// differ. `start`: the step of the start.
std::vector<AddedFrom> way_to(const std::string& after, const std::string& before, std::int64_t start);

}  // namespace isolume::nbody
