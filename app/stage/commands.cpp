// The commands of the stage.
#include <algorithm>

#include "app/stage/stage.h"
#include "app/workbench/commands/declared_commands.h"
#include "core/base/error.h"

namespace isolume::stage {
namespace {

using commands::Arguments;
using commands::Declaration;

commands::Argument on_or_off() {
  return commands::choice("state", "on or off; toggles if omitted.", {"on", "off"}).optional();
}

/// The state that the argument names, or the opposite of the current one if it is omitted.
bool switched(const Arguments& arguments, bool now) {
  return arguments.has("state") ? arguments.text("state") == "on" : !now;
}

void bind_time(Stage& stage, commands::Registry& all) {
  all.bind("stage.play", [&stage](const Arguments&) { stage.scene().play(); });
  all.bind("stage.pause", [&stage](const Arguments&) { stage.scene().pause(); });
  all.bind("stage.toggle", [&stage](const Arguments&) {
    if (stage.scene().playing()) {
      stage.scene().pause();
    } else {
      stage.scene().play();
    }
  });
  all.bind("stage.step",
           [&stage](const Arguments& arguments) { stage.scene().step(arguments.integer("frames")); });
  all.bind("stage.reverse", [&stage](const Arguments& arguments) {
    stage.scene().set_reversed(switched(arguments, stage.scene().reversed()));
  });
  all.bind("stage.seek",
           [&stage](const Arguments& arguments) { stage.scene().seek(arguments.number("time")); });
  all.bind("stage.speed",
           [&stage](const Arguments& arguments) { stage.scene().set_speed(arguments.number("factor")); });
  all.bind("stage.faster",
           [&stage](const Arguments&) { stage.scene().set_speed(2 * stage.scene().speed()); });
  all.bind("stage.slower",
           [&stage](const Arguments&) { stage.scene().set_speed(stage.scene().speed() / 2); });
  all.bind("stage.restart", [&stage](const Arguments&) {
    stage.scene().restart();
    stage.scene().play();
  });
}

void bind_overlays(Stage& stage, commands::Registry& all) {
  const auto overlay = [&](const char* name, bool Overlays::*which) {
    all.bind(name, [&stage, which](const Arguments& arguments) {
      stage.overlays().*which = switched(arguments, stage.overlays().*which);
    });
  };
  overlay("stage.panel", &Overlays::panel);
  overlay("stage.caption", &Overlays::caption);
  overlay("stage.help", &Overlays::help);
  all.bind("stage.present", [&stage](const Arguments& arguments) {
    stage.presenter().set_on(switched(arguments, stage.presenter().on()));
  });
  all.bind("stage.leave", [&stage](const Arguments&) {
    if (stage.films()) {
      stage.stop_filming();
    } else if (stage.overlays().movie) {
      stage.overlays().movie = false;
    } else if (stage.overlays().help) {
      stage.overlays().help = false;
    } else if (stage.presenter().on()) {
      stage.presenter().set_on(false);
    } else {
      stage.quit();
    }
  });
}

void bind_scenes(Stage& stage, commands::Registry& all) {
  all.bind("stage.scene", [&stage](const Arguments& arguments) { stage.show(arguments.text("name")); });
  all.bind("stage.next",
           [&stage](const Arguments& arguments) { stage.show_next(arguments.integer("scenes")); });
  all.bind("stage.wait", [&stage](const Arguments& arguments) {
    stage.after(arguments.number("seconds"), jobs::on_behalf([] {}));
  });
  all.bind("stage.measure", [&stage](const Arguments& arguments) {
    stage.measure(arguments.number("seconds"), [activity = jobs::Activity::current()](nlohmann::json found) {
      const jobs::Activity::Scope scope(activity);
      commands::report(std::move(found));
    });
  });
  all.bind("stage.screenshot", [&stage](const Arguments& arguments) {
    stage.take_picture(arguments.text("path"), jobs::on_behalf([] {}));
  });
}

void bind_movie(Stage& stage, commands::Registry& all) {
  all.bind("stage.movie", [&stage](const Arguments& arguments) {
    if (!arguments.has("path")) {
      stage.overlays().movie = true;
      return;
    }
    stage.film(arguments.text("path"), arguments.number("seconds"),
               [activity = jobs::Activity::current()](nlohmann::json result, const std::string& error) {
                 const jobs::Activity::Scope scope(activity);
                 if (error.empty()) {
                   commands::report(std::move(result));
                 } else {
                   activity->fail(error);
                 }
               });
  });
  all.bind("stage.stop-movie", [&stage](const Arguments&) { stage.stop_filming(); });
}

void bind_parameters(Stage& stage, commands::Registry& all) {
  all.bind("parameter.set", [&stage](const Arguments& arguments) {
    stage.scene().parameters().set_text(arguments.text("key"), arguments.text("value"));
  });
  all.bind("parameter.reset", [&stage](const Arguments& arguments) {
    parameters::ParameterSet& set = stage.scene().parameters();
    std::vector<std::string> keys;
    if (arguments.has("key")) keys = arguments.texts("key");
    for (const std::string& key : keys)
      set.description(key);  // throws for unknown keys before anything is changed
    for (const auto& each : set.descriptions()) {
      if (keys.empty() || std::ranges::find(keys, each.key) != keys.end())
        set.set(each.key, each.default_value);
    }
  });
}

void bind_camera(Stage& stage, commands::Registry& all) {
  constexpr float ten_degrees = 0.174533F, nearer = 1.25F;
  const auto moves = [&](const char* name, float azimuth, float elevation, float zoom) {
    all.bind(name, [&stage, azimuth, elevation, zoom](const Arguments&) {
      stage.camera().turn(azimuth, elevation);
      stage.camera().zoom(zoom);
    });
  };
  moves("view.turn-left", -ten_degrees, 0, 1);
  moves("view.turn-right", ten_degrees, 0, 1);
  moves("view.turn-up", 0, ten_degrees, 1);
  moves("view.turn-down", 0, -ten_degrees, 1);
  moves("view.zoom-in", 0, 0, nearer);
  moves("view.zoom-out", 0, 0, 1 / nearer);
  all.bind("view.reset", [&stage](const Arguments&) { stage.reset_camera(); });
  all.bind("view.full-screen", [&stage](const Arguments&) {
    if (!stage.toggle_full_screen)
      throw Error("There is no window, as with --screenshot. Full screen needs one.");
    stage.toggle_full_screen();
  });
  all.bind("app.quit", [&stage](const Arguments&) { stage.quit(); });
}

}  // namespace

std::vector<Declaration> declared_commands() {
  std::vector<Declaration> all{
      {.name = "stage.scene",
       .title = "Show scene",
       .help = "Shows a scene from its start; isolume-stage --list-scenes lists the names.",
       .arguments = {commands::text("name", "Name of the scene.")}},
      {.name = "stage.next",
       .title = "Next scene",
       .help = "Shows the next scene in the list.",
       .arguments = {commands::integer("scenes",
                                       "How many scenes to go forward; a negative number goes back.")
                         .optional(std::int64_t{1})}},
      {.name = "stage.play", .title = "Play", .help = "Starts the simulation."},
      {.name = "stage.pause", .title = "Pause", .help = "Pauses the simulation."},
      {.name = "stage.toggle", .title = "Play or pause", .help = "Pauses or resumes the simulation."},
      {.name = "stage.faster", .title = "Faster", .help = "Doubles the playback speed."},
      {.name = "stage.slower", .title = "Slower", .help = "Halves the playback speed."},
      {.name = "stage.step",
       .title = "Step",
       .help = "Pauses and steps by this many frames; a negative number steps back.",
       .arguments = {commands::integer("frames", "Number of frames.").optional(std::int64_t{1})}},
      {.name = "stage.seek",
       .title = "Go to time",
       .help = "Pauses at a time, in the unit shown in the panel.",
       .arguments = {commands::number("time", "The time, in that unit.")}},
      {.name = "stage.speed",
       .title = "Playback speed",
       .help = "Speed relative to normal: 2 is twice as fast, 0.5 half as fast.",
       .arguments = {commands::number("factor", "Above 0.")}},
      {.name = "stage.reverse",
       .title = "Play backwards",
       .help = "Reverses the direction of time.",
       .arguments = {on_or_off()}},
      {.name = "stage.restart",
       .title = "Restart",
       .help = "Starts the scene again with the current parameters."},
      {.name = "stage.present",
       .title = "Presenter mode",
       .help = "Shows all scenes in turn with a moving camera and without panels.",
       .arguments = {on_or_off()}},
      {.name = "stage.panel",
       .title = "Panel",
       .help = "Shows or hides the sliders and graphs.",
       .arguments = {on_or_off()}},
      {.name = "stage.caption",
       .title = "Captions",
       .help = "Shows or hides the caption.",
       .arguments = {on_or_off()}},
      {.name = "stage.help",
       .title = "Keys",
       .help = "Shows or hides the list of keys.",
       .arguments = {on_or_off()}},
      {.name = "stage.leave",
       .title = "Leave",
       .help = "Cancels a movie that is being recorded, or leaves the list of keys, presenter mode or the "
               "program."},
      {.name = "stage.wait",
       .title = "Wait",
       .help = "In a script: waits until the scene has been shown for this long.",
       .arguments = {commands::number("seconds", "Duration in seconds.").range(0, 86400)}},
      {.name = "stage.measure",
       .title = "Measure speed",
       .help = "In a script: shows the scene for this long and prints steps and frames per second as JSON.",
       .arguments = {commands::number("seconds", "Duration in seconds.").range(0.1, 86400)}},
      {.name = "stage.screenshot",
       .title = "Save picture",
       .help = "Saves the picture as a PNG image.",
       .arguments = {commands::path("path", "The file.")}},
      {.name = "stage.movie",
       .title = "Record movie",
       .help = "Records a movie at 30 frames per second of the scene's time, however long each frame takes "
               "to compute.",
       .arguments =
           {commands::path("path",
                           "The file: .mp4, .webm, or %04d.png for one picture per frame; if omitted, a "
                           "dialog asks for it.")
                .asked_for(),
            commands::number("seconds", "Length of the movie, in seconds.").range(0.1, 3600).optional(10.0)}},
      {.name = "stage.stop-movie",
       .title = "Cancel movie",
       .help = "Cancels the movie that is being recorded; nothing is written."},
  };
  return all;
}

void bind_commands(Stage& stage) {
  commands::Registry& all = stage.commands();
  all.declare(workbench::declared_commands());
  all.declare(declared_commands());
  all.explain_unbound("This command needs the workbench. Start isolume.");
  bind_time(stage, all);
  bind_overlays(stage, all);
  bind_scenes(stage, all);
  bind_movie(stage, all);
  bind_parameters(stage, all);
  bind_camera(stage, all);
}

}  // namespace isolume::stage
