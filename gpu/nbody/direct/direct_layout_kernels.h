#pragma once

#include <cstdint>

#include "gpu/nbody/direct/direct_kernels.h"

/// Data for direct sums from bodies sorted on the device: boxes of tiles, and groups, identical to the host's
/// (direct_job.cpp). All queue their kernels.
///
/// Bounds: every body is read twice, 64 bytes in all.
namespace isolume::gpu::nbody_kernels {

/// Chunks of bodies from one multiple of group_size to the next: no group crosses their borders.
constexpr std::uint32_t group_chunks_of(std::uint32_t bodies) {
  return (bodies + group_size - 1) / group_size;
}

void box_tiles(const Body* bodies, std::uint32_t count, Box* tiles, const Stream& stream);
/// Number of groups of each chunk; the first offset becomes 0.
void count_direct_groups(const Body* bodies, std::uint32_t count, std::uint32_t* counts,
                         std::uint32_t* offsets, const Stream& stream);
/// `offsets`: first group of each chunk.
void make_direct_groups(const Body* bodies, std::uint32_t count, const std::uint32_t* offsets, Group* groups,
                        const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
