#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/scene/fields/field_view.h"
#include "app/scene/props/volume_prop.h"
#include "app/scene/surfaces/surface.h"
#include "core/fields/source.h"

namespace isolume::scene {

/// The second field that colours surfaces, with its values at their vertices.
struct SurfaceColouring {
  std::shared_ptr<const grid::ScalarField> field;
  bool both_signs = false;
  /// A round number that all but the outermost fiftieth of the |values| are below, or three medians of them.
  double usual_limit = 1;
  bool covers_all = true;    ///< every vertex lies in the field's box
  bool at_vertices = false;  ///< values on surfaces are those at their vertices: `field` has none, or others
  std::string blank;         ///< why parts of the surface have no colours all the same; empty: all have
};

/// A field with its surfaces, for a FieldScene and the readings in the status bar.
struct FieldPicture {
  std::shared_ptr<const grid::ScalarField> field;
  Lobes lobes;
  std::shared_ptr<const grid::ScalarField> shape;  ///< the field of the lobes; usually the field itself
  std::optional<SurfaceColouring> colouring;
  double sample_height = 0;  ///< of its values above the surface, in the unit that scenes show
  FieldVolume volume;        ///< without an image unless the view wants one
  bool both_signs = false;   ///< the field has positive and negative parts
  bool amplitude = false;    ///< whether the density is the field's square
  bool refined = false;      ///< whether at the requested spacing; otherwise a preview
  fields::FieldSummary summary;
  double isovalue = 0;              ///< of lobes of the field itself, in the field's unit
  double enclosed = 0;              ///< fraction of |density| at or above it
  std::string engine;               ///< "CPU, AVX-512, 2 threads"; empty for a field that was read
  std::string method;               ///< for the caption, with the main settings (fields::MadeField::method)
  double field_milliseconds = 0;    ///< time to compute the field
  double surface_milliseconds = 0;  ///< includes the shape's time
};

/// All that a picture depends on besides its fields: what it reads of a view.
struct PictureChoices {
  PictureChoices(const FieldView& view);  // NOLINT(google-explicit-constructor): a view is also a choice
  bool operator==(const PictureChoices&) const = default;

  std::optional<double> isovalue, enclosed;  ///< one of them; the picture has the other
  double sample_height;                      ///< see FieldView
  bool volume;
};

/// Extracts the surfaces, the values of `made.second` on them and the volume, on the caller's thread; large
/// surfaces on `gpu`, unless it is null. Throws Cancelled.
FieldPicture picture_of(const fields::MadeField& made, bool refined, const PictureChoices& choices,
                        gpu::SurfaceEngine* gpu, const jobs::Progress& progress);

/// Mean length of the grid's steps, in the unit that scenes show.
double shown_spacing(const grid::Grid& grid);

/// The reason for a missing surface, and a remedy; empty if there is a surface. Two sentences: "No surface at
/// 5 bohr⁻³ᐟ². The largest value is 0.31 bohr⁻³ᐟ²: choose a smaller isovalue."
std::string missing_surface(const Lobes& lobes, const fields::FieldSummary& summary, const std::string& unit);

/// "HOMO (20): 0.0312 bohr⁻³ᐟ²": the field at a position in the unit that scenes show, with as many digits as
/// interpolation supports; "outside the box".
std::string named_value(const grid::ScalarField& field, const Eigen::Vector3d& place);
/// The same with this value.
std::string named_value(const grid::ScalarField& field, const std::optional<double>& value);

/// The same of what colours a surface, at a place on it.
std::string named_value(const SurfaceColouring& colouring, const Lobes& lobes, const Eigen::Vector3d& place);

/// "0.0312 bohr⁻³ᐟ² at (1.20, 0.33, −0.50) Å": the field at a place in the unit that scenes show, with as many digits
/// as interpolation supports; "outside the box at ...".
std::string value_text(const grid::ScalarField& field, const Eigen::Vector3d& place);
/// The same with this value.
std::string value_text(const grid::ScalarField& field, const Eigen::Vector3d& place,
                       const std::optional<double>& value, int digits = 4);

/// "HOMO (20) | 80 × 74 × 52 points at 0.1 Å (refined) | CPU, AVX-512, 2 threads | 3.1 ms field, 8.2 ms
/// surface | isovalue 0.031 bohr⁻³ᐟ² encloses 85 %"; the isovalue only where `view` shows something at it.
std::string readings(const FieldPicture& picture, const FieldView& view = {});

}  // namespace isolume::scene
