#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::nbody {

/// A body added by the user to a running system, in the system's units with G = 1; or a body of the system that the user
/// has changed or removed.
struct AddedBody {
  double mass = 0;
  Eigen::Vector3d place = {0, 0, 0}, velocity = {0, 0, 0};
  std::optional<std::int64_t> step = std::nullopt;  ///< at which it joins; nothing: at the start
  std::optional<std::uint64_t> of =
      std::nullopt;        ///< id of the body that gets these values; nothing: a new one
  bool mass_only = false;  ///< the body `of` keeps its position and velocity
  bool removed = false;    ///< the body `of` is removed instead
  bool operator==(const AddedBody&) const = default;
};

/// Parses "mass x y z vx vy vz @step; mass x ...", where "@step" may be missing. "#id mass x ..." and
/// "#id mass" change a body, "#id" alone removes it. Throws Error naming the part that cannot be parsed.
std::vector<AddedBody> added_bodies(const std::string& text);
/// All digits are written.
std::string text_of(const std::vector<AddedBody>& bodies);
/// Number of new bodies among them. The n-th one has the id first_added_id() + n.
std::uint64_t count_new(std::span<const AddedBody> bodies);
/// Returns `text` without changes and removals, which belong to the bodies of one start.
std::string only_new(const std::string& text);
/// Returns `text` with one more body.
std::string with_added(const std::string& text, const AddedBody& body);

/// Returns `text` for a run that has the bodies of `now`: those without a step join when they do in `now`, others at
/// `step`. In order of steps.
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
