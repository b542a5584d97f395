#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// Checkpoints along a record at a minimum distance, which doubles whenever they take too much memory: every
/// step is therefore a bounded number of steps after one.
class Checkpoints {
 public:
  /// The first one, of step 0, is never dropped. `spacing`: the initial distance in steps.
  Checkpoints(std::size_t most_bytes, std::int64_t spacing);

  /// Whether a checkpoint is due at this step, which is 0 or more.
  bool due(std::int64_t step) const { return step - before(step).step >= spacing_; }
  void put(std::int64_t step, CheckpointPointer checkpoint);
  /// Removes the checkpoints after that step.
  void cut(std::int64_t last);

  struct Found {
    std::int64_t step = 0;
    CheckpointPointer checkpoint = nullptr;
  };
  /// The last checkpoint not after `step`; there is always one.
  Found before(std::int64_t step) const;

  std::int64_t spacing() const { return spacing_; }
  std::size_t size() const { return all_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  using All = std::map<std::int64_t, CheckpointPointer>;
  void erase(All::iterator where);

  std::size_t most_bytes_;
  std::int64_t spacing_;
  All all_;
  std::size_t bytes_ = 0;
};

}  // namespace isolume::simulation
