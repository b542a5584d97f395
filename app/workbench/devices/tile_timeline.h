#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/dispatch/dispatch.h"

class QPainter;

namespace isolume::workbench {

/// The tiles of one job in time: a row for every worker of every device, a bar for every tile. Bars too short
/// to be separate are drawn as one, hatched; tiles that failed carry a cross. The mouse or the arrow keys
/// choose a tile, whose description is the tool tip and the accessible text.
class TileTimeline : public QWidget {
  Q_OBJECT
 public:
  explicit TileTimeline(QWidget* parent = nullptr);

  /// Null for none. `names` are those of the report's shares ("1: NVIDIA H100").
  void set_report(std::shared_ptr<const dispatch::Report> report, const QStringList& names);

  /// The chosen tile, as a position in Report::timeline; -1 for none.
  int chosen() const { return chosen_; }
  /// The tile drawn at a position, or -1.
  int tile_at(const QPointF& place) const;
  /// The rectangle of a tile; less than a pixel wide for short ones.
  QRectF bar(int span) const;
  /// "Tile 12 by 1: NVIDIA H100, worker 2: from 1.25 ms, took 0.43 ms".
  QString describe(int span) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void tile_chosen(int span);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Row {
    int device = 0;
    int worker = 0;
    std::vector<int> spans;  ///< sorted by time
  };

  void choose(int span);
  void step_in_time(int step);
  void step_to_row(int step);
  int nearest_in_time(const Row& row, double seconds) const;
  std::size_t row_of(int span) const;

  double line() const;
  double label_width() const;
  double least_row_height() const;
  QRectF plot() const;
  QRectF row_area(std::size_t row) const;
  double to_x(const QRectF& area, double seconds) const;

  void draw_axis(QPainter& painter) const;
  void draw_names(QPainter& painter) const;
  void draw_row(QPainter& painter, std::size_t row) const;
  void draw_failures(QPainter& painter, std::size_t row) const;
  void draw_legend(QPainter& painter) const;

  std::shared_ptr<const dispatch::Report> report_;
  QStringList names_;
  std::vector<Row> rows_;
  double seconds_ = 0;  ///< range of the axis
  int chosen_ = -1;
};

}  // namespace isolume::workbench
