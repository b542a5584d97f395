#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/emulator/processor.h"

namespace isolume::gpu::emulator {

/// A box of bytes, rows of `width`.
struct Copy {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::size_t to_pitch = 0;
  std::size_t from_pitch = 0;
  std::size_t to_slice = 0;
  std::size_t from_slice = 0;
  std::size_t width = 0;
  std::size_t height = 1;
  std::size_t depth = 1;
  cudaMemcpyKind kind = cudaMemcpyDefault;
};

/// Reports ends that lie outside of an allocation or are of the wrong kind (a sentence); else empty.
std::string why_not(const Copy& copy);
std::string why_not_set(const void* to, std::size_t bytes);
/// Whether host memory is unknown to the runtime.
bool is_pageable(const void* address);

/// A copy that runs later. Like CUDA, it reads pageable memory at once.
class StagedCopy {
 public:
  explicit StagedCopy(Copy copy);
  std::optional<Failure> run() const { return run(copy_); }
  /// The same, with an end that is known only when it runs.
  std::optional<Failure> run_to(std::byte* to) const;
  std::optional<Failure> run_from(const std::byte* from) const;

 private:
  static std::optional<Failure> run(const Copy& copy);

  Copy copy_;
  std::vector<std::byte> staged_;
};

std::optional<Failure> set(void* to, int value, std::size_t bytes);

}  // namespace isolume::gpu::emulator
