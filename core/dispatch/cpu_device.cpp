#include <algorithm>
#include <fstream>
#include <string>

#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/dispatch/dispatch.h"

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace isolume::dispatch {
namespace {

/// Tells the thread sanitizer what it cannot see, because libtbb is not compiled with it: what one thread did
/// before `publish` has happened for every thread after `receive`. Without the sanitizer it is nothing.
struct Handover {
#ifdef __SANITIZE_THREAD__
  void publish() {
    __tsan_release(this);
  }
  void receive() {
    __tsan_acquire(this);
  }
#else
  void publish() {}
  void receive() {}
#endif
};

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int threads)
      : threads_(threads > 0 ? std::min(threads, processor_threads()) : processor_threads()),
        arena_(threads_) {}

  DeviceKind kind() const override { return DeviceKind::cpu; }
  std::string name() const override { return processor_name(); }
  std::size_t memory_budget_bytes() const override { return available_memory_bytes(); }
  int concurrency() const override { return threads_; }
  void run_workers(const std::function<void(int)>& body) override {
    if (threads_ == 1) return body(0);
    static Handover start, end;  // static: to capture them would be a read that nobody sees handed over
    const auto worker = [&](int number) {
      start.receive();
      body(number);
      end.publish();
    };
    start.publish();
    arena_.execute([&] { tbb::parallel_for(0, threads_, worker, tbb::simple_partitioner{}); });
    end.receive();
  }

 private:
  int threads_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(int threads) {
  return std::make_unique<CpuDevice>(threads);
}

int processor_threads() {
  return tbb::info::default_concurrency();
}

namespace {

std::string read_processor_name() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

}  // namespace

std::string processor_name() {
  static const std::string name = read_processor_name();  // reading takes longer than a small job
  return name;
}

}  // namespace isolume::dispatch
