#pragma once

/// Sources of kernels name the class and need no more of it. nvcc reads every header once for the host and once for each
/// generation of GPUs: what stream.h includes took longer than the kernels.
namespace isolume::gpu {

class Stream;

}  // namespace isolume::gpu
