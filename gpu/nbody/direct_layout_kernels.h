#pragma once

#include <cstdint>

#include "gpu/nbody/direct_kernels.h"

/// What sums over every pair need of bodies that are in their order on the device: boxes of tiles, and groups, as the host
/// makes them (direct_job.cpp). All queue their kernels.
///
/// Bounds: every body is read twice, 64 bytes in all.
namespace isolume::gpu::nbody_kernels {

/// Bodies from a multiple of group_size to the next: no group is in two of them.
constexpr std::uint32_t group_chunks_of(std::uint32_t bodies) {
  return (bodies + group_size - 1) / group_size;
}

void box_tiles(const Body* bodies, std::uint32_t count, Box* tiles, const Stream& stream);
/// How many groups each chunk has; the first offset becomes 0.
void count_direct_groups(const Body* bodies, std::uint32_t count, std::uint32_t* counts,
                         std::uint32_t* offsets, const Stream& stream);
/// `offsets`: where each chunk's groups begin.
void make_direct_groups(const Body* bodies, std::uint32_t count, const std::uint32_t* offsets, Group* groups,
                        const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
