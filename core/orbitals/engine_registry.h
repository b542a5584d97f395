#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/orbitals/engine.h"

namespace isolume::orbitals {

/// The engines of this program, best first. Filled once at start by `gpu::make_engines`.
class EngineRegistry {
 public:
  EngineRegistry() = default;
  /// `devices`: what the engines compute on, where reports of jobs are kept; null where nobody asks for them.
  explicit EngineRegistry(std::shared_ptr<dispatch::DevicePool> devices) : devices_(std::move(devices)) {}

  void add(std::unique_ptr<Engine> engine);
  const std::vector<std::unique_ptr<Engine>>& engines() const { return engines_; }
  /// "auto" takes the first. Throws Error naming the engines there are.
  const Engine& find(std::string_view name) const;
  /// Keeps the report of a job that one of the engines did.
  void record(const dispatch::Report& report) const {
    if (devices_ != nullptr) devices_->record(report);
  }

 private:
  std::shared_ptr<dispatch::DevicePool> devices_;
  std::vector<std::unique_ptr<Engine>> engines_;
};

/// Who has computed and how, for people: "CPU, AVX-512, 2 threads"; "2 x NVIDIA H100, separable kernel".
std::string who_computed(const Engine& engine, const EngineOptions& options, const dispatch::Report& report);

}  // namespace isolume::orbitals
