#include "core/dispatch/memory.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>

#include "core/base/byte_size.h"
#include "core/base/error.h"
#include "core/dispatch/control_groups.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// The number after `wanted` in a file of lines "key number ...".
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

std::size_t address_space_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
  return limit.rlim_cur;
}

/// ISOLUME_MEMORY_BUDGET: the memory that the user grants, not what is available.
std::size_t wanted_budget() {
  const char* text = std::getenv("ISOLUME_MEMORY_BUDGET");
  if (text == nullptr || *text == '\0') return no_limit;
  const auto bytes = parse_bytes(text);
  if (!bytes) {
    throw Error(fmt::format(
        "ISOLUME_MEMORY_BUDGET is {}, which is not a size. Set it to something like 2GiB or 500MiB.",
        quoted(text)));
  }
  return *bytes;
}

}  // namespace

std::size_t available_memory_bytes() {
  const std::size_t available =
      std::min({system_available(), control_groups_available(), address_space_limit()});
  return std::min(available / 5 * 4, wanted_budget());
}

void require_memory(std::string_view what_for, double wanted_bytes, std::string_view remedy) {
  constexpr double exact = 9e18;  // no integer holds larger numbers
  if (wanted_bytes < exact) return require_memory(what_for, static_cast<std::size_t>(wanted_bytes), remedy);
  constexpr double exbibyte = 0x1p60;
  throw ResourceError(fmt::format("{} needs {:.3g} EiB, but only {} may be used. {}", what_for,
                                  wanted_bytes / exbibyte, format_bytes(available_memory_bytes()), remedy));
}

void require_memory(std::string_view what_for, std::size_t wanted_bytes, std::string_view remedy) {
  const std::size_t available = available_memory_bytes();
  if (wanted_bytes > available) throw ResourceError(what_for, wanted_bytes, available, remedy);
}

}  // namespace isolume::dispatch
