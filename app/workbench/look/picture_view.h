#pragma once

#include <QImage>
#include <QWidget>
#include <cstdint>
#include <functional>
#include <memory>

namespace isolume::workbench {

/// Pixels of four bytes (red, green, blue, opacity) that stay in the memory of their owner.
QImage image_of(std::shared_ptr<const void> owner, const std::uint8_t* rgba, int width, int height);

/// A computed picture that fills the widget, with a caption in its corner and what the lab draws over it. Hands on it
/// are reported in the coordinates of the widget.
class PictureView final : public QWidget {
 public:
  explicit PictureView(const QString& object_name);

  void show_picture(const QImage& picture, const QString& caption);
  /// Of the picture that would fill it on this screen.
  QSize pixels() const;

  struct Hand {
    std::function<void(const QPointF& at, Qt::MouseButton button)> press;
    /// While a button is down, and when it comes up.
    std::function<void(const QPointF& at, bool finished)> drag;
    /// `factor` above 1: closer.
    std::function<void(const QPointF& at, double factor)> zoom;
  };
  /// All to be set before it is shown.
  Hand hand;
  std::function<void(QPainter& painter)> draw_over;
  std::function<void()> resized;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QImage picture_;
  QString caption_;
};

}  // namespace isolume::workbench
