#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/stream_name.h"

/// Kernels that measure a device; each queued on a stream.
namespace isolume::gpu::benchmark_kernels {

/// Nothing, by one warp.
void nothing(const Stream& stream);
/// One thread, which does multiply-adds that wait for each other. `sink` is never written.
void spin(std::uint32_t steps, float* sink, const Stream& stream);
/// Writes `count` pieces of 16 bytes to memory that the device can reach.
void fill(void* to, std::size_t count, const Stream& stream);
/// So many multiply-adds by each thread of a block.
inline constexpr std::uint32_t multiply_adds_per_round = 256;
inline constexpr std::uint32_t multiply_add_threads = 256;
/// `sink` is never written.
void multiply_adds(unsigned blocks, std::uint32_t rounds, float* sink, const Stream& stream);

}  // namespace isolume::gpu::benchmark_kernels
