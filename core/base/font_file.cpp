#include "core/base/font_file.h"

#include "core/base/error.h"
#include "core/base/resources.h"

namespace isolume {

std::filesystem::path font_file() {
  try {
    return resource("fonts/DejaVuSans.ttf");
  } catch (const Error&) {  // not shipped: use the system's font
  }
  for (const char* folder : {"/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/dejavu-sans-fonts",
                             "/usr/share/fonts/dejavu", "/usr/share/fonts/TTF", "/usr/local/share/fonts"}) {
    const auto path = std::filesystem::path(folder) / "DejaVuSans.ttf";
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

}  // namespace isolume
