#include <algorithm>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <hwy/targets.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

/// The best vector instructions of this processor, in its maker's terms.
std::string vector_instructions() {
  const auto supported = hwy::SupportedTargets();
  const auto best = supported & -supported;  // Highway orders its targets best first
  const std::string name = hwy::TargetName(best);
  if (name.starts_with("AVX3")) return "AVX-512";
  return name;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(int threads)
      : threads_(threads > 0 ? std::min(threads, processor_threads()) : processor_threads()),
        arena_(threads_) {}

  DeviceKind kind() const override { return DeviceKind::cpu; }
  std::string name() const override { return processor_name(); }
  std::size_t memory_budget_bytes() const override { return available_memory_bytes(); }
  int concurrency() const override { return threads_; }
  std::string detail() const override {
    return fmt::format("{} {}, {}", threads_, threads_ == 1 ? "thread" : "threads", vector_instructions());
  }
  void run_workers(const std::function<void(int)>& body) override {
    if (threads_ == 1) return body(0);
    const auto worker = [&body](int number) {
      const handover::Worker here;
      body(number);
    };
    const handover::Caller here(worker);
    arena_.execute([&] { tbb::parallel_for(0, threads_, worker, tbb::simple_partitioner{}); });
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
