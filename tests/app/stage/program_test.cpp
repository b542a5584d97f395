// The program itself: on a display (a virtual one will do), and without any.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "core/base/text_file.h"
#include "tests/app/pictures/likeness.h"
#include "tests/app/pictures/png_picture.h"
#include "tests/temporary_folder.h"

namespace isolume::stage {
namespace {

using test::Picture;
using test::read_png;

struct Result {
  int code = -1;
  std::string said;  ///< on both outputs
};

Result run_line(const std::string& line) {
  Result result;
  FILE* pipe = popen((line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  std::array<char, 4096> part{};
  while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe))
    result.said.append(part.data(), count);
  const int status = pclose(pipe);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// The folder that this was built in may have a space in its name.
const std::string stage = "'" ISOLUME_STAGE "'", with_display = "'" ISOLUME_WITH_DISPLAY "'";

Result without_display(const std::string& arguments) {
  return run_line("env -u DISPLAY -u WAYLAND_DISPLAY " + stage + " " + arguments);
}

Result on_display(const std::string& arguments, const std::string& environment = "") {
  return run_line(environment + " " + with_display + " " + stage + " --size 320x200 " + arguments);
}

int bright_pixels(const Picture& picture, int from_x, int to_x) {
  int count = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = from_x; x < to_x; ++x) {
      const unsigned char* pixel = &picture.rgb[static_cast<std::size_t>(3 * (y * picture.width + x))];
      if (pixel[0] + pixel[1] + pixel[2] > 150) ++count;
    }
  }
  return count;
}

TEST(StageProgram, ListsItsScenes) {
  const Result result = without_display("--list-scenes");
  EXPECT_EQ(result.code, 0);
  for (const char* name : {"two-galaxies", "benzene"}) EXPECT_NE(result.said.find(name), std::string::npos);
}

/// The words of a text that begin so.
std::vector<std::string> words_with(const std::string& start, const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = text.find(start, at)) != std::string::npos;) {
    const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-.", at);
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

TEST(StageProgram, TellsItsCommandsToTheManualAndItsOptionsToTheShell) {
  const std::string manual = read_text_file(ISOLUME_MANUAL), completion = read_text_file(ISOLUME_COMPLETION);
  const auto commands = words_with("stage.", without_display("--list-commands").said);
  EXPECT_GT(commands.size(), 15U);
  for (const std::string& each : commands) EXPECT_NE(manual.find(each), std::string::npos) << each;
  const auto options = words_with("--", without_display("--help").said);
  EXPECT_GT(options.size(), 10U);
  for (const std::string& each : options) EXPECT_NE(completion.find(each), std::string::npos) << each;
}

TEST(StageProgram, DrawsAPictureWithoutADisplay) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "cluster.png";
  const Result result =
      without_display("--scene cluster --size 400x240 --seconds 0.1 --screenshot " + path.string() +
                      " --command 'parameter.set bodies 2000' --command 'stage.panel off' --command "
                      "'stage.caption off'");
  EXPECT_EQ(result.code, 0) << result.said;
  const Picture picture = read_png(path);
  ASSERT_EQ(picture.width, 400);
  ASSERT_EQ(picture.height, 240);
  EXPECT_GT(bright_pixels(picture, 150, 250), 200) << "the cluster";
  EXPECT_LT(bright_pixels(picture, 0, 20), 20) << "the sky";
}

/// `arguments`: what is shown, without what the machine's speed changes.
Picture screenshot(const std::string& arguments) {
  const testing::TemporaryFolder folder;
  const auto path = folder / "picture.png";
  const Result result = without_display("--screenshot " + path.string() + " " + arguments);
  EXPECT_EQ(result.code, 0) << result.said;
  return read_png(path);
}

TEST(StageProgram, DrawsBodiesAsItsBaseline) {
  test::expect_like_baseline(
      screenshot("--scene two-galaxies --size 480x300 --seconds 4 --command 'parameter.set bodies 8000' "
                 "--command view.zoom-in --command view.zoom-in --command view.zoom-in "
                 "--command 'stage.panel off' --command 'stage.caption off'"),
      "stage-two-galaxies", likeness::small);
}

TEST(StageProgram, DrawsLobesAsItsBaseline) {
  test::expect_like_baseline(
      screenshot(
          "--scene benzene --size 480x300 --seconds 1 --command 'parameter.set "
          "spacing 0.2' --command view.zoom-in --command view.zoom-in --command view.zoom-in --command "
          "'stage.panel off' --command 'stage.caption off'"),
      "stage-lobes", likeness::small);
}

TEST(StageProgram, LaysOutHelpAndPanelAsTheirBaselines) {
  test::expect_like_baseline(
      screenshot("--scene water --size 900x620 --command stage.pause --command 'stage.panel off' --command "
                 "stage.help"),
      "stage-help", likeness::small);
  // The graphs on the right tell how long pictures took.
  constexpr int panel = 412;
  const Picture whole = screenshot(
      "--scene two-galaxies --seconds 1 --size 900x620 --command 'parameter.set bodies 2000' "
      "--command stage.pause --command 'stage.caption off'");
  ASSERT_EQ(whole.width, 900);
  test::expect_like_baseline(test::left_part(whole, panel), "stage-panel", likeness::small);
}

TEST(StageProgram, FilmsWithoutADisplay) {
  const testing::TemporaryFolder folder;
  const auto frames = folder / "frames";
  const Result result = without_display("--scene figure-eight --size 321x201 --seconds 0 --screenshot " +
                                        (folder / "last.png").string() + " --command 'stage.movie " +
                                        (frames / "%02d.png").string() + " 0.2'");
  EXPECT_EQ(result.code, 0) << result.said;
  const auto from = result.said.find('{');
  ASSERT_NE(from, std::string::npos) << result.said;
  const auto told = nlohmann::json::parse(result.said.substr(from, result.said.find('\n', from) - from));
  EXPECT_EQ(told["frames"], 6);
  EXPECT_EQ(told["width"], 320);
  EXPECT_EQ(told["height"], 200);
  EXPECT_EQ(told["codec"], "PNG");
  const Picture first = read_png(frames / "00.png"), last = read_png(frames / "05.png");
  ASSERT_EQ(first.width, 320);
  ASSERT_EQ(last.height, 200);
  EXPECT_GT(bright_pixels(first, 0, 320), 50);
  EXPECT_NE(first.rgb, last.rgb);
}

TEST(StageProgram, ShowsAWindowAndRunsAScript) {
  const testing::TemporaryFolder folder;
  const auto picture = folder / "window.png";
  const auto script =
      folder.write("show.txt",
                   "# two scenes\nstage.scene water\nstage.wait 0.3\nparameter.set isovalue 0.02\n"
                   "stage.scene figure-eight\nstage.wait 0.3\nstage.present on\nstage.wait 0.2\n"
                   "stage.screenshot " +
                       picture.string() + "\n");
  const Result result = on_display("--quit-after-commands --script " + script.string());
  EXPECT_EQ(result.code, 0) << result.said;
  const Picture shown = read_png(picture);
  ASSERT_EQ(shown.width, 320);
  EXPECT_GT(bright_pixels(shown, 0, 320), 50);
}

TEST(StageProgram, MeasuresStepsAndPictures) {
  const Result result = on_display(
      "--scene figure-eight --quit-after-commands --command 'stage.wait 0.2' --command 'stage.measure 1'");
  EXPECT_EQ(result.code, 0) << result.said;
  const auto from = result.said.find('{');
  ASSERT_NE(from, std::string::npos) << result.said;
  const auto found = nlohmann::json::parse(result.said.substr(from), nullptr, false);
  ASSERT_TRUE(found.is_object()) << result.said;
  EXPECT_GE(found["seconds"], 1.0);
  EXPECT_GT(found["steps_per_second"], 1.0);
  EXPECT_LE(found["steps_per_second"], 200.0) << "it asks for 120";
  EXPECT_GT(found["pictures_per_second"], 0.5);
  EXPECT_LE(found["picture_ms"]["median"], found["picture_ms"]["longest"]);
  EXPECT_TRUE(found["last"].contains("Step [ms]"));
  // It moved while it was measured, and not before the program had run.
  EXPECT_GT(found["first_moving_picture_seconds"], 0.0);
  EXPECT_LT(found["first_moving_picture_seconds"], 300.0) << "the test's limit";
  EXPECT_GT(found["first_moving_picture_processor_seconds"], 0.0);
}

TEST(StageProgram, EndsWithTheScriptsFirstError) {
  const testing::TemporaryFolder folder;
  const auto script = folder.write("bad.txt", "stage.pause\nstage.scene none-such\nstage.play\n");
  const Result result = on_display("--script " + script.string());
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.said.find("bad.txt:2"), std::string::npos) << result.said;
  EXPECT_NE(result.said.find("two-galaxies"), std::string::npos) << result.said;
}

TEST(StageProgram, SaysThatThereIsNoDisplay) {
  const Result result = without_display("");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.said.find("no display"), std::string::npos) << result.said;
  EXPECT_NE(result.said.find("--screenshot"), std::string::npos) << result.said;
}

TEST(StageProgram, SaysThatOpenGlIsTooOld) {
  const Result result = on_display("", "MESA_GL_VERSION_OVERRIDE=2.1 LIBGL_ALWAYS_SOFTWARE=1");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.said.find("no OpenGL 3.3"), std::string::npos) << result.said;
}

TEST(StageProgram, RefusesWhatItDoesNotUnderstand) {
  for (const char* arguments :
       {"--size huge", "--size 0x10", "--seconds -1", "--none-such", "--scene none-such --screenshot x.png"})
    EXPECT_NE(without_display(arguments).code, 0) << arguments;
  const Result result = without_display("--scene two-galaxies --seconds 0 --screenshot /none-such/x.png");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.said.find("/none-such"), std::string::npos) << result.said;
}

}  // namespace
}  // namespace isolume::stage
