#include "app/labs/anatomy/deformed_grid.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace isolume::labs::anatomy {

void draw_deformed_grid(QPainter& painter, const slices::SliceView& view,
                        const volumes::VectorField& displacement, double spacing_mm) {
  if (view.document() == nullptr || view.document()->volume.geometry.dimensions != displacement.counts)
    return;
  const images::SliceId slice = view.slice();
  const images::SlicePlane& plane = view.plane();
  const std::size_t x = slice.axis == 0 ? 1 : 0, y = slice.axis == 2 ? 1 : 2;
  const auto& counts = displacement.counts;
  const auto point = [&](int column, int row) {
    std::array<int, 3> index{};
    index[static_cast<std::size_t>(slice.axis)] = slice.index;
    index[x] = column;
    index[y] = row;
    const std::size_t at = (static_cast<std::size_t>(index[2]) * static_cast<std::size_t>(counts[1]) +
                            static_cast<std::size_t>(index[1])) *
                               static_cast<std::size_t>(counts[0]) +
                           static_cast<std::size_t>(index[0]);
    return view.to_widget({column + static_cast<double>(displacement.data(x)[at]),
                           row + static_cast<double>(displacement.data(y)[at])});
  };
  painter.setPen(QPen(QColor(255, 220, 0, 200), 1));
  painter.setBrush(Qt::NoBrush);
  const Eigen::Vector2d spacing = plane.spacing();
  // Lines of constant row, then of constant column.
  for (const bool is_row : {true, false}) {
    const int lines = is_row ? plane.rows : plane.columns, points = is_row ? plane.columns : plane.rows;
    const int step = std::max(1, static_cast<int>(std::lround(spacing_mm / spacing[is_row ? 1 : 0])));
    QPolygonF line(points);
    for (int at = step / 2; at < lines; at += step) {
      for (int i = 0; i < points; ++i) line[i] = is_row ? point(i, at) : point(at, i);
      painter.drawPolyline(line);
    }
  }
}

}  // namespace isolume::labs::anatomy
