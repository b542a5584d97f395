#pragma once

#include <QImage>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/images/document.h"
#include "core/images/render_slice.h"
#include "core/images/slice_orientation.h"

namespace isolume::slices {

/// Shows one slice of a volume. Positions are in pixels of the slice (images::SlicePlane: centres at whole
/// numbers), widget coordinates in device-independent pixels.
///
///   auto* view = new SliceView;
///   view->set_document(document);                  // shows the middle axial slice, fitted, first_window()
///   view->set_slice({2, 40});
///   connect(view, &SliceView::pressed, [&](const Eigen::Vector2d& place, Qt::KeyboardModifiers) { ... });
///   view->add_overlay([&](QPainter& painter, const SliceView& shown) {
///     painter.drawEllipse(shown.to_widget(seed), 4, 4);
///   });
///   // what the overlay draws has changed: view->update(), or view->refresh() for kept ones
///
/// The picture is resampled for every pixel of the screen from the stored values, so the cost of painting
/// depends on the size of the widget, not of the image. It is cached with the kept overlays until slice,
/// window or view change; a wire that follows the pointer costs only its own drawing. Axes are swapped and
/// flipped by the radiological convention (images::radiological_turn); pixels that are not square are shown
/// in their true proportion.
///
/// Input: wheel, up, down, PgUp, PgDn (10), Home, End: slices; Ctrl + wheel, pinch, + and -: zoom; 0: fit;
/// middle drag or Space + drag: pan; Space tapped: `space_tapped`; right drag: window (right: wider, down:
/// darker); right click or the menu key: `menu_requested`. The left button and moves without a button are
/// only reported by signals. A double click arrives as pressed, released, double_clicked, released.
///
/// Reading a memory-mapped volume could block the window. Such a view requests its slices by slice_wanted,
/// and shows that it is waiting until take_slice.
///
/// Linked views: connect slice_changed and window_changed of each to set_slice and set_window of the others;
/// setting the current value again emits nothing.
class SliceView : public QWidget {
  Q_OBJECT
 public:
  using Overlay = std::function<void(QPainter& painter, const SliceView& view)>;

  explicit SliceView(QWidget* parent = nullptr);

  /// Null clears the view. Shows the middle axial slice, fitted, with images::first_window; for another time
  /// point of the shown image, or its values in another unit, the view stays unchanged.
  void set_document(std::shared_ptr<const images::Document> document);
  /// Another image of the same grid: the view stays unchanged.
  void exchange_document(std::shared_ptr<const images::Document> document);
  const std::shared_ptr<const images::Document>& document() const { return document_; }

  /// Clamps the index to the volume. A change of axis fits the view again.
  void set_slice(images::SliceId slice);
  images::SliceId slice() const { return slice_; }
  const images::SlicePlane& plane() const { return plane_; }
  /// Voxels of the shown slice, and its number in their volume; empty while they are being read.
  struct Ground {
    const images::Volume& volume;
    images::SliceId slice;
  };
  std::optional<Ground> ground() const;
  /// Takes the slice requested by slice_wanted, from images::copy_slice, or nullopt if it cannot be read.
  /// Ignored if another slice is shown by now.
  void take_slice(images::SliceId slice, std::optional<images::Volume> copy);
  images::SliceTurn turn() const { return turn_; }

  void set_window(const images::Window& window);
  const images::Window& window() const { return window_; }
  /// Range of the image's values, which limits dragging of the window; nullopt: no limit.
  void set_value_range(const std::optional<images::ValueRange>& values) { values_ = values; }
  /// Widths that dragging can set: from nearly two grey levels to twice the range.
  static images::ValueRange window_widths(const images::ValueRange& values);
  void set_interpolation(images::Interpolation interpolation);
  images::Interpolation interpolation() const { return interpolation_; }
  /// Shows lines through the projection of the position onto this slice; nullopt hides them.
  void set_crosshair(const std::optional<Eigen::Vector3d>& position_mm);
  /// Shows or hides the texts over the picture; initially shown.
  void set_texts_shown(bool shown);
  /// Shows or hides position and value under the pointer; initially shown.
  void set_pointer_text_shown(bool shown) { pointer_text_shown_ = shown; }
  /// Whether the orientation in the patient is known; the sides are then marked with letters.
  bool has_sides() const;
  /// Whether the position in the patient is known, too; positions are then shown in mm of the patient.
  bool has_patient_coordinates() const;
  /// The nearest of "Axial", "Coronal" and "Sagittal".
  QString plane_name() const;
  /// "Time 3/6 (1.0 s)", or the name that the file gives to the shown volume; empty if there is only one.
  QString time_text() const;

  enum class Drawn {
    always,  ///< at each paint event: for anything that follows the pointer
    kept,    ///< when slice, window or view change, and after refresh(): layers, contours
  };
  /// Adds an overlay. Overlays are drawn in order above the image: the kept ones, the crosshair, the others,
  /// then the texts. The painter has antialiasing on and is saved and restored around each.
  void add_overlay(Overlay overlay, Drawn drawn = Drawn::always);
  /// Schedules a redraw of the kept overlays.
  void refresh();

  /// Screen pixels per millimetre.
  double scale() const { return scale_; }
  /// Slice position at the centre of the view.
  Eigen::Vector2d centre() const { return centre_; }
  /// Whether the whole slice is shown, as by fit().
  bool fitted() const { return fitted_; }
  /// Sets centre and scale; `scale` is clamped to the range of zooming.
  void look_at(const Eigen::Vector2d& centre, double scale);
  /// Zooms; the image point under `about` stays where it is.
  void zoom_by(double factor, const QPointF& about);
  void zoom_by(double factor) { zoom_by(factor, QRectF(rect()).center()); }
  /// Moves the image by this many screen pixels.
  void pan_by(const QPointF& by);
  /// Shows the whole slice, also after changes of the widget's size, until zoomed or panned.
  void fit();

  QPointF to_widget(const Eigen::Vector2d& place) const;
  Eigen::Vector2d to_place(const QPointF& point) const;
  /// Screen pixels per pixel of the slice: the geometric mean of both directions.
  double screen_px_per_pixel() const;
  /// Maps the widget's device pixels to the slice, for layers that are drawn pixel by pixel.
  images::PictureMap picture_map() const;
  /// Whether the right button is down to set the window: `moved` is not emitted meanwhile.
  bool setting_window() const { return drag_ == Drag::window; }
  /// Position of the pointer on the slice; nullopt while it is elsewhere.
  std::optional<Eigen::Vector2d> pointer() const;

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {96, 96}; }

 Q_SIGNALS:
  void pressed(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  /// Emitted with the left button pressed and without any button.
  void moved(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  /// After `moved`, while the left button is down.
  void dragged(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void released(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void double_clicked(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void left_view();
  /// Space was pressed and released without a drag.
  void space_tapped();
  void menu_requested(const QPoint& global, const Eigen::Vector2d& place);

  void slice_changed(images::SliceId slice);
  void slice_wanted(images::SliceId slice);
  void slice_taken();
  void window_changed(const images::Window& window);
  /// A drag that changed the window has ended; `before` is the previous window.
  void window_dragged(const images::Window& before);
  /// Zoom, position or widget size have changed.
  void view_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  bool event(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void keyReleaseEvent(QKeyEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  enum class Drag { none, reported, pan, window };

  int axis_across() const { return turn_.transposed ? 1 : 0; }
  void step_slice(int by);
  void drag_window(const QPointF& to);
  void view_moved();
  void render();
  void draw_overlays(QPainter& painter, const std::vector<Overlay>& overlays) const;
  void draw_crosshair(QPainter& painter) const;
  void draw_texts(QPainter& painter) const;
  void draw_sides(QPainter& painter, double margin) const;
  void draw_scale_bar(QPainter& painter, double margin) const;
  /// `shortened`: without name and position, for lack of room.
  QString slice_text(bool shortened = false) const;
  QString window_text() const;
  QString pointer_text() const;

  std::shared_ptr<const images::Document> document_;
  images::SliceId slice_;
  std::optional<images::Volume> copy_;  ///< of the slice, if the volume is a memory-mapped file
  bool unreadable_ = false;             ///< the slice could not be read
  images::SlicePlane plane_;
  images::SliceTurn turn_;
  images::Window window_;
  std::optional<images::ValueRange> values_;
  images::Interpolation interpolation_ = images::Interpolation::linear;
  std::optional<Eigen::Vector3d> crosshair_mm_;
  std::vector<Overlay> kept_overlays_, overlays_;
  bool texts_shown_ = true, pointer_text_shown_ = true;

  double scale_ = 1;                                  ///< screen pixels per mm
  Eigen::Vector2d centre_ = Eigen::Vector2d::Zero();  ///< slice position at the widget's centre
  bool fitted_ = true;
  QImage picture_;   ///< the slice
  QImage composed_;  ///< with the kept overlays
  bool stale_ = true, composed_stale_ = true;

  Drag drag_ = Drag::none;
  QPointF drag_start_, drag_last_;
  images::Window drag_window_;
  bool space_held_ = false;
  bool space_tap_ = false;  ///< the pressed Space may still be a tap
  std::optional<QPointF> pointer_;
  int wheel_angle_ = 0;
};

}  // namespace isolume::slices
