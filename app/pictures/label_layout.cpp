#include "app/pictures/label_layout.h"

#include <algorithm>
#include <array>

namespace isolume::pictures {
namespace {

/// Grown by the width of about a letter to each side: texts in one line would read as one otherwise.
PictureBox with_margin(const PictureBox& text) {
  const Eigen::Vector2d letter(0.5 * text.sizes().y(), 0);
  return {text.min() - letter, text.max() + letter};
}

/// The part of the picture that texts have taken so far.
class Taken {
 public:
  Taken(const PictureBox& picture, std::span<const PictureBox> boxes)
      : picture_(picture), boxes_(boxes.begin(), boxes.end()) {}
  bool has_room(const PictureBox& text) const {
    return picture_.contains(text) &&
           std::ranges::none_of(boxes_, [&](const PictureBox& other) { return text.intersects(other); });
  }
  void take(const PictureBox& text) { boxes_.push_back(text); }

 private:
  PictureBox picture_;
  std::vector<PictureBox> boxes_;
};

}  // namespace

std::vector<NameBox> arranged_names(std::span<const SpotOnPicture> spots, const PictureBox& picture,
                                    std::span<const PictureBox> boxes) {
  std::vector<PictureBox> discs;
  for (const SpotOnPicture& each : spots) {
    const Eigen::Vector2d middle(each.x, each.y), half = Eigen::Vector2d::Constant(0.7 * each.radius);
    discs.push_back(each.visible ? PictureBox(middle - half, middle + half) : PictureBox());
  }
  Taken taken(picture, boxes);
  std::vector<NameBox> shown;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const SpotOnPicture& spot = spots[i];
    if (!spot.visible) continue;
    const double gap = spot.radius + 0.25 * spot.height;
    const double middle_x = spot.x - spot.width / 2, middle_y = spot.y - spot.height / 2;
    const double right = spot.x + gap, left = spot.x - gap - spot.width, above = spot.y + gap,
                 below = spot.y - gap - spot.height;
    const std::array corners{Eigen::Vector2d(right, middle_y), Eigen::Vector2d(left, middle_y),
                             Eigen::Vector2d(middle_x, above), Eigen::Vector2d(middle_x, below),
                             Eigen::Vector2d(right, above),    Eigen::Vector2d(left, above),
                             Eigen::Vector2d(right, below),    Eigen::Vector2d(left, below)};
    const auto box_at = [&](int side) {
      const Eigen::Vector2d& corner = corners.at(static_cast<std::size_t>(side));
      return PictureBox(corner, corner + Eigen::Vector2d(spot.width, spot.height));
    };
    for (const int side : {spot.side, 0, 1, 2, 3, 4, 5, 6, 7}) {
      const PictureBox box = box_at(side);
      bool free = taken.has_room(box);
      for (std::size_t k = 0; free && k < discs.size(); ++k) free = k == i || !box.intersects(discs[k]);
      if (!free) continue;
      taken.take(with_margin(box));
      shown.push_back({i, box.min().x(), box.min().y(), spot.width, spot.height, side});
      break;
    }
  }
  return shown;
}

std::vector<bool> texts_with_room(std::span<const PictureBox> texts, const PictureBox& picture,
                                  std::span<const PictureBox> boxes) {
  Taken taken(picture, boxes);
  std::vector<bool> shown;
  for (const PictureBox& each : texts) {
    shown.push_back(taken.has_room(each));
    if (shown.back()) taken.take(each);
  }
  return shown;
}

}  // namespace isolume::pictures
