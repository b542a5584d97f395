#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/electrostatics/potential/potential.h"
#include "core/structures/charge_frames.h"

namespace isolume::electrostatics {

/// A mean over frames, and how it was computed.
template <class Values>
struct Average {
  Values values;
  std::string who;     ///< computed the last frame
  double seconds = 0;  ///< computing time, without reading
};

/// Bounding box of the positions of all charges in those frames. Throws what reading frames throws.
structures::Box box_of(const structures::ChargeFrames& frames, std::span<const std::size_t> chosen,
                       const jobs::Progress& progress = {});

/// The mean over frames of the potential in options.unit on a grid: of sums as in `potential_on`, or of solutions
/// of the Poisson-Boltzmann equation, whose grid must contain all charges of each frame. Accumulated in double
/// precision. Throws what those and reading frames throw; Cancelled.
Average<grid::ScalarField> average_on(const grid::Grid& grid, const structures::ChargeFrames& frames,
                                      std::span<const std::size_t> chosen, const PotentialOptions& options,
                                      const jobs::Progress& progress = {});

/// The same at given points, as `potential_at`.
Average<std::vector<double>> average_at(const Places& places, const structures::ChargeFrames& frames,
                                        std::span<const std::size_t> chosen, const PotentialOptions& options,
                                        const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
