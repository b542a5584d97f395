#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/stream_name.h"

/// Picks rows out of tables of floats in device memory. Bounds: memory; a row is read and written once.
namespace isolume::gpu::gather_kernels {

/// `count` rows of `width` floats each; `rows`: which ones, null for the first ones.
struct Rows {
  const float* values;
  const std::uint32_t* rows;
  std::uint32_t count;
};
/// out[i] = values[rows[i]]. Queues its kernel, as the next one does.
void gather(const Rows& of, float* out, const Stream& stream);
/// Three a row: out[3 i + axis] = values[3 rows[i] + axis] + shift[axis].
struct Shift {
  float by[3];
};
void gather_shifted(const Rows& of, const Shift& shift, float* out, const Stream& stream);

}  // namespace isolume::gpu::gather_kernels
