#include "gpu/anatomy/atlas_on_devices.h"

#include <algorithm>
#include <mutex>

#include "core/anatomy/rounded.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/volumes/rounded_sum.h"

namespace isolume::gpu {
namespace {

/// Sums that are made on a device at once, for little memory.
constexpr std::size_t sums_at_once = 1 << 20;

FluidShape shape_of(const anatomy::AtlasShape& shape) {
  return {.counts = shape.counts, .spacing_mm = shape.spacing_mm, .parameters = shape.parameters};
}

}  // namespace

std::size_t bytes_of_atlas(const anatomy::AtlasShape& shape, std::size_t images) {
  const std::size_t sums = 2 * std::min(sums_at_once, volumes::point_count(shape.counts));
  return bytes_of_steps(shape_of(shape)) + images * bytes_of_image(shape_of(shape)) + sums * sizeof(double);
}

AtlasOnDevice::AtlasOnDevice(const anatomy::AtlasProblem& problem, std::size_t first, std::size_t images,
                             const GpuDevice& device, const WaitLimits& limits, KeptTransforms& kept)
    : problem_(problem),
      first_(first),
      limits_(limits),
      stream_(device),
      steps_(shape_of(problem), stream_, limits_, kept) {
  const std::size_t count = volumes::point_count(problem.counts);
  for (std::size_t i = first; i < first + images; ++i) {
    images_.push_back({.values = upload_vector<float>(problem.values[i], stream_, limits_),
                       .warped = DeviceBuffer<float>(stream_, count),
                       .displacement = VectorsOnDevice(stream_, count)});
    const Image& image = images_.back();
    steps_.upload_field(*problem.displacements[i], image.displacement);
    steps_.warp(image.values.device_data(), image.displacement, image.warped.device_data());
  }
}

void AtlasOnDevice::add_sums(std::span<double> sums, std::span<double> squares, std::mutex& mutex) const {
  const double greatest = problem_.greatest > 0 ? problem_.greatest : 1;
  const volume_kernels::RoundingShifts shifts{.value = anatomy::Rounded(greatest).shift(),
                                              .square = anatomy::Rounded(greatest * greatest).shift()};
  const std::size_t most = std::min(sums_at_once, sums.size());
  const DeviceBuffer<double> on_device(stream_, squares.empty() ? most : 2 * most);
  std::vector<double> added(on_device.size());
  for (std::size_t begin = 0; begin < sums.size(); begin += most) {
    const std::size_t count = std::min(most, sums.size() - begin);
    require_success(
        cudaMemsetAsync(on_device.device_data(), 0, on_device.size() * sizeof(double), stream_.get()),
        "clearing sums");
    for (std::size_t i = 0; i < images_.size(); ++i) {
      volume_kernels::add_rounded(images_[i].warped.device_data() + begin, problem_.weights[first_ + i],
                                  shifts, count, on_device.device_data(),
                                  squares.empty() ? nullptr : on_device.device_data() + most, stream_);
    }
    download<double>(stream_, on_device.device_data(), added, from_now(limits_.deadline), limits_.progress);
    const std::scoped_lock lock(mutex);
    for (std::size_t i = 0; i < count; ++i) sums[begin + i] += added[i];
    for (std::size_t i = 0; i < count && !squares.empty(); ++i) squares[begin + i] += added[most + i];
  }
}

double AtlasOnDevice::longest() {
  double longest = 0;
  for (const Image& image : images_) {
    limits_.progress.check();
    steps_.measure_force(image.warped.device_data());
    longest = std::max(longest, steps_.longest());
  }
  return longest;
}

void AtlasOnDevice::step(double step_size, std::span<double> mismatches) {
  for (std::size_t i = 0; i < images_.size(); ++i) {
    limits_.progress.check();
    Image& image = images_[i];
    mismatches[i] = problem_.weights[first_ + i] * steps_.measure_force(image.warped.device_data());
    if (step_size == 0) continue;
    steps_.move(image.displacement, step_size);
    steps_.warp(image.values.device_data(), image.displacement, image.warped.device_data());
  }
}

std::vector<anatomy::VectorField> AtlasOnDevice::displacements() const {
  std::vector<anatomy::VectorField> fields(images_.size());
  for (std::size_t i = 0; i < images_.size(); ++i) steps_.download_field(images_[i].displacement, fields[i]);
  return fields;
}

AtlasOnDevices::AtlasOnDevices(const anatomy::AtlasProblem& problem, std::vector<AtlasPart>& parts,
                               std::chrono::duration<double> deadline, const jobs::Progress& progress,
                               KeptTransforms& kept)
    : problem_(problem),
      parts_(parts),
      deadline_(deadline),
      progress_(progress),
      devices_(parts.size()),
      team_(parts.size()) {
  on_each([&](std::size_t i) {
    devices_[i] =
        std::make_unique<AtlasOnDevice>(problem, parts_[i].first, parts_[i].images, gpu_of(*parts_[i].device),
                                        WaitLimits{deadline_, progress_}, kept);
  });
}

template <class Work>
void AtlasOnDevices::on_each(const Work& work) {
  if (parts_.empty()) return;
  team_.together([&](std::size_t i) {
    AtlasPart& part = parts_[i];
    const auto begin = std::chrono::steady_clock::now();
    try {
      guarded_on(gpu_of(*part.device), deadline_, [&] { work(i); });
    } catch (const Error& error) {
      part.error = error.what();
      throw;
    }
    part.busy_seconds += seconds_since(begin);
  });
}

void AtlasOnDevices::add_sums(std::span<double> sums, std::span<double> squares) {
  std::mutex mutex;
  on_each([&](std::size_t i) { devices_[i]->add_sums(sums, squares, mutex); });
}

void AtlasOnDevices::set_mean(std::span<const float> mean) {
  on_each([&](std::size_t i) { devices_[i]->set_mean(mean); });
}

double AtlasOnDevices::longest() {
  std::vector<double> longest(devices_.size() + 1);  // 0 for a process without images
  on_each([&](std::size_t i) { longest[i] = devices_[i]->longest(); });
  return std::ranges::max(longest);
}

std::vector<double> AtlasOnDevices::step(double step_size) {
  std::vector<double> mismatches(problem_.images);
  on_each([&](std::size_t i) {
    AtlasPart& part = parts_[i];
    const auto begin = std::chrono::steady_clock::now();
    devices_[i]->step(step_size, std::span(mismatches).subspan(part.first, part.images));
    part.steps += static_cast<double>(part.images);
    part.step_seconds += seconds_since(begin);
  });
  return mismatches;
}

void AtlasOnDevices::finish() {
  std::vector<std::vector<anatomy::VectorField>> found(devices_.size());
  on_each([&](std::size_t i) { found[i] = devices_[i]->displacements(); });
  // When all have arrived: where a device fails, the level begins anew with those of the problem.
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t k = 0; k < found[i].size(); ++k)
      *problem_.displacements[parts_[i].first + k] = std::move(found[i][k]);
  }
}

}  // namespace isolume::gpu
