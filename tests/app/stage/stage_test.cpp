#include "app/stage/stage.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <numbers>
#include <random>
#include <set>
#include <thread>
#include <vector>

#define GLFW_INCLUDE_NONE
#include <Eigen/Geometry>
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <glm/geometric.hpp>
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>  // where a window lies

#include "app/opengl/egl_context.h"
#include "app/opengl/objects.h"
#include "app/stage/bodies_scene.h"
#include "app/stage/keys.h"
#include "app/stage/lobes_scene.h"
#include "app/stage/overlay_view.h"
#include "app/stage/person.h"
#include "app/stage/scenes.h"
#include "core/base/error.h"
#include "core/base/resources.h"
#include "core/molecules/document.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/app/pictures/decoded_movie.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::stage {
namespace {

constexpr PixelSize size{320, 200};

/// A framebuffer in the place of a window.
class Screen {
 public:
  Screen() {
    glBindRenderbuffer(GL_RENDERBUFFER, colours_.name());
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size.width, size.height);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.name());
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours_.name());
  }
  GLuint name() const { return framebuffer_.name(); }
  std::vector<std::uint8_t> pixels() const {
    std::vector<std::uint8_t> all(std::size_t{3} * size.width * size.height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer_.name());
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, all.data());
    return all;
  }

 private:
  opengl::Framebuffer framebuffer_;
  opengl::Renderbuffer colours_;
};

BodiesPlot few_bodies(int bodies) {
  BodiesPlot plot;
  plot.title = "Collapse";
  plot.start.scene = nbody::SceneKind::collapse;
  plot.start.bodies = bodies;
  plot.time_step = 0.01;
  return plot;
}

std::vector<SceneChoice> small_scenes() {
  return {{"collapse", "Collapse", [] { return make_bodies_scene(few_bodies(400)); }},
          {"water", "Water", [] {
             return make_lobes_scene(
                 {.title = "Water", .file = "samples/water-631gs.fchk.gz", .superposition = "homo:1,lumo:1"});
           }}};
}

class StageTest : public ::testing::Test {
 protected:
  /// Pictures until `done`, or for too long.
  template <class Done>
  ::testing::AssertionResult draw_until(Stage& stage, const Done& done) {
    const auto start = std::chrono::steady_clock::now();
    while (!done()) {
      picture(stage, 0.03);
      if (std::chrono::steady_clock::now() - start > std::chrono::seconds(60))
        return ::testing::AssertionFailure();
      std::this_thread::yield();
    }
    return ::testing::AssertionSuccess();
  }
  void picture(Stage& stage, double seconds) {
    stage.advance(seconds);
    stage.draw(size, screen.name());
    stage.picture_done(size, screen.name());
  }
  void TearDown() override { EXPECT_EQ(glGetError(), static_cast<GLenum>(GL_NO_ERROR)); }

  opengl::EglContext context;
  Screen screen;
};

/// Where the camera sees a place, in pixels from the lower left corner: by the angles alone.
Eigen::Vector2d seen(const Camera& camera, const Eigen::Vector3d& place) {
  const double a = camera.azimuth, e = camera.elevation;
  const Eigen::Vector3d back(std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e));
  const Eigen::Vector3d right(-std::sin(a), std::cos(a), 0), up = back.cross(right);
  const Eigen::Vector3d focus(camera.focus.x, camera.focus.y, camera.focus.z);
  const Eigen::Vector3d from = place - focus;
  const double depth = camera.distance - from.dot(back);
  const double pixels = 0.5 * size.height / std::tan(0.5 * camera.field_of_view) / depth;
  return {0.5 * size.width + pixels * from.dot(right), 0.5 * size.height + pixels * from.dot(up)};
}

/// The light that a picture shows as this number, tone mapping undone.
double light_of(std::uint8_t pixel) {
  const double srgb = std::min(pixel / 255.0, 0.999);
  const double shown = srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
  return -std::log(1 - shown);
}

/// The centre of the light that a picture shows.
Eigen::Vector2d centre_of_light(const std::vector<std::uint8_t>& pixels) {
  Eigen::Vector2d centre(0, 0);
  double sum = 0;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double light = light_of(pixels[static_cast<std::size_t>(3 * (y * size.width + x) + c)]);
        sum += light;
        centre += light * Eigen::Vector2d(x + 0.5, y + 0.5);
      }
    }
  }
  return centre / sum;
}

TEST_F(StageTest, BodiesAreSeenWhereTheyAre) {
  Stage stage(small_scenes());
  stage.run("stage.pause");
  stage.run("parameter.set colour-by origin");  // one colour
  stage.scene().go_to(0);
  const nbody::InitialConditions start = nbody::make_scene(few_bodies(400).start);
  Camera& camera = stage.camera();
  for (const float azimuth : {0.3F, 2.5F}) {
    camera.azimuth = azimuth;
    camera.focus.x += 0.15F * camera.distance * std::sin(azimuth);  // off the middle
    camera.focus.z = -0.05F * camera.distance;
    picture(stage, 0);
    Eigen::Vector2d expected(0, 0);
    double sum = 0;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
      const Eigen::Vector3d place(start.bodies.x[i], start.bodies.y[i], start.bodies.z[i]);
      const Eigen::Vector3d towards(std::cos(camera.elevation) * std::cos(camera.azimuth),
                                    std::cos(camera.elevation) * std::sin(camera.azimuth),
                                    std::sin(camera.elevation));
      const Eigen::Vector3d focus(camera.focus.x, camera.focus.y, camera.focus.z);
      const double depth = camera.distance - (place - focus).dot(towards);
      const double light = start.bodies.mass[i] / (depth * depth);
      expected += light * seen(camera, place);
      sum += light;
    }
    const Eigen::Vector2d found = centre_of_light(screen.pixels());
    EXPECT_NEAR(found.x(), expected.x() / sum, 1);
    EXPECT_NEAR(found.y(), expected.y() / sum, 1);
    camera.focus.x = 0;
  }
}

/// The light of all pixels, tone mapping undone.
double light_of(const std::vector<std::uint8_t>& pixels) {
  double sum = 0;
  for (const std::uint8_t each : pixels) sum += light_of(each);
  return sum;
}

TEST_F(StageTest, TrailsKeepTheBrightnessOfAPictureAtRest) {
  Stage stage(small_scenes());
  for (const char* line : {"stage.pause", "parameter.set trails 0"}) stage.run(line);
  stage.scene().go_to(0);
  picture(stage, 0);
  const double without = light_of(screen.pixels());
  ASSERT_GT(without, 10);
  stage.run("parameter.set trails 40");
  stage.clear_trails();
  for (int i = 0; i < 100; ++i) {
    picture(stage, 0);
    ASSERT_NEAR(light_of(screen.pixels()), without, 0.02 * without) << i;
  }
}

TEST_F(StageTest, AMovingCameraDrawsNoTrails) {
  Stage stage(small_scenes());
  for (const char* line : {"stage.pause", "parameter.set trails 40"}) stage.run(line);
  stage.scene().go_to(0);
  for (int i = 0; i < 60; ++i) {
    stage.camera().turn(0.05F, 0);
    picture(stage, 0);
  }
  const auto moved = screen.pixels();
  stage.clear_trails();
  picture(stage, 0);
  const auto at_rest = screen.pixels();
  double difference = 0;
  for (std::size_t i = 0; i < moved.size(); ++i)
    difference += std::abs(light_of(moved[i]) - light_of(at_rest[i]));
  EXPECT_LT(difference, 0.4 * light_of(at_rest));
}

TEST_F(StageTest, EveryKeyHasACommandThatCanRun) {
  Stage stage(small_scenes());
  std::set<int> codes;
  for (const Key& key : keys()) {
    EXPECT_TRUE(codes.insert(key.code).second) << key.shown << " is there twice";
    const std::string line = key.command;
    const auto* command = stage.commands().find(line.substr(0, line.find(' ')));
    ASSERT_NE(command, nullptr) << line;
    EXPECT_TRUE(static_cast<bool>(command->run)) << line;
    if (line != "view.full-screen") {  // there is no window
      EXPECT_NO_THROW(stage.commands().run(line)) << line;
    }
  }
  for (const auto& declared : declared_commands())
    EXPECT_TRUE(static_cast<bool>(stage.commands().find(declared.name)->run)) << declared.name;
}

TEST_F(StageTest, SaysWhatIsNotThere) {
  EXPECT_THROW(Stage(small_scenes(), "none-such"), Error);
  Stage stage(small_scenes());
  stage.run("stage.scene none-such");
  EXPECT_NE(stage.notice().find("collapse, water"), std::string::npos) << stage.notice();
  EXPECT_EQ(stage.choice().name, "collapse");
  stage.run("parameter.set none-such 1");
  EXPECT_NE(stage.notice().find("none-such"), std::string::npos) << stage.notice();
  stage.run("parameter.set bodies many");
  EXPECT_NE(stage.notice().find("many"), std::string::npos) << stage.notice();
  stage.run("stage.scene water");
  stage.run("parameter.set superposition homo:1,999:1");
  EXPECT_NE(stage.notice(), "");
  EXPECT_EQ(std::get<std::string>(stage.scene().parameters().get("superposition")), "homo:1,lumo:1");
}

TEST_F(StageTest, TimeRunsForwardsAndBackAndCanBeGoneTo) {
  Stage stage(small_scenes());
  ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().moment().now > 0.2; }));
  stage.run("stage.reverse on");
  const double turned = stage.scene().moment().now;
  ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().moment().now < turned - 0.15; }));
  stage.run("stage.pause");
  stage.run("stage.seek 0.1");
  ASSERT_TRUE(draw_until(stage, [&] { return std::abs(stage.scene().moment().now - 0.1) < 1e-9; }));
  stage.run("stage.step 2");
  ASSERT_TRUE(draw_until(stage, [&] { return std::abs(stage.scene().moment().now - 0.12) < 1e-9; }));
}

TEST_F(StageTest, ParametersAreTakenWhileTheSceneRuns) {
  Stage stage(small_scenes());
  const auto said = [&](const std::string& text) {
    for (const std::string& line : stage.scene().caption(stage.camera())) {
      if (line.find(text) != std::string::npos) return true;
    }
    return false;
  };
  ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().moment().now > 0.1; }));
  stage.run("parameter.set solver direct");
  EXPECT_TRUE(said("direct sum"));
  stage.run("parameter.set bodies 777");
  ASSERT_TRUE(draw_until(stage, [&] { return said("777 bodies"); }));
  EXPECT_TRUE(said("direct sum")) << "what was set stays set";
  ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().moment().now > 0.1; }));
  stage.run("parameter.set dt 0.002");
  EXPECT_EQ(std::get<double>(stage.scene().parameters().get("dt")), 0.002);
  stage.run("parameter.reset dt");
  EXPECT_NE(std::get<double>(stage.scene().parameters().get("dt")), 0.002);
}

TEST_F(StageTest, WhatIsSetWhileASceneIsMadeStaysSet) {
  Stage stage(small_scenes());
  stage.run("parameter.set bodies 777");
  stage.run("parameter.set error 0.01");
  ASSERT_TRUE(draw_until(stage, [&] {
    return stage.scene().trouble().empty() && stage.scene().caption(stage.camera())[1].starts_with("777");
  }));
  EXPECT_EQ(std::get<double>(stage.scene().parameters().get("error")), 0.01);
}

TEST_F(StageTest, DrawsWhereThereIsSomethingNewToSee) {
  Stage stage(small_scenes());
  stage.run("stage.pause");
  stage.scene().go_to(0);
  EXPECT_TRUE(stage.picture_due());
  picture(stage, 0);
  EXPECT_FALSE(stage.picture_due());
  const auto due_after = [&](const char* command) {
    stage.run(command);
    const bool due = stage.picture_due();
    picture(stage, 0);
    return due && !stage.picture_due();
  };
  for (const char* command : {"view.turn-left", "parameter.set brightness 3", "stage.caption off",
                              "stage.present on", "stage.present off", "stage.scene collapse"})
    EXPECT_TRUE(due_after(command)) << command;
  stage.advance(1.5);
  EXPECT_TRUE(stage.picture_due()) << "for what overlays tell";
}

TEST_F(StageTest, PicturesGiveWayToStepsThatFallBehind) {
  Stage stage(small_scenes());
  stage.processor_draws = true;
  stage.run("stage.speed 1e9");
  ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().behind(); }));
  const auto due_after = [&](double seconds, const char* command) {
    picture(stage, 0);
    stage.picture_took(0.02);
    stage.run("parameter.set exposure 1.1");  // something new
    stage.run(command);
    stage.advance(seconds);
    return stage.picture_due();
  };
  EXPECT_FALSE(due_after(0.03, "stage.play"));
  EXPECT_TRUE(due_after(0.09, "stage.play"));
  EXPECT_FALSE(due_after(0.03, "view.turn-left"));
  EXPECT_TRUE(due_after(0.05, "view.turn-left")) << "sooner while the camera moves";
  stage.processor_draws = false;
  EXPECT_TRUE(due_after(0.001, "view.turn-left"));
}

/// How many pixels are mostly blue, mostly red.
std::array<int, 2> colours_of(const std::vector<std::uint8_t>& pixels) {
  std::array<int, 2> counts{};
  for (std::size_t i = 0; i < pixels.size(); i += 3) {
    if (pixels[i + 2] > pixels[i] + 60) ++counts[0];
    if (pixels[i] > pixels[i + 2] + 60) ++counts[1];
  }
  return counts;
}

TEST_F(StageTest, LobesShrinkWithTheIsovalueAndChangeWithTime) {
  Stage stage(small_scenes(), "water");
  stage.run("stage.pause");
  const auto at = [&](const char* isovalue, double seconds) {
    stage.run(std::string("parameter.set isovalue ") + isovalue);
    stage.scene().go_to(seconds);
    picture(stage, 0);
    return colours_of(screen.pixels());
  };
  const auto wide = at("0.01", 0), narrow = at("0.1", 0);
  EXPECT_GT(wide[0] + wide[1], 2 * (narrow[0] + narrow[1]));
  EXPECT_GT(narrow[0] + narrow[1], 20);
  // The two colours are told from each other to some percent: their highlights differ.
  // exp(-i E t) is -1 at t = pi / |E|: a single orbital's signs have changed places.
  stage.run("parameter.set superposition homo:1");
  const auto document = molecules::read_document(resource("samples/water-631gs.fchk.gz"));
  const auto& set = document.wavefunction->sets.front();
  const auto homo = static_cast<std::size_t>(molecules::find_orbital(set, "homo", molecules::Spin::alpha));
  constexpr double femtoseconds_per_atomic_unit = 0.02418884326586;
  const double time =
      std::numbers::pi / std::abs(set.orbitals[homo].energy_hartree) * femtoseconds_per_atomic_unit;
  const auto before = at("0.05", 0);
  stage.run(fmt::format("stage.seek {}", time));
  std::array<int, 2> after = before;
  EXPECT_TRUE(draw_until(stage,
                         [&] {
                           after = colours_of(screen.pixels());
                           return std::abs(after[0] - before[1]) < 0.1 * before[1] &&
                                  std::abs(after[1] - before[0]) < 0.1 * before[0];
                         }))
      << before[0] << " " << before[1] << ", then " << after[0] << " " << after[1];
  EXPECT_GT(std::abs(before[0] - before[1]), 0.13 * before[0]) << "else nothing is seen to change";
}

TEST_F(StageTest, StandsRandomSlidersWithItsOverlays) {
  Stage stage(small_scenes());
  OverlayView overlays(nullptr, 1);
  std::mt19937 random(3);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  for (int move = 0; move < 150; ++move) {  // for longer: soak_test.cpp
    if (move % 50 == 49) stage.run("stage.next 1");
    const auto all = stage.scene().parameters().descriptions();
    const auto& each = all[random() % all.size()];
    parameters::Value value = stage.scene().parameters().get(each.key);
    const auto range =
        each.usual.value_or(parameters::Range{std::max(each.low, -1e3), std::min(each.high, 1e3)});
    if (each.kind == parameters::Kind::real) value = uniform(range.low, range.high);
    if (each.kind == parameters::Kind::integer)
      value = static_cast<std::int64_t>(uniform(range.low, std::min(range.high, 3000.0)));
    if (each.kind == parameters::Kind::choice) value = each.choices[random() % each.choices.size()].key;
    // The cost of tiny spacings and of all threads is not what is looked for here.
    if (each.key == "spacing") value = uniform(0.1, 0.4);
    if (each.key == "threads") continue;
    const std::array words{each.key, parameters::to_text(value)};
    stage.run(commands::line_of("parameter.set", words));
    picture(stage, 0.02);
    overlays.lay_out(stage, size, 0.02F);
    glBindFramebuffer(GL_FRAMEBUFFER, screen.name());
    overlays.draw();
  }
  const auto pixels = screen.pixels();
  EXPECT_GT(std::ranges::count_if(pixels, [](std::uint8_t each) { return each > 60; }), 500)
      << "the panel at least";
}

TEST_F(StageTest, PanelsOfSmallAndLargePicturesDoNotOverlap) {
  Stage stage(small_scenes());
  picture(stage, 0.02);
  OverlayView overlays(nullptr, 0);
  for (const PixelSize shown : {PixelSize{1280, 720}, {480, 320}, {3840, 2160}, {640, 480}}) {
    for (int i = 0; i < 3; ++i) overlays.lay_out(stage, shown, 0.02F);  // ImGui needs two to find its sizes
    const ImRect whole(0, 0, static_cast<float>(shown.width), static_cast<float>(shown.height));
    std::vector<ImRect> places;
    for (const char* name : {"##panel", "##measurements", "##legend"}) {
      const ImGuiWindow* window = ImGui::FindWindowByName(name);
      if (window == nullptr || !window->Active) continue;
      for (const ImRect& other : places)
        EXPECT_FALSE(window->Rect().Overlaps(other))
            << name << " in " << shown.width << " x " << shown.height;
      EXPECT_TRUE(whole.Contains(window->Rect())) << name << " in " << shown.width << " x " << shown.height;
      places.push_back(window->Rect());
    }
    // Measurements and legend only where the scene keeps a part of the picture.
    EXPECT_EQ(places.size() > 1, shown.width >= 1280);
    ASSERT_FALSE(places.empty());
    EXPECT_LT(places.front().GetWidth(), 0.7F * whole.GetWidth());
    // A line of text takes at least 1.4 % of the height of a picture for a hall, and 10 pixels anywhere.
    EXPECT_GE(ImGui::GetIO().Fonts->Fonts[0]->FontSize,
              std::max(10.0F, 0.014F * static_cast<float>(shown.height)));
  }
}

/// Three bodies at the places of Chenciner and Montgomery, the outer ones near the ends of the figure eight.
TEST_F(StageTest, TheFirstPictureFitsNextToThePanel) {
  Stage stage(scenes(), "figure-eight");
  OverlayView overlays(nullptr, 0);
  for (const PixelSize shown : {PixelSize{480, 320}, {640, 480}, {1280, 720}}) {
    for (int i = 0; i < 3; ++i) overlays.lay_out(stage, shown, 0.02F);
    const opengl::Eye eye = stage.eye(shown);
    const Eigen::Matrix4f onto_picture =
        Eigen::Matrix4f::Map(eye.projection.data()) * Eigen::Matrix4f::Map(eye.view.data());
    const float panel = ImGui::FindWindowByName("##panel")->Rect().Max.x;
    for (const float side : {-1.0F, 0.0F, 1.0F}) {
      const Eigen::Vector4f there =
          onto_picture * Eigen::Vector4f(side * 0.97000436F, -side * 0.24308753F, 0, 1);
      const float x = (1 + there.x() / there.w()) / 2 * static_cast<float>(shown.width);
      EXPECT_GT(x, panel) << side << " at " << shown.width;
      EXPECT_LT(x, static_cast<float>(shown.width)) << side << " at " << shown.width;
    }
  }
}

/// A person at keyboard and mouse, as ImGui's back end would tell of them.
class Person {
 public:
  Person(Stage& stage, OverlayView& view) : stage_(stage), view_(view) { lay_out(); }
  void press(int key) {
    ImGui::GetIO().KeysDown[key] = true;
    lay_out();
    ImGui::GetIO().KeysDown[key] = false;
    lay_out();
  }
  void drag(int button, ImVec2 from, ImVec2 to) {
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = from;
    lay_out();
    io.MouseDown[button] = true;
    lay_out();
    io.MousePos = to;
    lay_out();
    io.MouseDown[button] = false;
    lay_out();
  }
  void turn_wheel(float notches) {
    ImGui::GetIO().MouseWheel = notches;
    lay_out();
  }

 private:
  void lay_out() { view_.lay_out(stage_, wide, 0.02F); }
  static constexpr PixelSize wide{1280, 720};
  Stage& stage_;
  OverlayView& view_;
};

TEST_F(StageTest, ObeysKeyboardAndMouse) {
  Stage stage(small_scenes());
  OverlayView view(nullptr, 1);
  Person person(stage, view);
  EXPECT_TRUE(stage.scene().playing());
  person.press(GLFW_KEY_SPACE);
  EXPECT_FALSE(stage.scene().playing());
  person.press(GLFW_KEY_2);
  EXPECT_EQ(stage.choice().name, "water");
  person.press(GLFW_KEY_F1);
  EXPECT_TRUE(stage.overlays().help);
  person.press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(stage.overlays().help);
  EXPECT_FALSE(stage.quits());

  const Camera before = stage.camera();
  person.drag(0, {800, 300}, {900, 260});
  EXPECT_LT(stage.camera().azimuth, before.azimuth);
  EXPECT_LT(stage.camera().elevation, before.elevation);
  EXPECT_EQ(stage.camera().focus, before.focus);
  person.turn_wheel(3);
  EXPECT_LT(stage.camera().distance, before.distance);
  // What the right button holds follows it: 100 pixels at the focus, the picture being 720 high.
  const Camera held = stage.camera();
  person.drag(1, {800, 300}, {900, 300});
  const float moved = glm::distance(stage.camera().focus, held.focus);
  EXPECT_NEAR(moved, 100 * 2 * std::tan(held.field_of_view / 2) * held.distance / 720, 0.01F * moved);

  const Camera still = stage.camera();
  person.drag(0, {100, 106}, {150, 106});  // over the panel
  EXPECT_EQ(stage.camera().azimuth, still.azimuth);
  person.press(GLFW_KEY_ESCAPE);
  EXPECT_TRUE(stage.quits());
}

TEST_F(StageTest, EachPressCounts) {
  Stage stage(small_scenes());
  OverlayView view(nullptr, 1);
  const Person person(stage, view);
  ASSERT_TRUE(stage.scene().playing());
  take_keys(stage, std::array{GLFW_KEY_SPACE, GLFW_KEY_SPACE});
  EXPECT_TRUE(stage.scene().playing()) << "two of them within one picture";
  take_keys(stage, std::array{GLFW_KEY_SPACE});
  EXPECT_FALSE(stage.scene().playing());
  take_keys(stage, std::array{GLFW_KEY_2, GLFW_KEY_1});
  EXPECT_EQ(stage.choice().name, stage.choices().at(0).name);
}

TEST_F(StageTest, EscapeClosesAnOpenListInsteadOfTheStage) {
  Stage stage(scenes(), "figure-eight");
  OverlayView view(nullptr, 1);
  Person person(stage, view);
  const auto list_is_open = [] { return ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopup); };
  for (float y = 60; y < 700 && !list_is_open(); y += 8) person.drag(0, {150, y}, {150, y});
  ASSERT_TRUE(list_is_open()) << "of one of the panel's parameters";
  person.press(GLFW_KEY_ESCAPE);
  EXPECT_FALSE(list_is_open());
  EXPECT_FALSE(stage.quits());
}

TEST_F(StageTest, TheKeyZeroChoosesTheTenthScene) {
  Stage stage(scenes(), "figure-eight");
  OverlayView view(nullptr, 1);
  Person person(stage, view);
  person.press(GLFW_KEY_0);
  EXPECT_EQ(stage.choice().name, stage.choices().at(9).name);
}

TEST_F(StageTest, ASliderThatIsDraggedSetsItsParameter) {
  Stage stage(small_scenes(), "water");
  OverlayView view(nullptr, 1);
  Person person(stage, view);
  const double before = std::get<double>(stage.scene().parameters().get("isovalue"));
  // Over the sliders from top to bottom, as the places of rows are the style's: one of them is the isovalue's.
  for (float y = 60; y < 300; y += 6) person.drag(0, {200, y}, {330, y});
  EXPECT_GT(std::get<double>(stage.scene().parameters().get("isovalue")), 1.5 * before);
}

TEST_F(StageTest, ObeysAGamepad) {
  Stage stage(small_scenes());
  const Camera before = stage.camera();
  GLFWgamepadstate pad{};
  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_TRIGGER] = pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER] = -1;  // let go
  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_X] = 0.1F;                                                  // drifts
  take_gamepad(stage, pad, 0.1F);
  EXPECT_EQ(stage.camera(), before);

  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_X] = 0;
  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_Y] = -1;  // pushed away
  take_gamepad(stage, pad, 0.1F);
  const glm::vec3 forwards = glm::normalize(before.focus - before.position());
  const glm::vec3 flown = stage.camera().focus - before.focus;
  EXPECT_NEAR(glm::dot(glm::normalize(flown), forwards), 1, 1e-5);
  EXPECT_NEAR(glm::length(flown), 0.07F * before.distance, 1e-4F * before.distance)
      << "0.7 distances a second";
  EXPECT_EQ(stage.camera().azimuth, before.azimuth);

  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_Y] = 0;
  pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_X] = 1;
  pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_Y] = -1;
  take_gamepad(stage, pad, 0.1F);
  EXPECT_NEAR(stage.camera().azimuth, before.azimuth + 0.15F, 1e-5) << "1.5 radians a second";
  EXPECT_NEAR(stage.camera().elevation, before.elevation + 0.15F, 1e-5);

  pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_X] = pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_Y] = 0;
  pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER] = 1;
  take_gamepad(stage, pad, 0.5F);
  EXPECT_NEAR(stage.camera().distance, 0.5F * before.distance, 1e-4F * before.distance) << "2^(2 * 0.5 s)";
}

TEST_F(StageTest, TakesAGamepadsButtonOncePerPress) {
  Stage stage(small_scenes());
  GLFWgamepadstate pad{};
  pad.axes[GLFW_GAMEPAD_AXIS_LEFT_TRIGGER] = pad.axes[GLFW_GAMEPAD_AXIS_RIGHT_TRIGGER] = -1;
  const auto press = [&](int button) {
    pad.buttons[button] = GLFW_PRESS;
    for (int held = 0; held < 3; ++held) take_gamepad(stage, pad, 0.01F);
    pad.buttons[button] = GLFW_RELEASE;
    take_gamepad(stage, pad, 0.01F);
  };
  ASSERT_TRUE(stage.scene().playing());
  press(GLFW_GAMEPAD_BUTTON_A);
  EXPECT_FALSE(stage.scene().playing());
  press(GLFW_GAMEPAD_BUTTON_A);
  EXPECT_TRUE(stage.scene().playing());
  press(GLFW_GAMEPAD_BUTTON_B);
  EXPECT_TRUE(stage.scene().reversed());
  press(GLFW_GAMEPAD_BUTTON_RIGHT_BUMPER);
  EXPECT_EQ(stage.choice().name, "water");
  press(GLFW_GAMEPAD_BUTTON_LEFT_BUMPER);
  EXPECT_EQ(stage.choice().name, "collapse");
  press(GLFW_GAMEPAD_BUTTON_X);
  EXPECT_TRUE(stage.presenter().on());
  stage.advance(0.1);
  EXPECT_FALSE(stage.presenter().held()) << "to start presenting is not to hold the camera";
  press(GLFW_GAMEPAD_BUTTON_A);
  stage.advance(0.1);
  EXPECT_TRUE(stage.presenter().held());
}

TEST_F(StageTest, SaysWhatItsColoursMean) {
  Stage stage(small_scenes());
  stage.scene().go_to(0.1);
  picture(stage, 0);
  const auto legend = stage.scene().legend();
  ASSERT_TRUE(legend);
  EXPECT_EQ(legend->title, "Speed [G = 1]");
  EXPECT_LT(legend->low, legend->high);
  EXPECT_FALSE(legend->logarithmic);
  const auto title_of = [&](const char* colour_by) {
    stage.run(std::string("parameter.set colour-by ") + colour_by);
    picture(stage, 0);
    const auto found = stage.scene().legend();
    return found ? found->title : std::string();
  };
  EXPECT_EQ(title_of("potential"), "Potential [G = 1]");
  EXPECT_LT(stage.scene().legend()->high, 0) << "bound bodies";
  EXPECT_EQ(title_of("density"), "Density [G = 1]");
  EXPECT_TRUE(stage.scene().legend()->logarithmic);
  EXPECT_EQ(title_of("id"), "");
  stage.run("stage.scene water");
  ASSERT_TRUE(stage.scene().legend());
  EXPECT_EQ(stage.scene().legend()->names, (std::vector<std::string>{"+0.03", "−0.03"}));
}

/// What a movie's file holds, and how the command that made it ended.
struct Filmed {
  bool ended = false;
  jobs::Outcome outcome;
};
void start(Stage& stage, const std::string& line, Filmed& filmed) {
  stage.commands().start(line, [&filmed](const jobs::Outcome& outcome) { filmed = {true, outcome}; });
}

TEST_F(StageTest, FilmsEachStepHoweverLongItTakes) {
  const testing::TemporaryFolder folder;
  const std::string file = (folder / "collapse.webm").string();
  Stage stage(small_scenes());
  stage.scene().go_to(0);
  Filmed filmed;
  start(stage, fmt::format("stage.movie \"{}\" 1", file), filmed);
  ASSERT_TRUE(draw_until(stage, [&] { return filmed.ended; }));
  EXPECT_EQ(filmed.outcome.error, "");
  EXPECT_EQ(filmed.outcome.result["frames"], 30);
  EXPECT_NEAR(stage.scene().moment().now, 29 * 0.01, 1e-9) << "a step a frame";
  const test::DecodedMovie movie = test::decode_movie(file);
  EXPECT_EQ(movie.width, size.width);
  EXPECT_EQ(movie.height, size.height);
  ASSERT_EQ(movie.frames.size(), 30U);
  EXPECT_NEAR(movie.seconds, 1, 0.01);
  // Frames are the stage's pictures, the right way up.
  Stage again(small_scenes());
  again.run("stage.pause");
  again.scene().go_to(29 / 30.0);
  picture(again, 0);
  const auto bottom_first = screen.pixels();
  std::vector<std::uint8_t> last;
  for (int y = size.height; y-- > 0;)
    last.insert(last.end(), bottom_first.begin() + std::ptrdiff_t{3} * y * size.width,
                bottom_first.begin() + std::ptrdiff_t{3} * (y + 1) * size.width);
  const double distance = test::mean_difference(movie.frames.back(), last);
  EXPECT_LT(distance, 0.3 * test::mean_difference(movie.frames.front(), last));
  EXPECT_LT(distance, 3);
}

TEST_F(StageTest, LeavesNothingOfAMovieThatIsGivenUp) {
  const testing::TemporaryFolder folder;
  Stage stage(small_scenes());
  for (const char* name : {"a.mp4", "frames/%03d.png"}) {
    Filmed filmed;
    start(stage, fmt::format("stage.movie \"{}\" 100", (folder / name).string()), filmed);
    EXPECT_THROW(stage.commands().run("stage.movie " + (folder / "b.mp4").string()), Error)
        << "one at a time";
    ASSERT_TRUE(draw_until(stage, [&] { return stage.scene().moment().now > 0.05; }));
    EXPECT_FALSE(filmed.ended);
    stage.run("stage.leave");
    EXPECT_FALSE(stage.quits());
    EXPECT_TRUE(filmed.ended);
    EXPECT_NE(filmed.outcome.error.find("cancelled"), std::string::npos);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << name;
    stage.run("stage.restart");
  }
}

TEST_F(StageTest, SaysWhyThereIsNoMovie) {
  const testing::TemporaryFolder folder;
  Stage stage(small_scenes());
  const auto error_of = [&](const std::string& line) {
    Filmed filmed;
    start(stage, line, filmed);
    EXPECT_TRUE(draw_until(stage, [&] { return filmed.ended; })) << line;
    return filmed.outcome.error;
  };
  EXPECT_NE(error_of("stage.movie a.avi").find(".webm"), std::string::npos);
  EXPECT_NE(error_of("stage.movie /none-such/a.mp4").find("/none-such"), std::string::npos);
  EXPECT_NE(stage.notice().find("/none-such"), std::string::npos);
  EXPECT_NE(error_of("stage.movie a.mp4 -1"), "");
  {
    const testing::FileSizeLimit full(2000);
    EXPECT_NE(error_of(fmt::format("stage.movie \"{}\" 3", (folder / "frames/%d.png").string()))
                  .find("Free some space"),
              std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_FALSE(stage.films());
}

TEST_F(StageTest, HasScenesWithNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const SceneChoice& each : scenes()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_FALSE(each.title.empty());
    const auto scene = each.make();
    scene->go_to(0.1);
    EXPECT_FALSE(scene->caption(Camera()).empty());
    EXPECT_EQ(scene->trouble(), "") << each.name;
  }
}

/// The largest energy drift of the last steps.
float drift_of(Scene& scene) {
  float largest = 0;
  for (const Series* each : scene.graphs()) {
    if (each->label() != "Energy error") continue;
    for (std::size_t i = 0; i < each->size(); ++i) {
      const float drift = std::abs(each->at(i));
      largest = std::isfinite(drift) ? std::max(largest, drift) : drift;
    }
  }
  return largest;
}

/// Over what a visitor sees: two minutes of few bodies, and of many, of which there are fewer here, eight seconds.
TEST_F(StageTest, ScenesOfBodiesKeepTheirEnergy) {
  for (const SceneChoice& each : scenes()) {
    const bool planets = each.name == "solar-system";
    const bool few = each.name == "figure-eight" || each.name == "butterfly" || planets;
    const bool many = each.name == "two-galaxies" || each.name == "galaxy" || each.name == "collapse" ||
                      each.name == "cluster";
    if (!few && !many) continue;
    const auto scene = each.make();
    if (many) scene->parameters().set("bodies", parameters::Value{std::int64_t{3000}});
    scene->go_to(few ? 120 : 8);
    ASSERT_EQ(scene->trouble(), "") << each.name;
    const float drift = drift_of(*scene);
    // Where everything falls through the middle at once, steps of one length for all follow it least.
    EXPECT_LT(drift, planets ? 1e-5F : few ? 1e-6F : each.name == "collapse" ? 0.1F : 5e-3F) << each.name;
    EXPECT_GT(drift, 0) << each.name;
  }
}

/// Hermite's sums are those that others are compared with.
TEST_F(StageTest, ExactForcesHaveNoErrorToShow) {
  const auto labels = [](const Scene& scene) {
    std::vector<std::string> all;
    for (const Series* each : scene.graphs()) all.push_back(each->label());
    return all;
  };
  for (const SceneChoice& each : scenes()) {
    if (each.name != "figure-eight" && each.name != "cluster") continue;
    const auto scene = each.make();
    if (each.name == "cluster") scene->parameters().set("bodies", parameters::Value{std::int64_t{3000}});
    scene->go_to(1);
    EXPECT_EQ(labels(*scene), each.name == "cluster" ? (std::vector<std::string>{"Step", "Energy error",
                                                                                 "Force error, 99 % below"})
                                                     : (std::vector<std::string>{"Step", "Energy error"}));
  }
}

TEST_F(StageTest, TimeStepsAndLengthsHaveUnits) {
  const auto unit = [](Scene& scene, const char* key) { return scene.parameters().description(key).unit; };
  for (const SceneChoice& each : scenes()) {
    if (each.name == "solar-system") {
      const auto scene = each.make();
      EXPECT_EQ(unit(*scene, "dt"), "(0.00137 yr)") << "half a day";
      EXPECT_EQ(unit(*scene, "softening"), "au");
    } else if (each.name == "galaxy") {
      const auto scene = each.make();
      EXPECT_NE(unit(*scene, "dt").find(" Myr)"), std::string::npos) << unit(*scene, "dt");
      EXPECT_NE(unit(*scene, "softening").find(" kpc)"), std::string::npos);
    } else if (each.name == "figure-eight") {
      EXPECT_EQ(unit(*each.make(), "dt"), "(G = 1)");
    }
  }
}

/// The camera turns about the Sun, where the inner planets are.
TEST_F(StageTest, TheFirstCameraLooksAtTheSun) {
  Stage stage(scenes(), "solar-system");
  EXPECT_LT(glm::length(stage.camera().focus), 0.02F);
}

/// The drawn spheres of the planets keep apart, each has its name, and all but the Sun an orbit that it is on.
TEST_F(StageTest, PlanetsHaveNamesAndOrbits) {
  Stage stage(scenes(), "solar-system");
  stage.scene().go_to(2);
  stage.draw(size, screen.name());
  const Marks marks = stage.scene().marks();
  ASSERT_EQ(marks.names.size(), 10U);
  ASSERT_EQ(marks.lines.size(), 9U);
  EXPECT_EQ(marks.names[0].text, "Sun") << "the largest one";
  const auto place_of = [](const opengl::Vector3& each) {
    return Eigen::Vector3f(each[0], each[1], each[2]);
  };
  for (const Marks::Name& each : marks.names) {
    const Eigen::Vector3f place = place_of(each.place);
    for (const Marks::Name& other : marks.names) {
      EXPECT_TRUE(other.text == each.text ||
                  (place_of(other.place) - place).norm() > each.radius + other.radius)
          << each.text << " and " << other.text;
    }
    float nearest = std::numeric_limits<float>::infinity();
    for (const auto& line : marks.lines)
      for (const auto& on_line : line) nearest = std::min(nearest, (place_of(on_line) - place).norm());
    // Of 240 points on it; the Sun is on none.
    EXPECT_EQ(nearest < 0.015F * place.norm(), each.text != "Sun") << each.text;
    EXPECT_GT(each.radius, 0) << each.text;
  }
  stage.run("parameter.set names off");
  stage.run("parameter.set orbits off");
  stage.draw(size, screen.name());
  EXPECT_TRUE(stage.scene().marks().names.empty());
  EXPECT_TRUE(stage.scene().marks().lines.empty());
  stage.run("stage.scene galaxy");
  for (const auto& each : stage.scene().parameters().descriptions())
    EXPECT_NE(each.key, "names") << "bodies of a galaxy have none";
}

}  // namespace
}  // namespace isolume::stage
