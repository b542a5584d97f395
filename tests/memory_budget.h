#pragma once

#include <cstdlib>

namespace isolume::testing {

/// While it lives, jobs of this process and of those it starts may use so much memory: "500MiB".
class MemoryBudget {
 public:
  explicit MemoryBudget(const char* size) { ::setenv("ISOLUME_MEMORY_BUDGET", size, 1); }
  ~MemoryBudget() { ::unsetenv("ISOLUME_MEMORY_BUDGET"); }
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;
};

}  // namespace isolume::testing
