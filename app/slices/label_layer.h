#pragma once

#include <QImage>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "app/slices/slice_view.h"
#include "core/base/field_values.h"

namespace isolume::slices {

/// Labels of all voxels of a grid, as numbers of colours; NaN: no label.
struct LabelMap {
  std::array<int, 3> counts{};
  FieldValues numbers;
  std::vector<std::uint32_t> colours;  ///< 0xffRRGGBB

  /// Of a voxel's label; nothing outside of the grid, and where there is none.
  std::optional<std::size_t> at(const Eigen::Vector3d& index) const;
};

/// Colours for labels: up to eight are those of Okabe and Ito, which remain distinct in colour blindness; more are hues by the
/// golden ratio in three lightnesses.
std::vector<std::uint32_t> label_colours(std::size_t count);

/// Labels as a wash of colours over slice views of their grid. Cached for each view until map, opacity or view change.
class LabelLayer {
 public:
  /// Null: none.
  void set_map(std::shared_ptr<const LabelMap> map);
  const std::shared_ptr<const LabelMap>& map() const { return map_; }
  void set_opacity(double opacity);
  void paint(QPainter& painter, const SliceView& view);

 private:
  struct Picture {
    QImage image;
    images::SliceId slice;
    images::PictureMap map;
    bool stale = true;
  };
  void draw(Picture& picture, const SliceView& view) const;

  std::shared_ptr<const LabelMap> map_;
  double opacity_ = 0.5;
  std::map<const SliceView*, Picture> pictures_;
};

}  // namespace isolume::slices
