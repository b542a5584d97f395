#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace isolume::workbench {

/// A device that is only looked at.
class FakeDevice final : public dispatch::Device {
 public:
  FakeDevice(dispatch::DeviceKind kind, std::string name, int workers)
      : kind_(kind), name_(std::move(name)), workers_(workers) {}

  dispatch::DeviceKind kind() const override { return kind_; }
  std::string name() const override { return name_; }
  std::string detail() const override { return "made up"; }
  std::size_t memory_budget_bytes() const override { return std::size_t{3} << 30; }
  std::size_t memory_bytes() const override {
    return kind_ == dispatch::DeviceKind::cpu ? 0 : std::size_t{8} << 30;
  }
  std::size_t memory_used_bytes() const override { return used; }
  int concurrency() const override { return workers_; }
  void run_workers(const std::function<void(int)>& body) override {
    for (int worker = 0; worker < workers_; ++worker) body(worker);
  }

  std::size_t used = 0;

 private:
  dispatch::DeviceKind kind_;
  std::string name_;
  int workers_;
};

/// A processor of four threads and two GPUs of the same name.
inline std::shared_ptr<dispatch::DevicePool> make_fake_pool() {
  using dispatch::DeviceKind;
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(std::make_unique<FakeDevice>(DeviceKind::cpu, "Processor", 4));
  devices.push_back(std::make_unique<FakeDevice>(DeviceKind::gpu, "Graphics", 2));
  devices.push_back(std::make_unique<FakeDevice>(DeviceKind::gpu, "Graphics", 2));
  return std::make_shared<dispatch::DevicePool>(std::move(devices));
}

}  // namespace isolume::workbench
