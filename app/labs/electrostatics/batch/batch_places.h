#pragma once

#include <optional>
#include <span>

#include "app/labs/electrostatics/batch/batch_potential.h"
#include "core/electrostatics/sums/places.h"
#include "core/surfaces/isosurface.h"

namespace isolume::batch {

/// Where `electrostatics potential` is asked for the potential, unless that is a grid.
struct AskedPlaces {
  electrostatics::Places places;
  std::optional<surfaces::Mesh> surface;  ///< with --on-surface: whose points they are, or lie above
};

/// --points, --plane or --on-surface was given.
bool asks_for_places(const PotentialArguments& options);
/// Throws UsageError where what is said about where does not go together, or with the output's name.
void check_where(const PotentialArguments& options);
/// `charges`: whose surface it may be. Reports the remarks of a table of points.
AskedPlaces asked_places(Context& context, const PotentialArguments& options,
                         const structures::Charges& charges, const jobs::Progress& progress);
void write_at(const AskedPlaces& where, std::span<const double> potential, const PotentialArguments& options,
              const jobs::Progress& progress);

void add_place_options(CLI::App& command, Context& context,
                       const std::shared_ptr<PotentialArguments>& options);

}  // namespace isolume::batch
