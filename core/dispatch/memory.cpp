#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <sys/resource.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// MemAvailable of /proc/meminfo.
std::size_t system_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::size_t kib = 0;
  std::string rest;
  while (file >> key >> kib && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return no_limit;
}

std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : no_limit;  // "max" is no number: unlimited
}

/// What is left of this control group's limit (containers, batch systems).
std::size_t group_available() {
  const std::size_t limit = number_in("/sys/fs/cgroup/memory.max");
  const std::size_t used = number_in("/sys/fs/cgroup/memory.current");
  if (limit == no_limit || used == no_limit) return no_limit;
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
