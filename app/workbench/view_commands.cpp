#include <QDockWidget>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scene/camera.h"
#include "app/scene/view_widget.h"
#include "app/workbench/main_window.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

/// True for the first word, false for the second; throws Error that names both.
bool is_first(const char* command, const std::string& given, const char* first, const char* second) {
  if (given == first) return true;
  if (given == second) return false;
  throw Error(fmt::format("{} takes {} or {}, not {}.", command, first, second, isolume::quoted(given)));
}

std::string alternatives(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " | "));
}

std::vector<Offer> panel_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const QDockWidget* dock : window.docks()) {
    const std::string title = dock->windowTitle().toStdString();
    offers.push_back({CommandRegistry::quote(title), "Panel: " + title, dock->isHidden() ? "hidden" : "shown",
                      dock->isHidden() ? "Shows the panel." : "Hides the panel."});
  }
  return offers;
}

void toggle_panel(MainWindow& window, const std::string& name) {
  std::vector<std::string> names;
  for (QDockWidget* dock : window.docks()) {
    names.push_back(dock->windowTitle().toStdString());
    if (dock->windowTitle().compare(QString::fromStdString(name), Qt::CaseInsensitive) != 0) continue;
    // Behind another tab it is not what a person calls shown: it comes to the front.
    const bool seen = dock->isVisible() && !dock->visibleRegion().isEmpty();
    dock->setVisible(!seen);
    if (!seen) dock->raise();
    return;
  }
  throw Error(
      fmt::format("There is no panel {}; the panels are {}.", isolume::quoted(name), fmt::join(names, ", ")));
}

/// With the keys that stand for the mouse.
void add_turning_commands(MainWindow& window) {
  constexpr double step_degrees = 10;
  constexpr double zoom_step = 1.15;  // as a notch of the wheel
  const auto add = [&](const char* name, const char* title, const char* help, const char* shortcut,
                       std::function<void(scene::ViewWidget&)> act) {
    window.commands().add({.name = name,
                           .title = title,
                           .help = help,
                           .arguments = "",
                           .shortcut = shortcut,
                           .run = [&window, act = std::move(act)](Arguments) { act(window.view()); }});
  };
  const auto turn = [](double right, double up) {
    return [=](scene::ViewWidget& view) { view.turn(right * step_degrees, up * step_degrees); };
  };
  const auto zoom = [](double factor) {
    return [=](scene::ViewWidget& view) {
      scene::zoom(*view.renderer(), factor);
      view.request_render();
    };
  };
  add("view.turn-left", "Turn left", "Turns the scene by 10 degrees.", "Alt+Left", turn(-1, 0));
  add("view.turn-right", "Turn right", "Turns the scene by 10 degrees.", "Alt+Right", turn(1, 0));
  add("view.turn-up", "Turn up", "Turns the scene by 10 degrees.", "Alt+Up", turn(0, 1));
  add("view.turn-down", "Turn down", "Turns the scene by 10 degrees.", "Alt+Down", turn(0, -1));
  add("view.zoom-in", "Zoom in", "Enlarges the scene.", "Ctrl+=", zoom(zoom_step));
  add("view.zoom-out", "Zoom out", "Makes the scene smaller.", "Ctrl+-", zoom(1 / zoom_step));
}

void add_camera_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  commands.add({.name = "view.reset",
                .title = "Reset view",
                .help = "Fits everything into the view.",
                .arguments = "",
                .shortcut = "Ctrl+0",
                .run =
                    [&window](Arguments) {
                      scene::reset_camera(*window.view().renderer());
                      window.view().request_render();
                    },
                .keywords = "fit home centre zoom camera"});
  commands.add({.name = "view.preset",
                .title = "View from",
                .help = "Looks at the scene from a side.",
                .arguments = alternatives(scene::view_presets()),
                .shortcut = "",
                .run =
                    [&window](Arguments arguments) {
                      scene::view_from(*window.view().renderer(), arguments[0]);
                      window.view().request_render();
                    },
                .keywords = "camera side look"});
  commands.add({.name = "view.projection",
                .title = "Projection",
                .help = "Orthographic keeps sizes, perspective shows depth.",
                .arguments = "orthographic | perspective",
                .shortcut = "",
                .run =
                    [&window](Arguments arguments) {
                      const bool orthographic =
                          is_first("view.projection", arguments[0], "orthographic", "perspective");
                      scene::set_orthographic(*window.view().renderer(), orthographic);
                      window.view().request_render();
                    },
                .keywords = "camera parallel"});
  commands.add({.name = "view.interaction",
                .title = "Mouse turns",
                .help = "Trackball turns freely; turntable keeps the upright direction.",
                .arguments = "trackball | turntable",
                .shortcut = "",
                .run =
                    [&window](Arguments arguments) {
                      const bool trackball =
                          is_first("view.interaction", arguments[0], "trackball", "turntable");
                      window.view().set_interaction(trackball ? scene::Interaction::trackball
                                                              : scene::Interaction::turntable);
                    },
                .keywords = "rotate drag orbit"});
}

}  // namespace

void add_view_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  add_camera_commands(window);
  add_turning_commands(window);
  commands.add({.name = "view.theme",
                .title = "Theme",
                .help = "Dark or light colours, or as the desktop has them.",
                .arguments = alternatives(theme_names()),
                .shortcut = "",
                .run = [&window](Arguments arguments) { window.set_theme(theme_named(arguments[0])); },
                .keywords = "colours appearance night mode settings"});
  commands.add(
      {.name = "view.full-screen",
       .title = "Full screen",
       .help = "Fills the screen with the window, or ends that.",
       .arguments = "",
       .shortcut = "F11",
       .run = [&window](Arguments) { window.setWindowState(window.windowState() ^ Qt::WindowFullScreen); },
       .checked = [&window] { return window.isFullScreen(); }});
  commands.add({.name = "view.panel",
                .title = "Show or hide panel",
                .help = "Shows a panel, or hides it, e.g. view.panel log.",
                .arguments = "NAME",
                .shortcut = "",
                .run = [&window](Arguments arguments) { toggle_panel(window, arguments[0]); },
                .unavailable = [&window] { return window.has_document() ? "" : "Open a file first."; },
                .keywords = "dock",
                .offers = [&window] { return panel_offers(window); }});
  commands.add({.name = "command.palette",
                .title = "Command palette...",
                .help = "Finds commands, parameters, samples, files and settings by typing.",
                .arguments = "[TEXT]",
                .shortcut = "Ctrl+Shift+P",
                .run = [&window](Arguments arguments) {
                  window.open_palette(arguments.empty() ? QString() : QString::fromStdString(arguments[0]));
                }});
}

}  // namespace isolume::workbench
