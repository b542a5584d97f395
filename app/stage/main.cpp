// isolume-stage: moving scenes that fill the screen.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <malloc.h>

#include "app/opengl/egl_context.h"
#include "app/opengl/objects.h"
#include "app/stage/overlay_view.h"
#include "app/stage/scenes.h"
#include "app/stage/stage.h"
#include "app/stage/turn.h"
#include "app/stage/window.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/base/number.h"
#include "core/base/stop_signals.h"
#include "core/base/version.h"
#include "core/commands/script.h"

namespace {

using namespace isolume::stage;
namespace commands = isolume::commands;

std::atomic<bool> stopped = false;  ///< by a signal

struct Options {
  std::string scene;
  std::optional<PixelSize> size;
  std::string screenshot;
  double seconds = 2;
  std::vector<std::string> commands;
  std::string script;
  bool present = false, list = false, list_commands = false, quit = false;
  double scale = 0;
};

/// "1280x720". Throws CLI::ValidationError.
PixelSize size_of(const std::string& text) {
  constexpr int smallest = 16, largest = 16384;
  const auto size = isolume::parse_pixel_size(text, smallest, largest);
  if (!size) {
    throw CLI::ValidationError(
        "--size",
        fmt::format("expected WIDTHxHEIGHT in pixels, 16 to {}, e.g. 1280x720; found \"{}\"", largest, text));
  }
  return {size->first, size->second};
}

/// Empty if the program must end at once with `exit_code`.
std::optional<Options> parse(int argc, char** argv, int& exit_code) {
  Options options;
  CLI::App app("Isolume's stage: full-screen simulations and moving orbitals with live sliders.",
               "isolume-stage");
  app.set_version_flag("--version", std::string("isolume-stage ") + isolume::version);
  app.add_option("--scene", options.scene, "Scene to show first; see --list-scenes")->type_name("NAME");
  app.add_flag("--list-scenes", options.list, "Print the list of scenes and exit");
  app.add_flag("--list-commands", options.list_commands, "Print the commands of the stage and exit");
  app.add_option_function<std::string>(
         "--size", [&](const std::string& text) { options.size = size_of(text); },
         "Open a window of this size in pixels instead of full screen")
      ->type_name("WIDTHxHEIGHT");
  app.add_flag("--present", options.present, "Start in presenter mode");
  app.add_option("--screenshot", options.screenshot,
                 "Save a PNG image after the commands and exit; needs no display")
      ->type_name("FILE.png");
  app.add_option("--seconds", options.seconds,
                 "Time that the scene has run in the screenshot, in seconds at full speed")
      ->check(CLI::Range(0.0, 86400.0))
      ->capture_default_str();
  app.add_option("--command", options.commands,
                 "Command to run, e.g. \"stage.panel off\"; each waits for the previous one")
      ->type_name("LINE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option(
         "--script", options.script,
         "File of commands to run after those of --command, one per line; the first error ends the program")
      ->type_name("FILE");
  app.add_flag("--quit-after-commands", options.quit, "Exit after the commands");
  app.add_option(
         "--scale", options.scale,
         "Scale of texts and sliders, 1 is normal; by default chosen from the size of screen and window")
      ->check(CLI::Range(0.5, 8.0));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  }
  return options;
}

std::vector<commands::ScriptLine> lines_of(const Options& options) {
  std::vector<commands::ScriptLine> lines;
  if (options.present) lines.push_back({"", "stage.present on"});
  for (const std::string& command : options.commands) lines.push_back({"", command});
  if (options.script.empty()) return lines;
  for (auto& line : commands::read_script(options.script)) lines.push_back(std::move(line));
  return lines;
}

/// Runs the lines while pictures are drawn.
class Script {
 public:
  Script(Stage& stage, std::vector<commands::ScriptLine> lines) {
    commands::run_script(
        std::move(lines),
        [&stage](const std::string& line, auto then) {
          stage.commands().start(line, [then = std::move(then)](const isolume::jobs::Outcome& outcome) {
            if (!outcome.result.is_null())
              std::printf(
                  "%s\n",
                  outcome.result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
            then(outcome);
          });
        },
        [this](const std::string& failure) {
          ended_ = true;
          error_ = failure;
        });
  }
  bool ended() const { return ended_; }
  /// Throws Error if a line has failed.
  void check() const {
    if (!error_.empty()) throw isolume::Error(error_);
  }
  const std::string& error() const { return error_; }

 private:
  bool ended_ = false;
  std::string error_;
};

/// Draws a picture without a window.
void draw_picture(const Options& options) {
  const PixelSize size = options.size.value_or(PixelSize{1280, 720});
  const isolume::opengl::EglContext context;
  const isolume::opengl::Framebuffer framebuffer;
  const isolume::opengl::Renderbuffer colours;
  glBindRenderbuffer(GL_RENDERBUFFER, colours.name());
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size.width, size.height);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.name());
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colours.name());
  Stage stage(scenes(), options.scene);
  OverlayView overlays(nullptr, static_cast<float>(options.scale));
  const auto picture = [&](double seconds) {
    stage.advance(seconds);
    const auto begun = std::chrono::steady_clock::now();
    stage.draw(size, framebuffer.name());
    overlays.lay_out(stage, size, static_cast<float>(seconds));
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer.name());
    overlays.draw();
    stage.picture_done(size, framebuffer.name());
    stage.picture_took(isolume::seconds_since(begun));
  };
  const Script script(stage, lines_of(options));
  constexpr double frame_seconds = 1.0 / 30;
  while (!script.ended() && !stopped) picture(frame_seconds);
  script.check();
  // ImGui lays windows out twice before it shows them in their final size.
  for (int i = 0; i < 3; ++i) picture(0);
  stage.clear_trails();  // and draw the pictures whose light they are
  for (int before = static_cast<int>(2 * stage.scene().trails()); before > 0; --before) {
    stage.scene().go_to(std::max(0.0, options.seconds - before * frame_seconds));
    picture(0);
  }
  stage.scene().go_to(options.seconds);
  bool taken = false;
  stage.take_picture(options.screenshot, [&] { taken = true; });
  while (!taken && !stopped) picture(0);
}

void open_window(const Options& options) {
  Window window("Isolume stage", options.size);
  Stage stage(scenes(), options.scene);
  stage.processor_draws = window.processor_draws();
  stage.toggle_full_screen = [&window] { window.set_full_screen(!window.full_screen()); };
  OverlayView overlays(&window, static_cast<float>(options.scale));
  const Script script(stage, lines_of(options));
  bool told = false;  // the end of the script has been reported
  auto last = std::chrono::steady_clock::now();
  while (!window.closed() && !stage.quits() && !stopped) {
    const double seconds = isolume::seconds_since(last);
    last = std::chrono::steady_clock::now();
    take_turn(window, stage, overlays, seconds);
    if (script.ended() && !told) {
      told = true;
      if (!options.script.empty() || options.quit) script.check();
      if (options.quit) break;
      stage.complain(script.error());
    }
  }
}

/// Steps and frames repeatedly allocate arrays of some hundred kilobytes. By default glibc returns each to
/// the system, which must then clear the pages of the next one; that costs some percent of a step.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int megabyte = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, 32 * megabyte);  // the largest threshold that glibc accepts
  mallopt(M_TRIM_THRESHOLD, 256 * megabyte);
#endif
}

void list_scenes() {
  for (const SceneChoice& each : scenes()) std::printf("%-16s %s\n", each.name.c_str(), each.title.c_str());
}

void list_commands() {
  for (const auto& each : declared_commands()) {
    const std::string usage = each.usage();
    std::printf("%s%s%s\n    %s\n", each.name.c_str(), usage.empty() ? "" : " ", usage.c_str(),
                each.help.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const isolume::StopSignals signals([] { stopped = true; });
  keep_freed_memory();
  int exit_code = EXIT_SUCCESS;
  const auto options = parse(argc, argv, exit_code);
  if (!options) return exit_code;
  try {
    if (options->list) {
      list_scenes();
    } else if (options->list_commands) {
      list_commands();
    } else if (!options->screenshot.empty()) {
      draw_picture(*options);
    } else {
      open_window(*options);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "isolume-stage: %s\n", isolume::error_text(error).c_str());
    return EXIT_FAILURE;
  }
  constexpr int interrupted = 130;  // exit code of shells for SIGINT
  return stopped ? interrupted : EXIT_SUCCESS;
}
