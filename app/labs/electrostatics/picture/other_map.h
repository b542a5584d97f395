#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "core/electrostatics/maps/map_comparison.h"

namespace isolume::labs::electrostatics {

/// Another program's map. Never changes.
struct OtherMap {
  std::filesystem::path path;
  science::PotentialMap map;
  int number = 0;  ///< another one for each that is read
};
/// Throws as science::read_map.
std::shared_ptr<const OtherMap> read_other_map(const std::filesystem::path& path,
                                               const jobs::Progress& progress);
/// In which unit the choices take it.
science::PotentialUnit unit_of(const OtherMap& other, const OtherMapChoices& choices);
/// At the points of a grid, in the unit of the options; NaN where it does not reach. Throws as science::resampled.
grid::ScalarField other_map_on(const grid::Grid& grid, const OtherMap& other, const OtherMapChoices& choices,
                               const science::PotentialOptions& how, const jobs::Progress& progress);

/// What `ours` gives less the map, or the map itself: on the map's grid where that lies along x, y and z, holds the molecule
/// and has no more than 256^3 points, and else on that of `ours`, with nothing known beyond the map. `where` is what `ours`
/// has its grid from, `how` its unit and temperature.
std::shared_ptr<const fields::FieldSource> other_map_source(std::shared_ptr<const fields::FieldSource> ours,
                                                            std::shared_ptr<const OtherMap> other,
                                                            const OtherMapChoices& choices,
                                                            const science::PotentialOptions& how,
                                                            const MapGrid& where);

/// Of a difference that other_map_source made.
science::MapComparison compared_with(const OtherMap& other, const OtherMapChoices& choices,
                                     const science::PotentialOptions& how,
                                     const grid::ScalarField& difference, const jobs::Progress& progress);

}  // namespace isolume::labs::electrostatics
