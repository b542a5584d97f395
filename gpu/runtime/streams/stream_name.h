#pragma once

/// Sources of kernels name the class only. nvcc reads every header once for the host and once for each
/// generation of GPUs: the includes of stream.h took longer than the kernels.
namespace isolume::gpu {

class Stream;

}  // namespace isolume::gpu
