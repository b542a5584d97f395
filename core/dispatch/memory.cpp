#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <sys/resource.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The number behind `wanted` in a file of lines "key number ...".
std::optional<std::size_t> number_behind(std::string_view wanted, const char* path) {
  std::ifstream file(path);
  std::string key;
  std::size_t number = 0;
  std::string rest;
  while (file >> key >> number && std::getline(file, rest)) {
    if (key == wanted) return number;
  }
  return std::nullopt;
}

std::size_t system_available() {
  const auto kib = number_behind("MemAvailable:", "/proc/meminfo");
  return kib ? *kib * 1024 : no_limit;
}

std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : no_limit;  // "max" is no number: unlimited
}

/// What is left of this control group's limit (containers, batch systems). Cached files count as used there,
/// but give way.
std::size_t group_available() {
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max");
  std::size_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == no_limit || used == no_limit) return no_limit;
  used -= std::min(used, number_behind("inactive_file", "/sys/fs/cgroup/memory.stat").value_or(0));
  return limit > used ? limit - used : 0;
}

std::size_t address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur;
}

}  // namespace

std::size_t available_memory_bytes() {
  const std::size_t available = std::min({system_available(), group_available(), address_space_limit()});
  return available / 5 * 4;
}

void require_memory(std::string_view what_for, std::size_t wanted_bytes, std::string_view remedy) {
  const std::size_t available = available_memory_bytes();
  if (wanted_bytes > available) throw ResourceError(what_for, wanted_bytes, available, remedy);
}

}  // namespace isolume::dispatch
