#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/flames/triangles.h"

namespace isolume::flames {

/// A command with its words: {"flames.map.set", {"1", "0.5", ...}}.
struct Act {
  std::string command;
  std::vector<std::string> words;
};

/// A hand on the picture, in the coordinates of the plane: it drags triangles and their corners, or else the picture.
class Hand {
 public:
  /// `reach`: how far from a corner it takes hold. `triangles`: whether they are there to be taken. Returns the act of
  /// choosing the function of the triangle, if another one is chosen.
  std::optional<Act> take_hold(const Flame& flame, int chosen, bool triangles, PlanePoint at, double reach);
  /// What it does by having come to this place of the flame as it is now, which its acts have changed. Nothing if it
  /// holds nothing.
  std::optional<Act> move(const Flame& flame, PlanePoint to);
  /// The same for the last time; nothing if the hand has not moved.
  std::optional<Act> release(const Flame& flame, PlanePoint to);

 private:
  struct Hold {
    PlanePoint from;
    std::optional<Grip> grip = {};  ///< nothing: the picture
    Affine map = {};                ///< of the grip's function, before
    bool moved = false;
  };
  std::optional<Hold> hold_;
};

/// The view at `factor` times the scale, where the point `about` stays.
Act zoom(const View& view, double factor, PlanePoint about);

}  // namespace isolume::flames
