#pragma once

#include <cstddef>

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include "core/jobs/progress.h"
#include "core/nbody/bodies/orbital_elements.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::labs::nbody {

/// Gravity on a body of a frame by its solver, and from every body one by one in double precision, both of the places of
/// the frame, which are in single precision: "acceleration", "exact_acceleration", "exact_potential", and "force_error",
/// of the acceleration relative to the exact one (null where no force acts). In units that make G = 1; in a comoving box
/// the acceleration is the peculiar one. Takes as long as the sum of all forces. Throws Error, Cancelled.
nlohmann::json force_on(const isolume::nbody::NBodyFrame& frame, std::size_t number,
                        const isolume::nbody::EngineRegistry& engines, const jobs::Progress& progress);

/// The orbit of a body of a frame (nbody::orbital_elements) about "about": "body NUMBER" or "barycentre of the others", with
/// "about_origin", "about_mass", "semi_major_axis", "eccentricity", "inclination", "ascending_node", "argument_of_pericentre",
/// "true_anomaly", "mean_anomaly", "period", "pericentre", "apocentre", "kind": "ellipse", "hyperbola" or "parabola". Angles in
/// degrees, all else in units that make G = 1; what is infinite or undefined is null. Null where there is no orbit: of one body, at
/// the place of its primary, in a comoving box.
nlohmann::json orbit_of(const isolume::nbody::NBodyFrame& frame, std::size_t number,
                        isolume::nbody::OrbitAbout about);

/// The same as force_on at a place, on a body without mass, with "place", "potential", "step" and "time"; of comoving boxes with
/// "scale_factor".
nlohmann::json force_at(const isolume::nbody::NBodyFrame& frame, const Eigen::Vector3d& place,
                        const isolume::nbody::EngineRegistry& engines, const jobs::Progress& progress);

}  // namespace isolume::labs::nbody
