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

#include "app/scene/fields/field_picture.h"
#include "app/scene/fields/field_view.h"
#include "app/scene/files/export_scene.h"

class vtkRenderer;

namespace isolume::scene {

/// A field in one vtkRenderer: lobes, which a second field may colour, a cloud, a slice with contour lines
/// and handle, colour bars, axes and scale bar. A lab adds its other objects to the same renderer.
/// Independent of Qt; used in the window and offscreen. Call it on the thread that renders; slow steps
/// (contouring) are done before, elsewhere.
class FieldScene {
 public:
  /// `length_unit`: that of the renderer, such as "angstrom".
  FieldScene(vtkRenderer& renderer, const std::string& length_unit);
  ~FieldScene();

  /// The field for the slice; null removes surfaces and slice.
  void set_field(std::shared_ptr<const grid::ScalarField> field, bool both_signs);
  /// `missing`: the reason for a missing surface, shown in the view where surfaces are wanted.
  void set_lobes(Lobes lobes, std::string missing = {});
  /// Sets field and lobes together.
  void show(const FieldPicture& picture);
  void set_view(const FieldView& view, bool dark);
  /// The colour table of other objects in the scene, such as lines, that show values of the field; null:
  /// none. They get a colour bar unless another bar has the same colours.
  void set_colours_beside(vtkSmartPointer<vtkLookupTable> colours);
  /// The range of the field's own colours, if the view uses them for its surface, too.
  ColourSpan colours_of_field() const;
  /// A sentence on what is drawn in addition to the field, shown with the picture's own sentences; empty: none.
  void set_further_notice(std::string sentence);
  /// What SliceAxis::widest means; a unit vector.
  void set_widest_normal(const Eigen::Vector3d& normal);

  /// The reason that was passed to `set_lobes`, unless no surface is wanted.
  std::string missing_surface() const;
  const Lobes& lobes() const;
  /// Colour of text and thin lines on the view's background.
  Rgb text_colour() const;

  /// The position on the slice at a point of the picture (from 0 at its lower left corner to 1), in the
  /// scene's unit; empty outside it. Objects in front of it are ignored.
  std::optional<Eigen::Vector3d> place_on_slice(double x, double y) const;

  /// The same on the nearest isosurface, if its field was set by `show`; opaque or not.
  std::optional<Eigen::Vector3d> place_on_surface(double x, double y) const;
  struct Seen {
    std::optional<Eigen::Vector3d> surface, slice;
  };
  /// Both of them, without the one that the other one hides.
  Seen seen_at(double x, double y) const;
  /// The values there, of the field and of the field that colours its surface, with positions and units; of a slice
  /// behind a translucent surface, too. Empty outside both.
  std::string reading_at(double x, double y) const;

  /// The camera keeps its distance since the first picture after `forget_camera`. It moves back if the scene
  /// leaves the view, and returns when the scene fits again; a zoom by the user is kept. It looks past the picture's
  /// centre to leave room for colour bars; where the user has zoomed or panned, the scene stays when a bar appears.
  void keep_in_view();
  void forget_camera();
  /// The camera stands where the scene fits: later pictures are kept in the view from there.
  void take_camera();
  /// Keeps the camera, even if the first picture does not fit.
  void leave_camera();

  /// Sets a callback for dragging the slice by its handle: it receives the new slice_position.
  void on_slice_dragged(std::function<void(double position)> callback);
  /// Sets a callback before each frame, which receives the width of a pixel at 72 dots per inch, for the
  /// lab's other objects.
  void before_frame(std::function<void(double pixel_scale)> callback);

  /// Writes the present picture, by suffix: .stl .ply .vtp (surfaces), .gltf (the surfaces and `others`). The
  /// returned function may run on any thread and throws Error if the file cannot be written. Throws Error
  /// itself for an unknown suffix or if there is nothing to write.
  std::function<void()> prepare_export(const std::filesystem::path& path,
                                       std::vector<ExportedBody> others) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
