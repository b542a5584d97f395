#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/parameters/description.h"

namespace isolume::dispatch {

/// The engines of one kind in this program, best first. Filled once at start, by the function of
/// gpu/<lab>/engines.h for this kind.
template <class Engine>
class EngineRegistry {
 public:
  EngineRegistry() = default;
  /// `devices`: the pool that the engines compute on, where job reports are stored; null if reports are not
  /// needed.
  explicit EngineRegistry(std::shared_ptr<DevicePool> devices) : devices_(std::move(devices)) {}

  void add(std::unique_ptr<Engine> engine) { engines_.push_back(std::move(engine)); }
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }
  /// Returns the first engine for "auto". Throws Error naming the available engines.
  const Engine& find(std::string_view name) const {
    std::string known;
    for (const auto& engine : engines_) {
      if (name == "auto" || name == engine->name()) return *engine;
      known += ", \"" + std::string(engine->name()) + "\"";
    }
    throw Error("There is no engine named " + quoted(name) + " here. Use \"auto\"" + known + ".");
  }
  /// Restricts descriptions of ComputeOptions to the available engines, and omits parameters that matter with
  /// other engines only. Other descriptions stay unchanged.
  void narrow(parameters::Description& description) const {
    if (description.key == "engine") {
      description.kind = parameters::Kind::choice;
      description.choices = {{"auto", "Best"}};
      for (const auto& engine : engines_) {
        description.choices.push_back({std::string(engine->name()), std::string(engine->description())});
      }
    } else if (description.relevant_when.key == "engine") {
      std::erase_if(description.relevant_when.values, [&](const std::string& name) {
        if (name == "auto") return find(name).kernels().empty();
        return std::ranges::none_of(engines_, [&](const auto& engine) { return engine->name() == name; });
      });
    }
  }
  /// Stores the report of a job that one of the engines did.
  void record(const Report& report) const {
    if (devices_ != nullptr) devices_->record(report);
  }

 private:
  std::shared_ptr<DevicePool> devices_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace isolume::dispatch
