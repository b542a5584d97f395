#pragma once

#include <QWidget>
#include <array>
#include <functional>
#include <vector>

#include "app/slices/slice_view.h"

class QSplitter;

namespace isolume::slices {

class SliceFrame;
class SliceModel;

/// One large slice, next to it the two other planes through the crosshair and the 3D view. All
/// follow the model and move it: the large view's slice is `SliceModel::slice`, the small ones lie at its
/// cursor; windows and interpolation are one for all.
///
/// By hand: the left button in a small view moves the crosshair, and with it the large view's slice; Shift
/// and a move of the pointer do so in the large view. A double click on a small view's title, or Enter upon
/// it, swaps it with the large one; the 3D view's title gives that view all the room or takes it back. Images
/// of one slice have the large view alone, and so have narrow windows.
class LinkedSlices : public QWidget {
  Q_OBJECT
 public:
  /// Takes `three_d` (a lab's scene::ViewWidget; may be null) into its layout. The model outlives the page.
  explicit LinkedSlices(SliceModel& model, QWidget* three_d, QWidget* parent = nullptr);

  /// The lab connects to its pressed, moved, released, double_clicked.
  SliceView& large();
  /// The large one first.
  std::array<SliceView*, 3> all();
  /// Over and under the large view; taken.
  void add_above_large(QWidget* line);
  void add_below_large(QWidget* line);
  /// To all three.
  void add_overlay(const SliceView::Overlay& overlay, SliceView::Drawn drawn = SliceView::Drawn::always);
  /// Draws all overlays anew, the kept ones, too.
  void update_overlays();

  /// The plane in the large view, at the cursor.
  void set_large_plane(images::PatientPlane plane);
  images::PatientPlane large_plane() const;
  void set_window(const images::Window& window);
  void set_value_range(const images::ValueRange& values);
  void set_interpolation(images::Interpolation interpolation);
  /// The small views and the 3D view; shown at first, where there is room.
  void set_side_shown(bool shown);
  /// The 3D view in the place of all others; ends with another image.
  void set_space_alone(bool alone);
  bool space_alone() const { return space_alone_; }
  void set_crosshair_shown(bool shown);
  /// Whether Shift and a move of the pointer move the crosshair in the large view, as at first: not while a lab's tool takes
  /// Shift.
  void set_shift_moves_crosshair(bool moves) { shift_moves_crosshair_ = moves; }
  /// Crosshair and large slice go there; to the nearest slice.
  void go_to(const Eigen::Vector3d& position_mm);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void build(QWidget* three_d);
  void add_space(QWidget* three_d);
  void open_image();
  void follow_slice();
  void follow_cursor();
  void lay_out();
  void link_small(std::size_t which);

  SliceModel& model_;
  std::array<SliceFrame*, 3> frames_{};  ///< large, small, small
  QWidget* large_column_ = nullptr;
  QWidget* three_d_ = nullptr;  ///< with its title; null: there is none
  QSplitter* side_;
  bool side_wanted_ = true;
  bool space_alone_ = false;
  bool crosshair_shown_ = true;
  bool shift_moves_crosshair_ = true;
  bool following_ = false;  ///< what the views now report is the model's own doing
};

}  // namespace isolume::slices
