#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/electrostatics/picture/first_choices.h"
#include "app/labs/electrostatics/picture/frame_source.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "app/labs/electrostatics/picture/map_view.h"
#include "app/labs/electrostatics/picture/other_map.h"
#include "app/labs/electrostatics/picture/wavefunction_source.h"
#include "app/scene/fields/field_picture.h"

namespace isolume::labs::electrostatics {

/// All that a picture depends on.
struct PictureRequest {
  std::shared_ptr<const ChargedMolecule> molecule;
  science::PotentialOptions how = usual_options();
  MapGrid where;
  MapView view;
  WavefunctionChoices quantum;                   ///< where the molecule has a wavefunction
  std::shared_ptr<const MoleculeFrames> frames;  ///< null: there is the molecule alone
  FrameChoices moment;                           ///< of the frames
  std::shared_ptr<const OtherMap> other;         ///< null: none is open
  OtherMapChoices other_choices;
};

/// As it is when a molecule has been opened.
PictureRequest first_request(std::shared_ptr<const ChargedMolecule> molecule);

/// The picture is of another program's map, or of the difference to it.
bool is_beside_map(const PictureRequest& request);
/// The potential, or a difference of two.
std::shared_ptr<const fields::FieldSource> field_of(const PictureRequest& request);
/// The surface that the view's form names, whether it is shown or not.
std::shared_ptr<const fields::FieldSource> surface_of(const PictureRequest& request);

/// What the surfaces are of where they are not of the potential itself; null where they are, or nothing is shown.
std::shared_ptr<const fields::FieldSource> shape_of(const PictureRequest& request);

/// Where values are taken on the molecular surface: requests of the same text take them at the same places of a map.
std::string places_on_surface(const PictureRequest& request);
/// The same of field lines, which go through places of the surface that the view's form names.
std::string places_of_lines(const PictureRequest& request);

/// Through places of the molecular surface, along the field of a map that the request gives. Of a difference of two
/// maps, there are none where it changes by less than their accuracy from one grid point to the next. Throws Cancelled.
std::shared_ptr<const FieldLines> lines_along_field(const PictureRequest& request,
                                                    const grid::ScalarField& potential,
                                                    const jobs::Progress& progress);
/// Of every residue of a molecule.
struct ResiduePotentials {
  std::vector<double> values;
  std::string unit;
};
/// The mean potential on each residue's part of the molecular surface, which the request gives; NaN where it has none. Throws as
/// science::residue_surface_values.
std::shared_ptr<const ResiduePotentials> residue_potentials(const PictureRequest& request,
                                                            const grid::ScalarField& potential,
                                                            const jobs::Progress& progress);
/// The view shows what `residue_potentials` gives.
bool wants_residue_potentials(const MapView& view);
/// Lines with their potential. Throws Error for a suffix other than .vtp, and when the file cannot be written.
void write_field_lines(const FieldLines& lines, const std::string& unit, const std::filesystem::path& path);

/// What a picture's surface has at its vertices, in the unit of the field.
struct SurfaceReading {
  std::size_t vertices = 0;  ///< within the map and not blank
  double lowest = 0, highest = 0, mean = 0, rms = 0;
};
/// Nothing where the surface has no colours.
std::optional<SurfaceReading> read_surface(const scene::FieldPicture& picture);

/// At full resolution, on the caller's thread; large surfaces by `surfaces` unless that is null. Throws as FieldSource::compute.
scene::FieldPicture compute_picture(const PictureRequest& request, const jobs::Progress& progress,
                                    gpu::SurfaceEngine* surfaces = nullptr);

}  // namespace isolume::labs::electrostatics
