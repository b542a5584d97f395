#include "gpu/emulator/machine.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"
#include "gpu/emulator/graphs.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {

Machine& machine() {
  // Never destroyed, because other destructors may still call the runtime; its threads end before them.
  static auto* const machine = [] {
    auto* const made = new Machine;
    std::atexit([] {
      Machine& ending = emulator::machine();
      Machine::Lock lock(ending.mutex);
      ending.replace({}, {}, lock);
      ending.unloaded = true;
    });
    return made;
  }();
  return *machine;
}

void Machine::describe(Lock& lock) {
  if (described) return;
  described = true;
  const char* const devices_text = std::getenv("ISOLUME_EMULATED_DEVICES");
  try {
    const Options read = options_of_environment();
    if (devices_text != nullptr) replace(parse_devices(devices_text), read, lock);
  } catch (const Error& error) {
    bad_description = error.what();
  }
}

void Machine::replace(const std::vector<DeviceSpecification>& specifications, Options new_options,
                      Lock& lock) {
  for (const auto& device : devices) {
    for (const auto& stream : device->streams) want(*stream, device->next_number);
  }
  changed.wait(lock, [&] { return quiet(); });
  for (const auto& device : devices) stop(*device, lock);
  devices.clear();
  described = true;
  bad_description.clear();
  options = new_options;
  for (const auto& specification : specifications) {
    auto& device = *devices.emplace_back(std::make_unique<Device>());
    device.specification = specification;
    device.index = static_cast<int>(devices.size()) - 1;
    start(device);
  }
}

void Machine::reset(Device& device, Lock& lock) {
  stop(device, lock);
  device.streams.clear();
  device.failure.reset();
  device.hangs = device.stopping = false;
  device.launches_at_reset = device.launches;
  device.peers = 0;
  device.shared_limits.clear();
  device.loaded.clear();
  start(device);
}

void Machine::start(Device& device) {
  auto& stream = *device.streams.emplace_back(std::make_unique<CUstream_st>());
  streams.insert(&stream);
  stream.device = device.index;
  stream.blocking = true;
  device.random.seed(options.stream_seed + static_cast<unsigned>(device.index));
  device.worker = std::thread([this, &device] { work(device); });
}

void Machine::stop(Device& device, Lock& lock) {
  device.stopping = true;
  for (const auto& stream : device.streams) want(*stream, device.next_number);
  changed.notify_all();
  lock.unlock();
  device.worker.join();
  lock.lock();
  for (const auto& stream : device.streams) {
    while (!stream->operations.empty()) finish(device, *stream);
    streams.erase(stream.get());
  }
  for (CUevent_st* const event : events) {
    if (event->mark && std::ranges::any_of(device.streams, [&](const auto& stream) {
          return stream.get() == event->mark->stream;
        })) {
      event->mark->stream = nullptr;
    }
  }
  device.streams.clear();
  memory::release_all(device.index);
  changed.notify_all();
}

void Machine::queue(CUstream_st& stream, const std::function<CUstream_st::Operation(Device&)>& make) {
  if (stream.capture != nullptr) {
    stream.capture->nodes.push_back(make);
  } else {
    queue(stream, make(*devices[static_cast<std::size_t>(stream.device)]));
  }
}

std::uint64_t Machine::queue(CUstream_st& stream, CUstream_st::Operation operation) {
  if (stream.capture != nullptr) {
    stream.capture->nodes.push_back([operation = std::move(operation)](Device&) { return operation; });
    return 0;
  }
  Device& device = *devices[static_cast<std::size_t>(stream.device)];
  operation.number = device.next_number++;
  if (operation.reaches) {
    operation.reaches->stream = &stream;
    operation.reaches->number = operation.number;
    operation.reaches->device = stream.device;
  }
  if (options.streams != StreamOrder::delayed || stream.closing) stream.wanted = operation.number;
  stream.operations.push_back(std::move(operation));
  changed.notify_all();
  return device.next_number - 1;
}

bool Machine::finished(const CUstream_st& stream, std::uint64_t number) const {
  return stream.operations.empty() || stream.operations.front().number > number;
}

bool Machine::wait_for(CUstream_st* stream, std::uint64_t number, Lock& lock) {
  const auto gone = [&] { return !streams.contains(stream); };
  want(*stream, number);
  changed.wait(lock, [&] { return gone() || finished(*stream, number); });
  return !gone();
}

void Machine::wait_for_all(int index, Lock& lock) {
  Device* const device = devices[static_cast<std::size_t>(index)].get();
  const std::uint64_t last = device->next_number - 1;
  for (const auto& stream : device->streams) want(*stream, last);
  changed.wait(lock, [&] {
    const bool there = static_cast<std::size_t>(index) < devices.size() &&
                       devices[static_cast<std::size_t>(index)].get() == device;
    return !there || std::ranges::all_of(device->streams, [&](const auto& s) { return finished(*s, last); });
  });
}

void Machine::want(CUstream_st& stream, std::uint64_t number) {
  if (stream.wanted >= number) return;
  stream.wanted = number;
  for (const auto& operation : stream.operations) {
    if (operation.number > number) break;
    const auto& mark = operation.waits_for;
    if (mark && !mark->done && mark->stream != nullptr) want(*mark->stream, mark->number);
  }
  // The default stream waits for the others, and they for it.
  const Device& device = *devices[static_cast<std::size_t>(stream.device)];
  if (stream.blocking) {
    for (const auto& other : device.streams) {
      if (other->blocking && other.get() != &stream) want(*other, number);
    }
  }
  changed.notify_all();
}

bool Machine::ready(Device& device, CUstream_st& stream) {
  if (stream.operations.empty()) return false;
  const auto& operation = stream.operations.front();
  if (operation.number > stream.wanted) return false;
  if (operation.waits_for && !operation.waits_for->done && operation.waits_for->stream != nullptr)
    return false;
  if (!stream.blocking) return true;
  const CUstream_st* const default_stream = device.streams.front().get();
  return std::ranges::none_of(device.streams, [&](const auto& other) {
    return other.get() != &stream && other->blocking &&
           (&stream == default_stream || other.get() == default_stream) && !other->operations.empty() &&
           other->operations.front().number < operation.number;
  });
}

bool Machine::quiet() {
  return std::ranges::none_of(devices, [&](const auto& device) {
    return device->running || (!device->hangs && next_ready(*device) != nullptr);
  });
}

CUstream_st* Machine::next_ready(Device& device) {
  const std::size_t count = device.streams.size();
  if (options.streams == StreamOrder::shuffled) device.next_stream = device.random() % count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (device.next_stream + i) % count;
    if (ready(device, *device.streams[at])) {
      device.next_stream = at + 1;
      return device.streams[at].get();
    }
  }
  return nullptr;
}

void Machine::finish(Device& device, CUstream_st& stream) {
  auto& operation = stream.operations.front();
  for (const auto& mark : {operation.reaches, device.stopping ? operation.waits_for : nullptr}) {
    if (!mark) continue;
    mark->done = true;
    mark->when = std::chrono::steady_clock::now();
  }
  stream.operations.pop_front();
  if (stream.operations.empty() && stream.closing && !device.stopping) forget(device, stream);
  changed.notify_all();
}

void Machine::forget(Device& device, CUstream_st& stream) {
  for (CUevent_st* const event : events) {
    if (event->mark && event->mark->stream == &stream) event->mark->stream = nullptr;
  }
  streams.erase(&stream);
  std::erase_if(device.streams, [&](const auto& other) { return other.get() == &stream; });
}

void Machine::work(Device& device) {
  Processor processor(device.index);
  Lock lock(mutex);
  while (true) {
    CUstream_st* const stream = next_ready(device);
    if (stream == nullptr) {
      if (device.stopping) return;
      changed.wait(lock);
      continue;
    }
    const auto& operation = stream->operations.front();
    if (operation.hangs && !device.failure) {
      device.hangs = true;
      changed.notify_all();  // wakes threads that wait until all is quiet
      changed.wait(lock, [&] { return device.stopping; });
      return;
    }
    if (operation.run && !device.failure) {
      device.running = true;
      lock.unlock();
      auto failure = operation.run(processor);
      lock.lock();
      device.running = false;
      if (failure && !device.failure) device.failure = std::move(failure);
    }
    finish(device, *stream);
  }
}

}  // namespace isolume::gpu::emulator
