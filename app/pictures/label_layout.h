#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Geometry>

namespace isolume::pictures {

/// A rectangle of the picture, in pixels from its lower left corner.
using PictureBox = Eigen::AlignedBox2d;

/// The dot or disc of a body on the picture, in pixels, and the size of its name.
struct SpotOnPicture {
  double x = 0, y = 0, radius = 0;
  double width = 0, height = 0;  ///< of the name
  bool visible = false;          ///< in front of the camera
  int side = 0;  ///< preferred, as of NameBox: that of the last frame, so that names keep still
};
/// Position of a name.
struct NameBox {
  std::size_t number = 0;  ///< of its spot
  double left = 0, bottom = 0, width = 0, height = 0;
  int side = 0;  ///< of the spot: right, left, above, below, or a corner
};
/// Names next to their spots, within the picture, where they cover neither another name nor another spot nor what is
/// `taken`. Earlier ones have the choice; those without room are left out.
std::vector<NameBox> arranged_names(std::span<const SpotOnPicture> spots, const PictureBox& picture,
                                    std::span<const PictureBox> taken = {});

/// Which of these texts have room, in the order of their choice: within the picture, and covering neither an earlier one
/// nor what is `taken`.
std::vector<bool> texts_with_room(std::span<const PictureBox> texts, const PictureBox& picture,
                                  std::span<const PictureBox> taken = {});

}  // namespace isolume::pictures
