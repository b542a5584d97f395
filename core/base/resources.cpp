#include "core/base/resources.h"

#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume {

std::filesystem::path resource(std::string_view name) {
  namespace fs = std::filesystem;
  std::vector<fs::path> roots;
  if (const char* given = std::getenv("ISOLUME_RESOURCES")) roots.emplace_back(given);
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) roots.push_back(program.parent_path().parent_path() / ISOLUME_INSTALLED_RESOURCES);
  roots.emplace_back(ISOLUME_SOURCE_RESOURCES);
  roots.emplace_back(ISOLUME_SOURCE_ROOT);  // shaders/ is next to resources/ there

  std::string tried;
  for (const fs::path& root : roots) {
    fs::path path = root / name;
    if (fs::exists(path, failed)) return path;
    tried += (tried.empty() ? "" : ", ") + root.string();
  }
  throw Error(
      fmt::format("The file {} that belongs to Isolume was not found in {}. Install again, or set "
                  "ISOLUME_RESOURCES to the folder that holds it.",
                  name, tried));
}

}  // namespace isolume
