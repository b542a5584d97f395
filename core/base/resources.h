#pragma once

#include <filesystem>
#include <string_view>

namespace isolume {

/// The path of a shipped file, e.g. `resource("samples/benzene.fchk.gz")`: looked for in $ISOLUME_RESOURCES,
/// beside the installed program (../share/isolume), then in the source tree it was built from, where
/// shaders/ lies beside resources/. Throws Error naming the places that were tried.
std::filesystem::path resource(std::string_view name);

}  // namespace isolume
