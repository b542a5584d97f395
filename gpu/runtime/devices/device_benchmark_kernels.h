#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/runtime/streams/stream_name.h"

/// Kernels that measure a device; each is queued on a stream.
namespace isolume::gpu::benchmark_kernels {

/// An empty kernel of one warp.
void nothing(const Stream& stream);
/// One thread with dependent multiply-adds. `sink` is never written.
void spin(std::uint32_t steps, float* sink, const Stream& stream);
/// Writes `count` blocks of 16 bytes to memory that the device can access.
void fill(void* to, std::size_t count, const Stream& stream);
/// Number of multiply-adds of each thread in a round.
inline constexpr std::uint32_t multiply_adds_per_round = 256;
inline constexpr std::uint32_t multiply_add_threads = 256;
/// `sink` is never written.
void multiply_adds(unsigned blocks, std::uint32_t rounds, float* sink, const Stream& stream);

}  // namespace isolume::gpu::benchmark_kernels
