#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <vtkLookupTable.h>
#include <vtkSmartPointer.h>

#include "app/scene/export_scene.h"
#include "app/scene/field_picture.h"
#include "app/scene/field_view.h"

class vtkRenderer;

namespace isolume::scene {

/// A field in one vtkRenderer: lobes, also coloured by a second field, a cloud, slice with contour lines
/// and handle, colour bars, axes and scale bar.
/// What else a lab shows stands beside it in the same renderer. Knows no Qt; used by the window and offscreen
/// alike. To be called on the thread that renders; slow steps (contouring) are done before, elsewhere.
class FieldScene {
 public:
  /// `length_unit`: of the renderer, as "angstrom".
  FieldScene(vtkRenderer& renderer, const std::string& length_unit);
  ~FieldScene();

  /// The field for the slice; null removes surfaces and slice.
  void set_field(std::shared_ptr<const lattice::ScalarField> field, bool both_signs);
  /// `missing` is written into the view where surfaces are wanted: why there is none.
  void set_lobes(Lobes lobes, std::string missing = {});
  /// Field and lobes together.
  void show(const FieldPicture& picture);
  void set_view(const FieldView& view, bool dark);
  /// Of what stands beside the field and has the colours of its values, as lines; null: nothing does. They are told by
  /// a bar where no other tells the same.
  void set_colours_beside(vtkSmartPointer<vtkLookupTable> colours);
  /// Between which values the field's own colours run, where the view wants them to be those of its surface, too.
  ColourSpan colours_of_field() const;
  /// A sentence on what stands beside the field, which the picture says with its own; empty: none.
  void set_notice_beside(std::string sentence);
  /// What SliceAxis::widest means; a unit vector.
  void set_widest_normal(const Eigen::Vector3d& normal);

  /// What `set_lobes` was told of a surface that is missing, unless none is wanted.
  std::string missing_surface() const;
  const Lobes& lobes() const;
  /// Of text and thin lines on the view's background.
  Rgb text_colour() const;

  /// Where the slice is seen at a place of the picture (from 0 at its lower left corner to 1), in the scene's
  /// unit; nothing beside it. What stands before it is looked through.
  std::optional<Eigen::Vector3d> place_on_slice(double x, double y) const;

  /// The same on the nearest isosurface, where its field is what `show` was given; opaque or not.
  std::optional<Eigen::Vector3d> place_on_surface(double x, double y) const;
  /// The values there, of the field and of what colours its surface, with places and units; the nearer of surface and
  /// slice first. Empty beside them.
  std::string reading_at(double x, double y) const;

  /// The camera keeps its distance: that of the first picture since `forget_camera`. It steps back where what
  /// is shown leaves the view, and comes back when it fits again; a person's own zoom is left alone.
  void keep_in_view();
  void forget_camera();
  /// It stays where it is, even if the first picture does not fit.
  void leave_camera();

  /// Dragging the slice plane by its handle with the mouse: called with the new slice_position.
  void on_slice_dragged(std::function<void(double position)> callback);
  /// Called before each frame with the width of a pixel at 72 dots per inch, for what stands beside the
  /// field.
  void before_frame(std::function<void(double pixel_scale)> callback);

  /// Writes what is shown now, by suffix: .stl .ply .vtp (surfaces), .gltf (the surfaces and `others`); to be
  /// called on any thread, throws Error when the file cannot be written. Throws Error itself for an unknown
  /// suffix or when nothing is shown.
  std::function<void()> prepare_export(const std::filesystem::path& path,
                                       std::vector<ExportedBody> others) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
