#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/streams/stream_name.h"

/// Gathers rows from tables of floats in device memory. The bound is memory: a row is read and written once.
namespace isolume::gpu::gather_kernels {

/// `count` rows of `width` floats each; `rows`: their numbers, null for the first ones.
struct Rows {
  const float* values;
  const std::uint32_t* rows;
  std::uint32_t count;
};
/// out[i] = values[rows[i]]. This and the next function queue a kernel.
void gather(const Rows& of, float* out, const Stream& stream);
/// Three values per row: out[3 i + axis] = values[3 rows[i] + axis] + shift[axis].
struct Shift {
  float by[3];
};
void gather_shifted(const Rows& of, const Shift& shift, float* out, const Stream& stream);

}  // namespace isolume::gpu::gather_kernels
