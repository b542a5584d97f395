#pragma once

#include <span>

#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Allocates device memory and fills it; returns when all data have arrived. The bytes are reinterpreted as
/// To.
template <class To, class Values>
DeviceBuffer<To> upload_vector(const Values& values, const Stream& stream, const WaitLimits& limits) {
  static_assert(sizeof(To) == sizeof(*values.data()));
  DeviceBuffer<To> buffer(stream, values.size());
  if (values.size() != 0) {
    upload_bytes(stream, std::as_bytes(std::span(values.data(), values.size())), buffer.device_data(),
                 from_now(limits.deadline), limits.progress);
  }
  return buffer;
}

}  // namespace isolume::gpu
