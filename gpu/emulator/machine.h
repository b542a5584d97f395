#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "gpu/emulator/devices.h"
#include "gpu/emulator/processor.h"

/// A position in a stream for which other work may wait.
struct Mark {
  bool done = false;
  std::chrono::steady_clock::time_point when;
  CUstream_st* stream = nullptr;  ///< null once the stream is gone
  std::uint64_t number = 0;
  int device = 0;
};

struct Capture;

struct CUstream_st {
  struct Operation {
    std::uint64_t number = 0;  ///< unique on the device
    /// Runs on the device's worker, without the machine's lock. Null for a mark that is only waited for.
    std::function<std::optional<isolume::gpu::emulator::Failure>(isolume::gpu::emulator::Processor&)> run;
    std::shared_ptr<Mark> waits_for;
    std::shared_ptr<Mark> reaches;
    bool hangs = false;
  };

  int device = 0;
  bool blocking = false;             ///< ordered with the default stream
  bool closing = false;              ///< destroyed by its owner; deleted when it is empty
  std::deque<Operation> operations;  ///< the first one may be running
  std::uint64_t wanted = 0;          ///< delayed streams run operations up to this number
  std::shared_ptr<Capture> capture;  ///< where work is recorded instead of queued; see graphs.h
};

struct CUevent_st {
  int device = 0;  ///< on which it was made; streams of others cannot record it
  bool timed = true;
  std::shared_ptr<Mark> mark;
};

namespace isolume::gpu::emulator {

struct Device {
  DeviceSpecification specification;
  int index = 0;
  std::vector<std::unique_ptr<CUstream_st>> streams;  ///< the first is the default stream
  std::size_t next_stream = 0;                        ///< the next stream to serve
  std::uint64_t next_number = 1;
  int launches = 0;
  int launches_at_reset = 0;
  int allocations = 0;
  bool stopping = false;  ///< the worker finishes all work that can be finished
  bool hangs = false;
  bool running = false;
  std::uint32_t peers = 0;                   ///< bit per device whose memory kernels here may access
  std::set<const void*> loaded;              ///< kernels
  std::map<const void*, int> shared_limits;  ///< dynamic shared bytes that kernels have opted in to
  std::optional<Failure> failure;
  std::mt19937 random;
  std::thread worker;
};

/// The emulated machine: all devices, under one lock. A device's worker takes operations from its streams one
/// after another.
struct Machine {
  std::mutex mutex;
  std::condition_variable changed;
  bool described = false;  ///< the environment has been read, or set_devices was called
  std::string bad_description;
  bool unloaded = false;
  Options options;
  std::vector<std::unique_ptr<Device>> devices;
  std::set<CUevent_st*> events;
  std::set<CUstream_st*> streams;

  using Lock = std::unique_lock<std::mutex>;

  /// Reads the environment on first use.
  void describe(Lock& lock);
  void replace(const std::vector<DeviceSpecification>& specifications, Options new_options, Lock& lock);
  /// Restores the initial state, except the counts of launches and allocations.
  void reset(Device& device, Lock& lock);

  /// Removes an empty stream.
  void forget(Device& device, CUstream_st& stream);
  std::uint64_t queue(CUstream_st& stream, CUstream_st::Operation operation);
  /// `make` is called now, or at each launch of the graph if the stream is being captured.
  void queue(CUstream_st& stream, const std::function<CUstream_st::Operation(Device&)>& make);
  /// False if the device was removed meanwhile.
  bool wait_for(CUstream_st* stream, std::uint64_t number, Lock& lock);
  void wait_for_all(int device, Lock& lock);
  /// For delayed streams: somebody needs this work done.
  void want(CUstream_st& stream, std::uint64_t number);
  bool finished(const CUstream_st& stream, std::uint64_t number) const;

 private:
  void start(Device& device);
  void stop(Device& device, Lock& lock);
  void work(Device& device);
  /// Whether nothing runs and nothing can be started.
  bool quiet();
  CUstream_st* next_ready(Device& device);
  bool ready(Device& device, CUstream_st& stream);
  void finish(Device& device, CUstream_st& stream);
};

/// The machine of this process.
Machine& machine();

}  // namespace isolume::gpu::emulator
