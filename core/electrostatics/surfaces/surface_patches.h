#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/surfaces/residues.h"
#include "core/electrostatics/surfaces/surface_samples.h"

namespace isolume::electrostatics {

/// Definition of a patch.
struct PatchOptions {
  double threshold =
      2;  ///< minimum magnitude of the potential everywhere on it, in the map's unit; greater than 0
  double least_area = 10;  ///< in square angstrom; smaller ones are left out
};

/// A connected part of a molecular surface where the potential is at least the threshold, or at most minus it.
struct SurfacePatch {
  struct Part {
    std::uint32_t residue;  ///< index in residues_of
    double area;
  };
  double area = 0;     ///< in square angstrom
  double mean = 0;     ///< area-weighted mean of the potential; its sign is the patch's
  double extreme = 0;  ///< the value of the largest magnitude
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< position of the extreme, in angstrom
  std::vector<Part> residues;                       ///< by their share of the area, the largest first
  std::vector<std::uint32_t> corners = {};          ///< vertices of the surface's mesh that are on it
};

/// The largest first. Areas and borders are based on the mesh's vertices: a border lies within a triangle where the
/// potential equals the threshold.
std::vector<SurfacePatch> surface_patches(const SurfaceSamples& surface, const Residues& residues,
                                          const PatchOptions& options);

/// Borders of patches on their surface: line segments between two points, three coordinates each in angstrom, with
/// the surface normals there. A border crosses an edge of a triangle where the potential equals the threshold, or
/// half-way if the edge leads to a patch of the opposite sign.
struct PatchBorder {
  std::vector<float> places, normals;
};
/// For each patch, in their order.
std::vector<PatchBorder> patch_borders(const SurfaceSamples& surface, std::span<const SurfacePatch> patches,
                                       double threshold);

/// Writes a table with a line for each patch: patch,sign,area,mean,extreme,x,y,z,residues. A comment before it gives
/// the units; each residue has its area in parentheses. Throws Error where it cannot be written.
void write_surface_patches(const std::vector<SurfacePatch>& patches, const Residues& residues,
                           const PatchOptions& options, std::string_view potential_unit,
                           const std::filesystem::path& path);

}  // namespace isolume::electrostatics
