#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/anatomy/atlas.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/linear.h"
#include "core/grid/grid.h"

namespace isolume::anatomy {

/// {"model": "affine", "similarity": {"measure", "before", "after"}, "matrix": three rows of four numbers, from the fixed
/// image's positions to the moving one's in mm (LPS), "largest_move_mm", "iterations"}
nlohmann::ordered_json json_of(const LinearRegistration& registration, const LinearParameters& parameters);
/// "affine map: mutual information 0.312 before, 0.78 after; corners moved by up to 12 mm"
std::string text_of(const LinearRegistration& registration, const LinearParameters& parameters);

/// {"mismatch": {"metric", "before", "after"}, "largest_displacement_mm", "jacobian": {"least", "folded", "mended"}, "levels": [{"counts",
/// "iterations", "mismatch_before", "mismatch_after", "least_jacobian"}]}; of a flow also "flow": {"distance_mm",
/// "kinetic_energies_mm2": []}; with surfaces also "surfaces", and of each level "surfaces_before" and
/// "surfaces_after", the relative distances of currents
nlohmann::ordered_json json_of(const Registration& registration, const grid::Grid& grid);
std::string text_of(const Registration& registration, const grid::Grid& grid);

/// Distances of landmarks in mm by the headers, by the linear map, and by the whole one.
struct LandmarkErrors {
  std::vector<double> before, linear, after;
};
/// {"root_mean_square_mm": {"before", "linear", "after"}, "pairs": [{"name", "before_mm", "linear_mm", "after_mm"}]}
nlohmann::ordered_json json_of(const LandmarkPairs& pairs, const LandmarkErrors& errors);
/// "landmarks 12.1 mm apart before, 3.2 by the linear map, 0.4 after"
std::string text_of(const LandmarkErrors& errors);

/// {"images", "spread": {"before", "after"}, "jacobian": {"least", "folded", "mended"}, "largest_displacements_mm": []}; of flows also
/// "distances_mm": []; of images that are streamed "stream": {"seconds": {"read", "compute", "write", "elapsed", "least"}, "bytes":
/// {"read", "written"}, "longest_pass": [{"stage", "image", "begin", "end"}]}
nlohmann::ordered_json json_of(const Atlas& atlas);
std::string text_of(const Atlas& atlas);

/// {"least", "mean", "greatest", "folded"}
nlohmann::ordered_json json_of_determinants(const FieldValues& determinants);
std::string text_of_determinants(const FieldValues& determinants);

/// "surfaces 2.1 mm apart before (greatest 5), 0.3 after (greatest 1.2)": means over all pairs; empty without one.
std::string text_of(const std::vector<SurfaceResult>& surfaces);
/// [{"name", "before": {"mean_mm", "greatest_mm"}, "after": the same}]
nlohmann::ordered_json json_of(const std::vector<SurfaceResult>& surfaces);

double largest_displacement_mm(const VectorField& field, const grid::Grid& grid);

/// Times on cubes of two textured balls, the second one deformed: of an iteration and its parts, and of a registration of
/// three levels; of an evaluation of splines 8 voxels apart, and, up to 128 voxels a side, of an iteration of a flow of five steps.
/// {"threads", "sizes": [{"side", "iteration": timing, "bytes_moved",
/// "bytes_per_second", "parts": {...: timing}, "splines": timing, "flow": timing, "affine": {"seconds", "iterations", "mutual_information"}, "registration": {"seconds", "mismatch_ratio", "least_jacobian"}}]}
nlohmann::ordered_json benchmark(const std::vector<int>& sides, int threads, const jobs::Progress& progress);
std::vector<std::string> lines_of(const nlohmann::ordered_json& benchmark);

}  // namespace isolume::anatomy
