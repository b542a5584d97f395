#include "core/dispatch/control_groups.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace isolume::dispatch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// A hierarchy of groups: its folder, the group at its mount point, and the group of this process.
struct Hierarchy {
  bool version_2 = false;
  fs::path mounted_at = {}, top = {}, group = {};
};

/// Finds "memory" in "cpu,memory".
bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Parses lines such as "31 23 0:28 /top /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw".
std::vector<Hierarchy> mounted_hierarchies(const fs::path& mounts) {
  std::vector<Hierarchy> found;
  std::ifstream file(mounts);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string id, parent, device, top, folder, word, kind, source, options;
    words >> id >> parent >> device >> top >> folder;
    while (words >> word && word != "-") {
    }
    words >> kind >> source >> options;
    const bool version_2 = kind == "cgroup2";
    if (version_2 || (kind == "cgroup" && has_word(options, "memory")))
      found.push_back({.version_2 = version_2, .mounted_at = folder, .top = top});
  }
  return found;
}

/// Parses lines such as "4:cpu,memory:/group" and, in version 2, "0::/group"; empty if this process is in no
/// group.
std::optional<fs::path> own_group(const fs::path& groups, bool version_2) {
  std::ifstream file(groups);
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version_2 ? controllers.empty() : has_word(controllers, "memory")) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// The value "max" is not a number and means no limit.
std::size_t number_of(const fs::path& path) {
  std::ifstream file(path);
  std::size_t number = 0;
  return file >> number ? number : unlimited;
}

std::size_t statistic(const std::string& wanted, const fs::path& path) {
  std::ifstream file(path);
  std::string key;
  for (std::size_t number = 0; file >> key >> number;) {
    if (key == wanted) return number;
  }
  return 0;
}

/// The limit of one group alone. The kernel counts cached files as used memory, but can release them.
std::size_t left_in(const fs::path& folder, bool version_2) {
  const std::size_t limit =
      version_2 ? std::min(number_of(folder / "memory.max"), number_of(folder / "memory.high"))
                : number_of(folder / "memory.limit_in_bytes");
  std::size_t used = number_of(folder / (version_2 ? "memory.current" : "memory.usage_in_bytes"));
  if (limit == unlimited || used == unlimited) return unlimited;
  used -=
      std::min(used, statistic(version_2 ? "inactive_file" : "total_inactive_file", folder / "memory.stat"));
  return limit > used ? limit - used : 0;
}

}  // namespace

std::size_t control_groups_available(const fs::path& root) {
  std::size_t left = unlimited;
  for (Hierarchy& each : mounted_hierarchies(root / "proc/self/mountinfo")) {
    const auto group = own_group(root / "proc/self/cgroup", each.version_2);
    if (!group) continue;
    // In a container, the mount may begin at a group below the root.
    fs::path below = group->lexically_relative(each.top);
    if (below.empty() || *below.begin() == ".." || below == ".") below.clear();
    const fs::path top = root / each.mounted_at.relative_path();
    left = std::min(left, left_in(top, each.version_2));
    fs::path folder = top;
    for (const fs::path& part : below) left = std::min(left, left_in(folder /= part, each.version_2));
  }
  return left;
}

}  // namespace isolume::dispatch
