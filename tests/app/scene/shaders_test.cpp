#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <vtkActor.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOutputWindow.h>
#include <vtkPlaneSource.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/shader_file.h"
#include "app/scene/fields/field_scene.h"
#include "app/scene/files/image.h"
#include "app/scene/props/molecule_prop.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "tests/app/scene/analytic_field.h"

/// The GLSL of shaders/ as the OpenGL driver compiles it within VTK's.
namespace isolume::scene {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

/// What VTK complains of, compilers' messages among it.
class Complaints final : public vtkOutputWindow {
 public:
  static Complaints* New();
  vtkTypeMacro(Complaints, vtkOutputWindow)

      void DisplayText(const char* text) override {
    said += text;
  }
  std::string said;
};
vtkStandardNewMacro(Complaints);

std::string complaints_while(const std::function<void()>& drawing) {
  vtkNew<Complaints> complaints;
  const vtkSmartPointer<vtkOutputWindow> before = vtkOutputWindow::GetInstance();
  vtkOutputWindow::SetInstance(complaints);
  drawing();
  vtkOutputWindow::SetInstance(before);
  return complaints->said;
}

grid::Grid cube(double half_side, int points) {
  return grid::centred(Vector3d::Zero(), {points, points, points}, 2 * half_side / (points - 1),
                       grid::LengthUnit::angstrom);
}

FieldPicture coloured_picture(const FieldView& view) {
  fields::MadeField made, second;
  made.field = std::make_shared<const grid::ScalarField>(
      sampled(cube(2, 31), [](const Vector3d& p) { return p.z() * std::exp(-p.squaredNorm()); }));
  second.field = std::make_shared<const grid::ScalarField>(
      sampled(cube(2, 21), [](const Vector3d& p) { return p.x(); }));
  made.second = std::make_shared<const fields::MadeField>(second);
  return picture_of(made, true, view, nullptr, {});
}

vtkSmartPointer<vtkActor> translucent_square() {
  vtkNew<vtkPlaneSource> square;
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(square->GetOutputPort());
  auto actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  actor->GetProperty()->SetOpacity(0.5);
  return actor;
}

ImageOptions small() {
  ImageOptions options;
  options.width = options.height = 64;
  return options;
}

/// Every way in which the shaders are put to use: sorted, peeled, opaque, as wide lines and as points; with and without
/// contour lines; of densities, too; on surfaces and on balls and sticks.
void draw_everything() {
  for (const bool peeled : {false, true}) {
    vtkNew<vtkRenderer> renderer;
    FieldScene scene(*renderer, "angstrom");
    FieldView view;
    view.slice = true;
    scene.show(coloured_picture(view));
    MoleculeProp atoms(*renderer);
    molecules::Molecule hydrogen;
    hydrogen.atoms = {{1, {0, 0, 0}}, {1, {0, 0, 1.4}}};
    atoms.set_molecule(hydrogen);
    if (peeled) renderer->AddActor(translucent_square());
    for (const auto style : {SurfaceStyle::smooth, SurfaceStyle::mesh, SurfaceStyle::points}) {
      for (const double opacity : {0.5, 1.0}) {
        view.style = style;
        view.opacity = opacity;
        view.depth_cue = opacity / 2;
        view.slice_contours = opacity < 1;
        scene.set_view(view, peeled);
        reset_camera(*renderer);
        render_offscreen(*renderer, small());
      }
    }
  }
}

/// A picture with each shader, in a program of its own: VTK goes on without a shader that was not compiled, and falls.
void draw_and_leave() {
  vtkNew<vtkRenderer> renderer;
  FieldScene scene(*renderer, "angstrom");
  FieldView view;
  view.slice = true;
  scene.show(coloured_picture(view));
  scene.set_view(view, false);
  reset_camera(*renderer);
  render_offscreen(*renderer, small());
  _exit(0);
}

TEST(Shaders, AllCompileInEveryWayTheyAreUsed) {
  std::set<std::string> names;
  for (const auto& each : fs::directory_iterator(resource("shaders"))) {
    std::ifstream file(each.path());
    std::string first;
    std::getline(file, first);
    // Whole programs are app/opengl's.
    if (!first.starts_with("#version")) names.insert(each.path().stem());
  }
  EXPECT_EQ(names, (std::set<std::string>{"depth_cue", "slice", "surface"}))
      << "those that draw_everything() puts to use; let it use a new one, too";
  EXPECT_EQ(complaints_while(draw_everything), "");
}

/// A copy of the shaders that this test may spoil.
class SpoiledShaders : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    fs::copy(resource("shaders"), folder_ / "shaders");
    setenv("ISOLUME_RESOURCES", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ISOLUME_RESOURCES");
    fs::remove_all(folder_.parent_path());
    unsetenv(folder_variable);
  }
  /// A program that is started within a test leaves its own in that of the test, which removes both.
  static fs::path folder_of_test() {
    if (const char* of_parent = std::getenv(folder_variable)) return of_parent;
    const fs::path made = fs::temp_directory_path() / fmt::format("isolume-shaders-{}", getpid());
    setenv(folder_variable, made.c_str(), 1);
    return made;
  }
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream file(folder_ / "shaders" / name);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }
  void write(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream file(folder_ / "shaders" / name);
    for (const auto& line : lines) file << line << "\n";
  }

  static constexpr const char* folder_variable = "ISOLUME_TEST_SHADERS";
  const fs::path folder_ = folder_of_test() / std::to_string(getpid());
};

using SpoiledShadersDeathTest = SpoiledShaders;

TEST_F(SpoiledShadersDeathTest, AreToldOfByTheCompilersMessageWithFileAndLine) {
  struct Case {
    std::string file;
    int number;  ///< of the stage
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto& [file, number] :
       {Case{"surface.vert", 1}, Case{"surface.frag", 3}, Case{"slice.frag", 3}}) {
    const auto good = lines(file);
    // After the last line of each place: the whole file is numbered right.
    bool in_a_place = false;
    for (std::size_t line = 1; line <= good.size(); ++line) {
      in_a_place = in_a_place || good[line - 1].starts_with("//@");
      const bool ends = line == good.size() || good[line].starts_with("//@");
      if (!in_a_place || !ends) continue;
      auto bad = good;
      bad.insert(bad.begin() + static_cast<std::ptrdiff_t>(line), "this is no GLSL;");
      write(file, bad);
      const auto any_end = [](int) { return true; };
      const std::string message = fmt::format("(^|[^0-9]){}[:(]{}[^0-9].*error", number, line + 1);
      EXPECT_EXIT(draw_and_leave(), any_end, message) << file << ":" << line + 1;
    }
    write(file, good);
  }
}

TEST_F(SpoiledShaders, WithAPlaceThatIsNotUnderstoodAreRefusedByNameAndLine) {
  auto bad = lines("slice.frag");
  bad.emplace_back("//@ behind VTK::Light::Impl");
  write("slice.frag", bad);
  vtkNew<vtkActor> actor;
  try {
    use_shaders(*actor->GetShaderProperty(), "slice");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(fmt::format("slice.frag:{}", bad.size())), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(use_shaders(*actor->GetShaderProperty(), "none-such"), Error);
}

}  // namespace
}  // namespace isolume::scene
