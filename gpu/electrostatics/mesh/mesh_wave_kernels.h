#pragma once

#include <cstddef>

#include <cuda_runtime.h>

#include "gpu/runtime/streams/stream_name.h"

/// Operations on a mesh between two Fourier transforms, and between meshes of one spacing and of twice that.
/// In double precision; all but `between_meshes` read and write each value once.
namespace isolume::gpu::mesh_kernels {

/// Real values, x fastest; their modes along x are those of 0 to points[0] / 2.
struct Box {
  int points[3];

  constexpr std::size_t size() const {
    return static_cast<std::size_t>(points[0]) * static_cast<std::size_t>(points[1]) *
           static_cast<std::size_t>(points[2]);
  }
  constexpr Box modes() const { return {{points[0] / 2 + 1, points[1], points[2]}}; }
};

/// Like electrostatics::EwaldWaves.
struct Waves {
  double reciprocal[3][3];   ///< rows of the matrix from a wave's numbers to its vector, in 1/angstrom
  double decay;              ///< (pi / alpha)^2, angstrom^2
  double over_volume;        ///< 1 / (pi volume), 1/angstrom^3
  double background;         ///< e/angstrom
  const double* sharper[3];  ///< electrostatics::spline_sharpening along each axis, device memory
};
/// Queues the conversion of modes of charges to those of the potential.
void act_by_waves(const Waves& waves, const Box& mesh, double2* modes, const Stream& stream);

/// electrostatics::EvenKernel with its values in device memory.
struct Kernel {
  const double* values;
  int reach[3];
  double radius_squared;
};
/// The kernel around the first point of a periodic box.
void unfold(const Kernel& kernel, const Box& box, double* values, const Stream& stream);
/// Copies into a box padded with zeros, and back out of it.
void pad(const double* from, const Box& inner, const Box& box, double* values, const Stream& stream);
void cut(const double* from, const Box& box, const Box& inner, double* values, const Stream& stream);
/// Multiplies modes of charges by those of an even kernel, which are real, and by `factor`.
void act_by_kernel(const double2* kernel, double factor, std::size_t count, double2* modes,
                   const Stream& stream);

/// Transfers along one axis, from a mesh to one of twice the spacing or back, like
/// electrostatics::multilevel_values; `half_way`: weights of a point between two.
struct HalfWay {
  static constexpr int points = 10;
  double weights[points];
};
void between_meshes(const double* from, const Box& from_box, const Box& to_box, int axis, bool to_coarser,
                    const HalfWay& half_way, double* to, const Stream& stream);
/// to[i] += from[i] / 2
void add_half(const double* from, std::size_t count, double* to, const Stream& stream);

}  // namespace isolume::gpu::mesh_kernels
