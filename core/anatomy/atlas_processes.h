#pragma once

#include <functional>
#include <span>
#include <vector>

namespace isolume::anatomy {

/// The processes among which the images of an atlas are dealt. All of them call each function, in the same order. This class is one
/// process with all images.
class AtlasProcesses {
 public:
  virtual ~AtlasProcesses() = default;
  virtual bool are_several() const { return false; }
  /// Runs work that may throw in some processes; then all throw.
  virtual void together(const std::function<void()>& work) const { work(); }
  /// Replaces values by their sums over the processes.
  virtual void sum(std::span<double> /*values*/) const {}
  /// The greatest of the values of all processes.
  virtual double greatest(double value) const { return value; }
  /// Numbers of the images of all processes, in the order of the images.
  virtual std::vector<double> all(std::span<const double> own) const { return {own.begin(), own.end()}; }
};

}  // namespace isolume::anatomy
