#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>

#include <Eigen/Core>

#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/field_view.h"
#include "core/grid/scalar_field.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// The rectangle of a slice, in the unit that scenes show.
struct SliceRectangle {
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();   ///< unit vector of the first side
  Eigen::Vector3d across = Eigen::Vector3d::UnitY();  ///< unit vector of the second side
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();
  double length = 1;  ///< of the first side
  double width = 1;   ///< of the second side
  double low = 0;     ///< normal * position at the box's two ends
  double high = 1;
};

/// Width of the line around a slice, which SliceHandle draws, in points.
inline constexpr double outline_width = 1.6;

/// A field's values on a plane through its box, as colours and as contour lines at round values, with labels where they
/// have room (shaders/slice.frag). Moving it resamples only the plane.
class SliceProp {
 public:
  explicit SliceProp(vtkRenderer& renderer);
  ~SliceProp();

  /// Null removes the slice.
  void set_field(std::shared_ptr<const grid::ScalarField> field, bool both_signs);
  /// `position` in [0, 1] of the box's extent along `normal` (unit vector).
  void set_plane(const Eigen::Vector3d& normal, double position);
  void set_colours(const Rgb& negative, const Rgb& middle, const Rgb& positive, const Rgb& lines);
  /// The colour of the lines' values, which have a background of their own.
  void set_text_colour(const Rgb& text);
  /// The range of the colours; empty: the field's own (colour_reach).
  void set_span(std::optional<ColourSpan> span);
  /// `values`: of the contour lines, as labels.
  void set_visible(bool slice, bool contours, bool values);
  bool visible() const;
  /// Whether a field with both signs is zero on the whole plane, compared with the range of its colours: a nodal
  /// plane, which has the middle colour everywhere. False while the slice is hidden.
  bool lies_in_nodal_plane() const;
  void set_pixel_scale(double scale);
  /// Whether something hides a place of the slice, where no value is shown then.
  void set_hidden(std::function<bool(const Eigen::Vector3d& place)> hidden);
  /// To be called before each frame.
  void update_labels();

  const SliceRectangle& rectangle() const;
  /// The colour table, for a colour bar.
  vtkLookupTable& colours() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
