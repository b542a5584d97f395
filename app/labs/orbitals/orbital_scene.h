#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/scene/surface.h"
#include "app/scene/surface_prop.h"
#include "core/molecules/molecule.h"
#include "core/parameters/schema.h"

class vtkRenderer;

namespace isolume::labs::orbitals {

using scene::SurfaceStyle;
enum class IsovalueMode { value, enclosed };
enum class SliceAxis { x, y, z, widest };

/// How the Orbitals lab draws what was computed: the second half of its parameters, used by the panel and by
/// `isolume-batch render`.
struct ViewParameters {
  IsovalueMode isovalue_mode = IsovalueMode::enclosed;
  double isovalue = 0.03;
  double enclosed = 0.85;
  SurfaceStyle style = SurfaceStyle::smooth;
  double opacity = 0.6;
  std::string positive_colour = "#0072b2";  ///< Okabe-Ito blue and vermilion: safe for colour blindness
  std::string negative_colour = "#d55e00";
  bool surface = true;
  bool atoms = true;
  bool labels = false;
  double atom_scale = 0.22;  ///< of the van der Waals radius
  bool slice = false;
  SliceAxis slice_axis = SliceAxis::z;
  double slice_position = 0.5;  ///< fraction of the box along the axis
  bool slice_contours = true;
  bool scale_bar = true;            ///< a length in angstrom, and the axes' directions
  std::string background = "auto";  ///< "auto" (follows dark and light), or "#rrggbb"
};
const parameters::Schema<ViewParameters>& view_schema();

/// What is known of a field's values before any surface of it is found.
struct FieldSummary {
  double largest = 0;                       ///< of |value|; of a field without negative values, of the values
  double on_faces = 0;                      ///< the median of |value| on the box's faces
  parameters::Range usual_isovalues{0, 0};  ///< from enclosing nearly all of the density to nearly nothing
};
/// `amplitude`: the density is the field's square.
FieldSummary summary_of(const lattice::ScalarField& field, bool both_signs, bool amplitude);

/// Why no surface is seen where there should be one, and what to do; empty where one is. Two sentences:
/// "No surface at 5 bohr⁻³ᐟ². The largest value is 0.31 bohr⁻³ᐟ²: choose a smaller isovalue."
std::string missing_surface(const scene::Lobes& lobes, const FieldSummary& summary, const std::string& unit);

/// Molecule, lobes, slice with contour lines, and colour bar in one vtkRenderer. Knows no Qt; used by the
/// window and offscreen alike. To be called on the thread that renders; slow steps (contouring) are done
/// before, elsewhere.
class OrbitalScene {
 public:
  explicit OrbitalScene(vtkRenderer& renderer);
  ~OrbitalScene();

  void clear();
  void set_molecule(const molecules::Molecule& molecule);
  /// The field for the slice; null removes surfaces and slice.
  void set_field(std::shared_ptr<const lattice::ScalarField> field, bool both_signs);
  /// `missing` is written into the view where surfaces are wanted: why there is none.
  void set_lobes(scene::Lobes lobes, std::string missing = {});
  void set_view(const ViewParameters& view, bool dark);

  /// What `set_lobes` was told of a surface that is missing, unless none is wanted.
  std::string missing_surface() const;
  const scene::Lobes& lobes() const;

  /// The atom seen at a place of the picture, as MoleculeProp::atom_at.
  int atom_at(double x, double y) const;
  /// Marks atoms (from 0) and says what they measure; none: nothing.
  void set_measured(std::span<const int> atoms);

  /// Dragging the slice plane by its handle with the mouse: called with the new slice_position.
  void on_slice_dragged(std::function<void(double position)> callback);

  /// Writes what is shown now, by suffix: .stl .ply .vtp (surfaces, in angstrom), .gltf (the whole scene); to
  /// be called on any thread, throws Error when the file cannot be written. Throws Error itself for an
  /// unknown suffix or when nothing is shown.
  std::function<void()> prepare_export(const std::filesystem::path& path) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::orbitals
