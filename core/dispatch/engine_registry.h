#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {

/// The engines of one kind that this program has, best first. Filled once at start by gpu/machine.h.
template <class Engine>
class EngineRegistry {
 public:
  EngineRegistry() = default;
  /// `devices`: what the engines compute on, where reports of jobs are kept; null where nobody asks for them.
  explicit EngineRegistry(std::shared_ptr<DevicePool> devices) : devices_(std::move(devices)) {}

  void add(std::unique_ptr<Engine> engine) { engines_.push_back(std::move(engine)); }
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }
  /// "auto" takes the first. Throws Error naming the engines there are.
  const Engine& find(std::string_view name) const {
    std::string known;
    for (const auto& engine : engines_) {
      if (name == "auto" || name == engine->name()) return *engine;
      known += ", \"" + std::string(engine->name()) + "\"";
    }
    throw Error("There is no engine named " + quoted(name) + " here. Use \"auto\"" + known + ".");
  }
  /// Keeps the report of a job that one of the engines did.
  void record(const Report& report) const {
    if (devices_ != nullptr) devices_->record(report);
  }

 private:
  std::shared_ptr<DevicePool> devices_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace isolume::dispatch
