#include "app/opengl/shader_program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <gtest/gtest.h>

#include "app/opengl/egl_context.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "tests/temporary_folder.h"

namespace isolume::opengl {
namespace {

namespace fs = std::filesystem;

std::string message_of(const std::string& vertex, const std::string& fragment) {
  try {
    const ShaderProgram program(vertex, fragment);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(ShaderProgram, TellsFileAndLineOfWhatDoesNotCompile) {
  const EglContext context;
  const isolume::testing::TemporaryFolder folder;
  fs::create_directories(folder.path() / "shaders");
  for (const char* name : {"points.vert", "points.frag"})
    fs::copy(resource("shaders") / fs::path(name), folder.path() / "shaders" / name);
  std::ofstream(folder.path() / "shaders/spoilt.frag") << "#version 330 core\nvoid main() {\n  no GLSL;\n}\n";
  setenv("ISOLUME_RESOURCES", folder.path().c_str(), 1);
  const std::string good = message_of("points", "points");
  const std::string spoilt = message_of("points", "spoilt");
  const std::string missing = message_of("points", "none-such");
  unsetenv("ISOLUME_RESOURCES");
  EXPECT_EQ(good, "");
  EXPECT_NE(spoilt.find("spoilt.frag"), std::string::npos) << spoilt;
  EXPECT_NE(spoilt.find("3"), std::string::npos) << spoilt;
  EXPECT_NE(missing.find("none-such.frag"), std::string::npos) << missing;
}

TEST(ShaderProgram, HasNoUniformsThatItDoesNotHave) {
  const EglContext context;
  const ShaderProgram program("points");
  program.use();
  program.set("radius", 1.0F);
  EXPECT_THROW(program.set("none-such", 1.0F), std::logic_error);
}

}  // namespace
}  // namespace isolume::opengl
