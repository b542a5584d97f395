#include "core/electrostatics/surfaces/surface_patches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/disjoint_sets.h"

namespace isolume::electrostatics {
namespace {

/// 1 and -1 on patches, 0 between them and where the potential is unknown.
std::vector<std::int8_t> signs_of(const std::vector<float>& potential, double threshold) {
  std::vector<std::int8_t> signs(potential.size());
  std::ranges::transform(potential, signs.begin(), [&](float value) {
    return static_cast<std::int8_t>(value >= threshold ? 1 : value <= -threshold ? -1 : 0);
  });
  return signs;
}

/// Keyed by the first vertex of each patch.
std::map<std::uint32_t, std::vector<std::uint32_t>> corners_of_patches(
    const surfaces::Mesh& mesh, const std::vector<std::int8_t>& signs) {
  DisjointSets<std::uint32_t> joined(signs.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    for (std::size_t side = 0; side < 3; ++side) {
      const std::uint32_t a = mesh.triangles[t + side], b = mesh.triangles[t + (side + 1) % 3];
      if (signs[a] != 0 && signs[a] == signs[b]) joined.join(a, b);
    }
  }
  std::map<std::uint32_t, std::vector<std::uint32_t>> patches;
  for (std::uint32_t i = 0; i < signs.size(); ++i) {
    if (signs[i] != 0) patches[joined.first(i)].push_back(i);
  }
  return patches;
}

SurfacePatch patch_of(const std::vector<std::uint32_t>& corners, const SurfaceSamples& surface,
                      const Residues& residues) {
  SurfacePatch patch;
  std::map<std::uint32_t, double> areas;
  for (const std::uint32_t i : corners) {
    const auto value = static_cast<double>(surface.potential[i]);
    patch.area += surface.area[i];
    patch.mean += surface.area[i] * value;
    if (std::abs(value) > std::abs(patch.extreme)) {
      patch.extreme = value;
      patch.place =
          Eigen::Map<const Eigen::Vector3f>(&surface.mesh.points[3 * std::size_t{i}]).cast<double>();
    }
    if (surface.atom[i] != NearestAtoms::none)
      areas[residues.of_atom[static_cast<std::size_t>(surface.atom[i])]] += surface.area[i];
  }
  patch.mean = patch.area > 0 ? patch.mean / patch.area : patch.extreme;
  for (const auto& [residue, area] : areas) patch.residues.push_back({residue, area});
  std::ranges::stable_sort(patch.residues, std::greater(), &SurfacePatch::Part::area);
  patch.corners = corners;
  return patch;
}

/// Fraction of the way from the vertex on the patch to the other one.
float way_to_border(float on, float off, float threshold) {
  const float border = on > 0 ? threshold : -threshold;
  const float way = (on - border) / (on - off);
  const bool is_other_patch = std::abs(off) >= threshold;
  return std::isfinite(way) && !is_other_patch ? std::clamp(way, 0.0F, 1.0F) : 0.5F;
}

}  // namespace

std::vector<SurfacePatch> surface_patches(const SurfaceSamples& surface, const Residues& residues,
                                          const PatchOptions& options) {
  std::vector<SurfacePatch> patches;
  for (const auto& [first, corners] :
       corners_of_patches(surface.mesh, signs_of(surface.potential, options.threshold))) {
    auto patch = patch_of(corners, surface, residues);
    if (patch.area >= options.least_area) patches.push_back(std::move(patch));
  }
  std::ranges::stable_sort(patches, std::greater(), &SurfacePatch::area);
  return patches;
}

std::vector<PatchBorder> patch_borders(const SurfaceSamples& surface, std::span<const SurfacePatch> patches,
                                       double threshold) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> patch_of(surface.potential.size(), none);
  for (std::uint32_t patch = 0; patch < patches.size(); ++patch) {
    for (const std::uint32_t corner : patches[patch].corners) patch_of[corner] = patch;
  }
  std::vector<PatchBorder> borders(patches.size());
  const auto& [points, normals, triangles] = surface.mesh;
  const auto add = [&](PatchBorder& border, std::uint32_t on, std::uint32_t off) {
    const float way =
        way_to_border(surface.potential[on], surface.potential[off], static_cast<float>(threshold));
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto between = [&](const std::vector<float>& of) {
        const float from = of[3 * std::size_t{on} + axis], to = of[3 * std::size_t{off} + axis];
        return from + way * (to - from);
      };
      border.places.push_back(between(points));
      border.normals.push_back(between(normals));
    }
  };
  for (std::size_t t = 0; t < triangles.size(); t += 3) {
    const std::array<std::uint32_t, 3> corners{triangles[t], triangles[t + 1], triangles[t + 2]};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t patch = patch_of[corners[i]];
      const bool is_first =
          i == 0 || (patch_of[corners[0]] != patch && (i == 1 || patch_of[corners[1]] != patch));
      if (patch == none || !is_first) continue;
      const auto is_on = [&](std::uint32_t each) { return patch_of[each] == patch; };
      const auto count = std::ranges::count_if(corners, is_on);
      if (count == 3) continue;
      // The border cuts the two edges of the vertex that is alone on its side.
      std::uint32_t alone = corners[0];
      for (const std::uint32_t each : corners) {
        if (is_on(each) == (count == 1)) alone = each;
      }
      for (const std::uint32_t other : corners) {
        if (other == alone) continue;
        if (count == 1) add(borders[patch], alone, other);
        if (count == 2) add(borders[patch], other, alone);
      }
    }
  }
  return borders;
}

void write_surface_patches(const std::vector<SurfacePatch>& patches, const Residues& residues,
                           const PatchOptions& options, std::string_view potential_unit,
                           const std::filesystem::path& path) {
  fmt::memory_buffer lines;
  auto out = std::back_inserter(lines);
  fmt::format_to(
      out,
      "# parts of the molecular surface where the potential's magnitude is at least {} {}, of at least "
      "{} square angstrom; area in square angstrom; mean and extreme potential in {}; x, y and z of the "
      "extreme in angstrom\npatch,sign,area,mean,extreme,x,y,z,residues\n",
      options.threshold, potential_unit, options.least_area, potential_unit);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const auto& each = patches[i];
    std::string names;
    for (const auto& [residue, area] : each.residues)
      names += fmt::format("{}{} ({:.1f})", names.empty() ? "" : "; ", residues.all[residue].name, area);
    fmt::format_to(out, "{},{},{:.6g},{:.6g},{:.6g},{:.3f},{:.3f},{:.3f},{}\n", i + 1,
                   each.mean > 0 ? "+" : "-", each.area, each.mean, each.extreme, each.place.x(),
                   each.place.y(), each.place.z(), csv_cell(names));
  }
  AtomicFile file(path);
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

}  // namespace isolume::electrostatics
