#pragma once

#include <vector>

#include "core/electrostatics/sums/mesh_sum.h"
#include "gpu/electrostatics/mesh/mesh_kernels.h"
#include "gpu/runtime/memory/upload_vector.h"

namespace isolume::gpu {

mesh_kernels::Mesh pack_mesh(const electrostatics::StencilMesh& mesh);

/// electrostatics::values_on_mesh on the stream's device, in double precision, bit-identical in every run on
/// one model of GPU. Three-dimensional transforms are cuFFT's: those of a periodic mesh for particle-mesh
/// Ewald; for multilevel summation, those of each mesh and of its kernel, padded with zeros by the range of
/// the kernel.
///
/// Bounds: both are limited by memory. A transform of real values reads and writes 16 bytes per point along
/// each axis. With spreading (mesh_kernels.h), particle-mesh Ewald moves about 300 bytes per point, or 10 GB
/// for the 7 million of 1.5 million charges at a cut-off of 12 angstrom and an error of 1e-5: 3 ms at 4 TB/s.
/// Multilevel summation has three transforms of meshes that are about a third larger, and all coarser meshes
/// together take a seventh of the finest. The sums that the transforms replace would take 16 thousand
/// double-precision multiply-adds per point.
///
/// Throws Error if cuFFT is not installed, ResourceError if the device has too little memory,
/// dispatch::DeviceLost, Cancelled.
std::vector<double> mesh_values(const electrostatics::MeshSum& sum, const Stream& stream,
                                const WaitLimits& limits);

}  // namespace isolume::gpu
