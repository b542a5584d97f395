#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/labs/orbitals/colouring_source.h"
#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/surface_potential.h"
#include "app/scene/fields/field_picture.h"

namespace isolume::labs::orbitals {

struct PictureRequest {
  DocumentPointer document;
  isolume::orbitals::FieldParameters field;
  ViewParameters view;
  std::size_t file_field = 0;  ///< which field of a document without wavefunction (a cube file)
  /// What keeps the potential of the document between requests; null: each request computes it anew.
  std::shared_ptr<const SurfacePotential> potential = nullptr;
};

/// "homo", or "1" where nothing is occupied.
std::string first_orbital(const molecules::OrbitalSet& set);

/// The parameters to begin with: the first orbital of the first set, at the default
/// spacing or, for a large molecule, the one that keeps the field to some ten million points.
isolume::orbitals::FieldParameters first_parameters(const DocumentPointer& document);

/// As `make_source` and `make_colouring_source`. A request that differs only in the view has the source of the one
/// before, unless its surface would leave the box.
std::shared_ptr<const fields::FieldSource> source_of(const PictureRequest& request, EnginesPointer engines);
std::shared_ptr<const fields::FieldSource> colouring_of(const PictureRequest& request,
                                                        EnginesPointer engines);

/// Computes field and surfaces at full resolution on the caller's thread; large surfaces by `surfaces`,
/// unless it is null or the request wants the CPU. Throws Error, ResourceError, Cancelled.
scene::FieldPicture compute_picture(const PictureRequest& request, const EnginesPointer& engines,
                                    const jobs::Progress& progress = {},
                                    gpu::SurfaceEngine* surfaces = nullptr);

/// The request for the same picture of so many pixels' height, of which one is `angstrom_per_pixel` wide, on
/// a grid so fine that its steps are not seen, as far as that takes a few seconds and some hundred
/// megabytes. Nothing when the picture's own grid will do.
std::optional<PictureRequest> finer_request(const PictureRequest& request, const scene::FieldPicture& picture,
                                            double angstrom_per_pixel);

}  // namespace isolume::labs::orbitals
