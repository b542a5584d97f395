#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/residues.h"
#include "core/electrostatics/surface_samples.h"

namespace isolume::electrostatics {

/// What counts as a patch.
struct PatchOptions {
  double threshold = 2;  ///< of the potential's magnitude everywhere on it, in the map's unit; greater than 0
  double least_area = 10;  ///< in square angstrom; smaller ones are left out
};

/// A connected part of a molecular surface where the potential is at least the threshold, or at most minus it.
struct SurfacePatch {
  struct Part {
    std::uint32_t residue;  ///< its place in residues_of
    double area;
  };
  double area = 0;                                  ///< in square angstrom
  double mean = 0;                                  ///< of the potential, by area; its sign is the patch's
  double extreme = 0;                               ///< the value farthest from 0
  Eigen::Vector3d place = Eigen::Vector3d::Zero();  ///< of the extreme, in angstrom
  std::vector<Part> residues;                       ///< by their share of the area, the largest first
  std::vector<std::uint32_t> corners = {};          ///< of the surface's mesh, that are on it
};

/// The largest first. Areas and borders are those of the mesh's corners: a border lies within a triangle of where the
/// potential has the threshold.
std::vector<SurfacePatch> surface_patches(const SurfaceSamples& surface, const Residues& residues,
                                          const PatchOptions& options);

/// Where patches end on their surface: pieces of straight line, each from one place to the next, three coordinates to a place
/// in angstrom, with the surface's normals there. Along the edges of triangles it is where the potential has the
/// threshold, or half-way where an edge leads to a patch of the other sign.
struct PatchBorder {
  std::vector<float> places, normals;
};
/// Of each patch, in their order.
std::vector<PatchBorder> patch_borders(const SurfaceSamples& surface, std::span<const SurfacePatch> patches,
                                       double threshold);

/// A table with a line for each patch: patch,sign,area,mean,extreme,x,y,z,residues. What the units are stands in a comment
/// above; each residue with its area in parentheses. Throws Error where it cannot be written.
void write_surface_patches(const std::vector<SurfacePatch>& patches, const Residues& residues,
                           const PatchOptions& options, std::string_view potential_unit,
                           const std::filesystem::path& path);

}  // namespace isolume::electrostatics
