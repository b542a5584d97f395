#pragma once

#include <chrono>
#include <span>

#include "core/jobs/progress.h"
#include "gpu/runtime/buffer.h"
#include "gpu/runtime/deadline.h"
#include "gpu/runtime/transfer.h"

namespace isolume::gpu {

/// How a job's data are copied to a device.
struct Delivery {
  std::chrono::duration<double> deadline;
  const jobs::Progress& progress;
};

/// Allocates device memory and fills it; returns when all data have arrived. The bytes are reinterpreted as
/// To.
template <class To, class Values>
DeviceBuffer<To> upload_vector(const Values& values, const Stream& stream, const Delivery& delivery) {
  static_assert(sizeof(To) == sizeof(*values.data()));
  DeviceBuffer<To> buffer(stream, values.size());
  if (values.size() != 0) {
    upload_bytes(stream, std::as_bytes(std::span(values.data(), values.size())), buffer.device_data(),
                 from_now(delivery.deadline), delivery.progress);
  }
  return buffer;
}

}  // namespace isolume::gpu
