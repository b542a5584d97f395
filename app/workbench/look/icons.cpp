#include "app/workbench/look/icons.h"

#include <QApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPainterPath>
#include <QPalette>
#include <QRadialGradient>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "app/workbench/look/theme.h"

namespace isolume::workbench {
namespace {

/// Draws on a canvas of 24 x 24 units with the pen set.
using Drawing = std::function<void(QPainter&)>;

void curved_arrow(QPainter& painter, bool to_left) {
  if (!to_left) {
    painter.translate(24, 0);
    painter.scale(-1, 1);
  }
  QPainterPath path(QPointF(5, 9));
  path.lineTo(14, 9);
  path.cubicTo(21, 9, 21, 19, 14, 19);
  path.lineTo(9, 19);
  painter.drawPath(path);
  painter.drawPolyline(QPolygonF({{9, 5}, {5, 9}, {9, 13}}));
}

void folder(QPainter& painter) {
  painter.drawPolyline(QPolygonF({{3, 18}, {3, 5}, {9, 5}, {11, 8}, {19, 8}, {19, 11}}));
  painter.drawPolygon(QPolygonF({{3, 19}, {6.5, 11}, {22, 11}, {18.5, 19}}));
}

void picture(QPainter& painter) {
  painter.drawRoundedRect(QRectF(3, 5, 18, 14), 1.5, 1.5);
  painter.drawEllipse(QPointF(8, 9.5), 1.5, 1.5);
  painter.drawPolyline(QPolygonF({{4, 17.5}, {10, 12}, {13, 15}, {16, 11}, {20.5, 16}}));
}

void tray_with_arrow(QPainter& painter) {
  painter.drawPolyline(QPolygonF({{4, 14}, {4, 20}, {20, 20}, {20, 14}}));
  painter.drawLine(QPointF(12, 16), QPointF(12, 4));
  painter.drawPolyline(QPolygonF({{8, 8}, {12, 4}, {16, 8}}));
}

void house(QPainter& painter) {
  painter.drawPolyline(QPolygonF({{3, 12}, {12, 4}, {21, 12}}));
  painter.drawPolyline(QPolygonF({{6, 10}, {6, 20}, {18, 20}, {18, 10}}));
}

void magnifier(QPainter& painter) {
  painter.drawEllipse(QPointF(10, 10), 6, 6);
  painter.drawLine(QPointF(14.5, 14.5), QPointF(20.5, 20.5));
}

void cross(QPainter& painter) {
  painter.drawLine(QPointF(6, 6), QPointF(18, 18));
  painter.drawLine(QPointF(18, 6), QPointF(6, 18));
}

void turn_back(QPainter& painter) {
  painter.drawArc(QRectF(5, 5, 14, 14), 60 * 16, 300 * 16);
  painter.drawPolyline(QPolygonF({{12, 2.5}, {16, 6}, {11.5, 8.5}}));
}

/// A bar and a triangle pointing away from it, in the direction of time.
void step(QPainter& painter, int direction) {
  painter.drawLine(QPointF(12 - 5 * direction, 6), QPointF(12 - 5 * direction, 18));
  painter.drawPolygon(QPolygonF({{12.0 - direction, 6}, {12.0 + 6 * direction, 12}, {12.0 - direction, 18}}));
}

void triangle_with_mark(QPainter& painter) {
  painter.drawPolygon(QPolygonF({{12, 4}, {21.5, 20}, {2.5, 20}}));
  painter.drawLine(QPointF(12, 10), QPointF(12, 14.5));
  painter.drawPoint(QPointF(12, 17.4));
}

void circle_with_mark(QPainter& painter) {
  painter.drawEllipse(QPointF(12, 12), 9, 9);
  painter.drawLine(QPointF(12, 7), QPointF(12, 13));
  painter.drawPoint(QPointF(12, 16.4));
}

void lobe(QPainter& painter, QPointF centre, const QColor& colour) {
  QRadialGradient shine(centre - QPointF(1.5, 2), 7);
  shine.setColorAt(0, colour.lighter(160));
  shine.setColorAt(1, colour);
  painter.setBrush(shine);
  painter.drawEllipse(centre, 5.2, 6.2);
}

/// Two lobes of opposite sign: the program's logo.
void program(QPainter& painter) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(QColor("#1d2733"));
  painter.drawRoundedRect(QRectF(1, 1, 22, 22), 5, 5);
  painter.save();
  painter.translate(12, 12);
  painter.rotate(25);
  lobe(painter, {-4.8, 0}, QColor("#0072b2"));
  lobe(painter, {4.8, 0}, QColor("#d55e00"));
  painter.restore();
}

const std::map<std::string, Drawing, std::less<>>& drawings() {
  static const std::map<std::string, Drawing, std::less<>> all{
      {"open", folder},
      {"image", picture},
      {"export", tray_with_arrow},
      {"undo", [](QPainter& painter) { curved_arrow(painter, true); }},
      {"redo", [](QPainter& painter) { curved_arrow(painter, false); }},
      {"home", house},
      {"search", magnifier},
      {"close", cross},
      {"stop", [](QPainter& painter) { painter.drawRoundedRect(QRectF(6, 6, 12, 12), 1, 1); }},
      {"play",
       [](QPainter& painter) {
         painter.drawPolygon(QPolygonF({{7, 4.5}, {19, 12}, {7, 19.5}}));
       }},
      {"pause",
       [](QPainter& painter) {
         painter.drawLine(QPointF(9, 5), QPointF(9, 19));
         painter.drawLine(QPointF(15, 5), QPointF(15, 19));
       }},
      {"step-on", [](QPainter& painter) { step(painter, 1); }},
      {"step-back", [](QPainter& painter) { step(painter, -1); }},
      {"reverse",
       [](QPainter& painter) {
         painter.drawPolygon(QPolygonF({{17, 4.5}, {5, 12}, {17, 19.5}}));
       }},
      {"loop",
       [](QPainter& painter) {
         painter.drawRoundedRect(QRectF(3, 7, 18, 11), 5.5, 5.5);
         painter.drawPolyline(QPolygonF({{10, 4}, {13.5, 7}, {10, 10}}));
       }},
      {"reset", turn_back},
      {"warning", triangle_with_mark},
      {"error", circle_with_mark},
      {"isolume", program}};
  return all;
}

/// Draws on demand, so that the colour follows the theme and the size the screen.
class LineIcon final : public QIconEngine {
 public:
  explicit LineIcon(std::string name) : name_(std::move(name)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(rect.topLeft());
    painter->scale(rect.width() / 24.0, rect.height() / 24.0);
    painter->setPen(QPen(colour(mode), 1.7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter->setBrush(Qt::NoBrush);
    drawings().find(name_)->second(*painter);
    painter->restore();
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    if (size.isEmpty()) return {};  // as of a button for which there is no room
    QPixmap drawn(size);
    drawn.fill(Qt::transparent);
    QPainter painter(&drawn);
    paint(&painter, QRect(QPoint(0, 0), size), mode, state);
    return drawn;
  }
  QIconEngine* clone() const override { return new LineIcon(*this); }

 private:
  QColor colour(QIcon::Mode mode) const {
    if (name_ == "warning") return warning_colour();
    if (name_ == "error") return error_colour();
    const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    return QApplication::palette().color(group, QPalette::ButtonText);
  }

  std::string name_;
};

}  // namespace

QIcon icon(std::string_view name) {
  const auto found = drawings().find(name);
  return found == drawings().end() ? QIcon() : QIcon(new LineIcon(found->first));
}

}  // namespace isolume::workbench
