#pragma once

#include <filesystem>
#include <string_view>

namespace isolume {

/// The path of a shipped file, e.g. `resource("samples/benzene.fchk.gz")`: searched in $ISOLUME_RESOURCES,
/// next to the installed program (../share/isolume), then in the source tree of the build, where shaders/ is
/// next to resources/. Throws Error naming the searched paths.
std::filesystem::path resource(std::string_view name);

}  // namespace isolume
