#pragma once

#include <cstddef>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::gpu {

/// Times for both surfaces of a field, at an isovalue and at its negative, on one GPU; no CUDA type appears
/// here. The steps lead from a field in host memory to meshes in host memory, by the host's clock, each
/// waited for.
struct SurfaceTimes {
  std::size_t points = 0;
  std::size_t vertices = 0;  ///< of both, like the triangles
  std::size_t triangles = 0;
  benchmarks::Timing upload;  ///< memory for the field, and its upload through pinned memory
  benchmarks::Timing find;    ///< counting and measuring
  benchmarks::Timing write;   ///< vertices, normals and triangles into the device's memory
  benchmarks::Timing
      download;              ///< from there by way of pinned memory into memory that nobody has touched yet
  benchmarks::Timing whole;  ///< all steps in one go
  double moved_bytes = 0;    ///< minimum bytes that `find` and `write` must move, see least_bytes()
};

/// What finding and writing surfaces must move over the device's memory, if nothing is moved twice: of each
/// surface,
///   4 bytes a point         the field, read once to count
///   2 x 20 bytes a run      what the count leaves for the writing, of 32 points of a row: written, read
///   24 bytes a vertex       point and normal, written
///   12 bytes a triangle     its corners, written.
/// The field is read once more where a surface passes; that is left out, because caches may hold it.
double least_bytes(const grid::Grid& grid, int surfaces, std::size_t vertices, std::size_t triangles);

/// Throws Error for a device that is not a GPU, ResourceError, dispatch::DeviceLost, Cancelled.
SurfaceTimes time_surfaces(const dispatch::Device& device, const grid::ScalarField& field, double isovalue,
                           const benchmarks::RepeatOptions& options = {},
                           const jobs::Progress& progress = {});

/// Extracts and counts both surfaces of the field, on the GPU that holds it, else of a copy on `device`;
/// returns the number of triangles. Throws like time_surfaces.
std::size_t count_triangles(const dispatch::Device& device, const grid::ScalarField& field, double isovalue,
                            const jobs::Progress& progress = {});

}  // namespace isolume::gpu
