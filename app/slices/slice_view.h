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

/// One slice of a volume on the screen. Places are in pixels of the slice (images::SlicePlane: centres at
/// whole numbers), widget coordinates in device-independent pixels.
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
/// The picture is resampled for every pixel of the screen from the stored values, so painting takes time by
/// the widget's size, not the image's; it is kept until slice, window or view change, and so is what the kept
/// overlays draw upon it: a wire that follows the pointer costs its own drawing alone. Axes are swapped and
/// flipped as radiologists look (images::radiological_turn); pixels that are not square are shown in their
/// true proportion.
///
/// By hand: wheel, up, down, PgUp, PgDn (10), Home, End: slices; Ctrl + wheel, pinch, + and -: zoom; 0: fit;
/// middle drag or Space + drag: pan; Space tapped: `space_tapped`; right drag: window (right: wider, down: darker); right click or the menu
/// key: `menu_requested`. The left button is not used but reported, as moves without a button are.
/// A double click arrives as pressed, released, double_clicked, released.
///
/// A volume that is a mapped file would keep the window waiting for the disk: such a view asks for its slices
/// by slice_wanted, and shows that it waits until take_slice.
///
/// Linked views: connect slice_changed and window_changed of each to set_slice and set_window of the others;
/// setting what is set already emits nothing.
class SliceView : public QWidget {
  Q_OBJECT
 public:
  using Overlay = std::function<void(QPainter& painter, const SliceView& view)>;

  explicit SliceView(QWidget* parent = nullptr);

  /// Null: shows nothing. Goes to the middle axial slice, fits, takes images::first_window; stays where it is for another
  /// time point of the image that is shown, and for its values in another scale.
  void set_document(std::shared_ptr<const images::Document> document);
  const std::shared_ptr<const images::Document>& document() const { return document_; }

  /// Its index is clamped to the volume. Another axis fits the view anew.
  void set_slice(images::SliceId slice);
  images::SliceId slice() const { return slice_; }
  const images::SlicePlane& plane() const { return plane_; }
  /// The shown slice's voxels, and which slice of that volume they are; none while they are being read.
  struct Ground {
    const images::Volume& volume;
    images::SliceId slice;
  };
  std::optional<Ground> ground() const;
  /// What slice_wanted asked for, by images::copy_slice, or nullopt where it cannot be read. Dropped where
  /// another slice is shown by now.
  void take_slice(images::SliceId slice, std::optional<images::Volume> copy);
  images::SliceTurn turn() const { return turn_; }

  void set_window(const images::Window& window);
  const images::Window& window() const { return window_; }
  /// The image's values, beyond which no drag takes the window; none: it goes anywhere.
  void set_value_range(const std::optional<images::ValueRange>& values) { values_ = values; }
  /// Widths that a drag may give: from nearly two grey levels to twice the range.
  static images::ValueRange window_widths(const images::ValueRange& values);
  void set_interpolation(images::Interpolation interpolation);
  images::Interpolation interpolation() const { return interpolation_; }
  /// Lines through the foot of the position on this slice; nullopt: none.
  void set_crosshair(const std::optional<Eigen::Vector3d>& position_mm);
  /// The texts upon the picture; on at first.
  void set_texts_shown(bool shown);
  /// Whether the file says how the slice lies in the patient: its sides are marked with letters then.
  bool has_sides() const;
  /// Whether it says where, too: positions are shown in mm of the patient then.
  bool has_patient_coordinates() const;
  /// "Axial", "Coronal", "Sagittal": the nearest one.
  QString plane_name() const;

  enum class Drawn {
    always,  ///< whenever the widget is painted: what follows the pointer
    kept,    ///< when slice, window or view change, and after refresh(): layers, contours
  };
  /// Drawn in order above the image: the kept ones first, then the crosshair, the other ones, the texts. The
  /// painter has antialiasing on and is saved and restored around each.
  void add_overlay(Overlay overlay, Drawn drawn = Drawn::always);
  /// Draws the kept overlays anew, soon.
  void refresh();

  /// Screen pixels a millimetre.
  double scale() const { return scale_; }
  /// The place in the middle.
  Eigen::Vector2d centre() const { return centre_; }
  /// Whether the whole slice is shown, as by fit().
  bool fitted() const { return fitted_; }
  /// `scale` is taken as near as zooming goes.
  void look_at(const Eigen::Vector2d& centre, double scale);
  /// The point of the image under `about` stays where it is.
  void zoom_by(double factor, const QPointF& about);
  void zoom_by(double factor) { zoom_by(factor, QRectF(rect()).center()); }
  /// The image moves by so many screen pixels.
  void pan_by(const QPointF& by);
  /// Shows the whole slice, and goes on doing so when the widget's size changes, until zoomed or panned.
  void fit();

  QPointF to_widget(const Eigen::Vector2d& place) const;
  Eigen::Vector2d to_place(const QPointF& point) const;
  /// Screen pixels a pixel of the slice: the geometric mean of both directions.
  double screen_px_per_pixel() const;
  /// Where the widget's device pixels lie on the slice: for layers that are drawn pixel by pixel.
  images::PictureMap picture_map() const;
  /// Where the pointer is; none while it is elsewhere.
  std::optional<Eigen::Vector2d> pointer() const;

  QSize sizeHint() const override { return {640, 480}; }
  QSize minimumSizeHint() const override { return {96, 96}; }

 Q_SIGNALS:
  void pressed(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  /// With the left button and without any.
  void moved(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  /// After `moved`, while the left button is down.
  void dragged(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void released(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void double_clicked(const Eigen::Vector2d& place, Qt::KeyboardModifiers modifiers);
  void left_view();
  /// Space was pressed and released, and not held for a drag.
  void space_tapped();
  void menu_requested(const QPoint& global, const Eigen::Vector2d& place);

  void slice_changed(images::SliceId slice);
  void slice_wanted(images::SliceId slice);
  void slice_taken();
  void window_changed(const images::Window& window);
  /// A drag has ended that changed the window, which was this one before it.
  void window_dragged(const images::Window& before);
  /// Zoom, pan, size.
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
  /// Without name and position where there is little room.
  QString slice_text(bool shortened = false) const;
  QString window_text() const;
  QString pointer_text() const;

  std::shared_ptr<const images::Document> document_;
  images::SliceId slice_;
  std::optional<images::Volume> copy_;  ///< of the slice, where the volume is a mapped file
  bool unreadable_ = false;             ///< and it could not be read
  images::SlicePlane plane_;
  images::SliceTurn turn_;
  images::Window window_;
  std::optional<images::ValueRange> values_;
  images::Interpolation interpolation_ = images::Interpolation::linear;
  std::optional<Eigen::Vector3d> crosshair_mm_;
  std::vector<Overlay> kept_overlays_, overlays_;
  bool texts_shown_ = true;

  double scale_ = 1;                                  ///< screen pixels a mm
  Eigen::Vector2d centre_ = Eigen::Vector2d::Zero();  ///< the place in the widget's middle
  bool fitted_ = true;
  QImage picture_;   ///< the slice
  QImage composed_;  ///< with the kept overlays
  bool stale_ = true, composed_stale_ = true;

  Drag drag_ = Drag::none;
  QPointF drag_start_, drag_last_;
  images::Window drag_window_;
  bool space_held_ = false;
  bool space_tap_ = false;  ///< it may still be one
  std::optional<QPointF> pointer_;
  int wheel_angle_ = 0;
};

}  // namespace isolume::slices
