#include "app/slices/label_layer.h"

#include <QColor>
#include <QPainter>
#include <cmath>
#include <limits>

namespace isolume::slices {
namespace {

std::size_t voxel(const std::array<int, 3>& counts, const std::array<int, 3>& index) {
  return (static_cast<std::size_t>(index[2]) * static_cast<std::size_t>(counts[1]) +
          static_cast<std::size_t>(index[1])) *
             static_cast<std::size_t>(counts[0]) +
         static_cast<std::size_t>(index[0]);
}

}  // namespace

std::optional<std::size_t> LabelMap::at(const Eigen::Vector3d& index) const {
  std::array<int, 3> nearest{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double rounded = std::round(index[static_cast<int>(axis)]);
    if (!(rounded >= 0 && rounded < counts[axis])) return std::nullopt;
    nearest[axis] = static_cast<int>(rounded);
  }
  const float number = numbers[voxel(counts, nearest)];
  if (std::isnan(number)) return std::nullopt;
  return static_cast<std::size_t>(number);
}

std::vector<std::uint32_t> label_colours(std::size_t count) {
  constexpr std::uint32_t okabe_ito[] = {0xffe69f00U, 0xff56b4e9U, 0xff009e73U, 0xfff0e442U,
                                         0xff0072b2U, 0xffd55e00U, 0xffcc79a7U, 0xff999999U};
  std::vector<std::uint32_t> colours;
  for (std::size_t i = 0; i < count; ++i) {
    if (count <= std::size(okabe_ito)) {
      colours.push_back(okabe_ito[i]);
      continue;
    }
    constexpr double golden = 0.618033988749895, lightnesses[] = {0.6, 0.42, 0.75};
    const double hue = std::fmod(golden * static_cast<double>(i), 1.0);
    colours.push_back(
        QColor::fromHslF(static_cast<float>(hue), 0.75F, static_cast<float>(lightnesses[i % 3])).rgb());
  }
  return colours;
}

void LabelLayer::set_map(std::shared_ptr<const LabelMap> map) {
  map_ = std::move(map);
  for (auto& [view, picture] : pictures_) picture.stale = true;
}

void LabelLayer::set_opacity(double opacity) {
  if (opacity == opacity_) return;
  opacity_ = opacity;
  for (auto& [view, picture] : pictures_) picture.stale = true;
}

void LabelLayer::draw(Picture& picture, const SliceView& view) const {
  const images::SlicePlane& plane = view.plane();
  const int axis = picture.slice.axis;
  const std::size_t x = axis == 0 ? 1 : 0, y = axis == 2 ? 1 : 2;
  FieldValues numbers(plane.size());
  std::size_t i = 0;
  std::array<int, 3> index{};
  index[static_cast<std::size_t>(axis)] = picture.slice.index;
  for (int row = 0; row < plane.rows; ++row) {
    for (int column = 0; column < plane.columns; ++column) {
      index[x] = column;
      index[y] = row;
      numbers[i++] = map_->numbers[voxel(map_->counts, index)];
    }
  }
  if (picture.image.width() != picture.map.width || picture.image.height() != picture.map.height)
    picture.image = QImage(picture.map.width, picture.map.height, QImage::Format_ARGB32_Premultiplied);
  const images::LayerStyle style{
      .low = 0, .high = static_cast<double>(map_->colours.size() - 1), .opacity = opacity_};
  images::render_layer(
      numbers.data(), plane.columns, plane.rows, picture.map, images::Interpolation::nearest, style,
      map_->colours,
      {reinterpret_cast<std::uint32_t*>(picture.image.bits()), picture.image.bytesPerLine() / 4});
  picture.stale = false;
}

void LabelLayer::paint(QPainter& painter, const SliceView& view) {
  if (map_ == nullptr || map_->colours.empty() || opacity_ == 0) return;
  if (view.document() == nullptr || view.document()->volume.geometry.dimensions != map_->counts) return;
  Picture& picture = pictures_[&view];
  if (picture.stale || !(picture.map == view.picture_map()) || !(picture.slice == view.slice())) {
    picture.map = view.picture_map();
    picture.slice = view.slice();
    draw(picture, view);
  }
  picture.image.setDevicePixelRatio(view.devicePixelRatioF());
  painter.drawImage(QPointF(0, 0), picture.image);
}

}  // namespace isolume::slices
