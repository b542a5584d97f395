#include "app/scene/drawing/shader_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <vtkShaderProperty.h>

#include "core/base/error.h"
#include "core/base/resources.h"

namespace isolume::scene {
namespace {

struct Stage {
  const char* suffix;
  int number;  ///< number in a compiler's messages
  void (vtkShaderProperty::*add)(const std::string& tag, bool first, const std::string& text, bool all);
};

constexpr std::array stages{Stage{".vert", 1, &vtkShaderProperty::AddVertexShaderReplacement},
                            Stage{".geom", 2, &vtkShaderProperty::AddGeometryShaderReplacement},
                            Stage{".frag", 3, &vtkShaderProperty::AddFragmentShaderReplacement}};

/// The text for one position of VTK's template.
struct Section {
  std::string where;  ///< before, after or instead
  std::string tag;
  std::string text = {};
};

Section section_of(const std::string& line, const std::filesystem::path& path, int number) {
  for (const auto* where : {"before", "after", "instead of"}) {
    const std::string start = fmt::format("//@ {} VTK::", where);
    if (line.starts_with(start)) return {where, line.substr(start.size())};
  }
  throw InputError(path, number, fmt::format("found {}", isolume::quoted(line)),
                   "Expected an insertion point, e.g. \"//@ after VTK::Normal::Dec\".");
}

void add(vtkShaderProperty& actor, const Stage& stage, const Section& section) {
  const std::string tag = "//VTK::" + section.tag;
  const std::string own = section.where == "after" ? tag + "\n" + section.text : section.text;
  (actor.*stage.add)(tag, true, section.where == "before" ? own + tag + "\n" : own, false);
}

void use(vtkShaderProperty& actor, const Stage& stage, const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw Error(fmt::format("{}: cannot be read.", path.string()));
  Section section;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("//@")) {
      if (!section.tag.empty()) add(actor, stage, section);
      section = section_of(line, path, number);
      // In GLSL 1.50, which VTK writes, this is the number of the directive's own line.
      section.text = fmt::format("#line {} {}\n", number, stage.number);
    } else {
      section.text += line + "\n";  // lines before the first position are comments
    }
  }
  if (!section.tag.empty()) add(actor, stage, section);
}

}  // namespace

void use_shaders(vtkShaderProperty& actor, std::string_view name) {
  const std::filesystem::path folder = resource("shaders");
  bool any = false;
  for (const Stage& stage : stages) {
    const auto path = folder / (std::string(name) + stage.suffix);
    if (!std::filesystem::exists(path)) continue;
    use(actor, stage, path);
    any = true;
  }
  if (!any) {
    throw Error(
        fmt::format("{}: the shader {} was not found. Install Isolume again, or set ISOLUME_RESOURCES to the "
                    "folder that holds the shaders.",
                    folder.string(), isolume::quoted(name)));
  }
}

}  // namespace isolume::scene
