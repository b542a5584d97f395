#include <QDockWidget>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/in_sight.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

std::vector<Offer> panel_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const QDockWidget* dock : window.docks()) {
    const std::string title = dock->windowTitle().toStdString();
    offers.push_back(
        {commands::quote(panel_name(*dock)), said(QObject::tr("Panel: %1"), title),
         said(dock->isHidden() ? QObject::tr("hidden") : QObject::tr("shown")),
         said(dock->isHidden() ? QObject::tr("Shows the panel.") : QObject::tr("Hides the panel."))});
  }
  return offers;
}

void toggle_panel(MainWindow& window, const std::string& name) {
  std::vector<std::string> names;
  for (QDockWidget* dock : window.docks()) {
    names.push_back(panel_name(*dock));
    const QString wanted = QString::fromStdString(name);
    if (wanted.compare(QString::fromStdString(names.back()), Qt::CaseInsensitive) != 0) continue;
    // A panel behind another tab is not visible to the user: it is raised.
    const bool seen = in_sight(dock);
    dock->setVisible(!seen);
    if (!seen) dock->raise();
    return;
  }
  throw Error(said(QObject::tr("There is no panel %1; the panels are %2."), isolume::quoted(name),
                   fmt::format("{}", fmt::join(names, ", "))));
}

/// Adds the commands of the keys that replace the mouse.
void add_turning_commands(MainWindow& window) {
  constexpr double step_degrees = 10;
  constexpr double zoom_step = 1.15;  // a notch of the wheel
  const auto add = [&](const char* name, const char* shortcut, std::function<void(scene::ViewWidget&)> act) {
    window.commands().bind(name, [&window, act = std::move(act)](const Arguments&) { act(window.view()); },
                           nullptr, {.shortcut = shortcut});
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
  add("view.turn-left", "Alt+Left", turn(-1, 0));
  add("view.turn-right", "Alt+Right", turn(1, 0));
  add("view.turn-up", "Alt+Up", turn(0, 1));
  add("view.turn-down", "Alt+Down", turn(0, -1));
  add("view.zoom-in", "Ctrl+=", zoom(zoom_step));
  add("view.zoom-out", "Ctrl+-", zoom(1 / zoom_step));
}

void add_camera_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto fitted = [&window] {
    if (window.has_document()) window.lab().camera_fitted();
    window.view().request_render();
  };
  commands.bind("view.reset",
                [&window, fitted](const Arguments&) {
                  scene::reset_camera(*window.view().renderer());
                  fitted();
                },
                nullptr, {.shortcut = "Ctrl+0"});
  commands.bind("view.preset", [&window, fitted](const Arguments& arguments) {
    scene::view_from(*window.view().renderer(), arguments.text("side"));
    fitted();
  });
  commands.bind("view.camera", [&window](const Arguments& arguments) {
    scene::set_camera(*window.view().renderer(), arguments.text("camera"));
    window.view().request_render();
  });
  commands.bind("view.projection", [&window](const Arguments& arguments) {
    scene::set_orthographic(*window.view().renderer(), arguments.text("projection") == "orthographic");
    window.view().request_render();
  });
  commands.bind("view.interaction", [&window](const Arguments& arguments) {
    window.view().set_interaction(arguments.text("mode") == "trackball" ? scene::Interaction::trackball
                                                                        : scene::Interaction::turntable);
  });
}

}  // namespace

void add_view_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  add_camera_commands(window);
  add_turning_commands(window);
  commands.bind("view.theme", [&window](const Arguments& arguments) {
    window.set_theme(theme_named(arguments.text("theme")));
  });
  commands.bind(
      "view.full-screen",
      [&window](const Arguments&) { window.setWindowState(window.windowState() ^ Qt::WindowFullScreen); },
      nullptr, {.shortcut = "F11", .checked = [&window] { return window.isFullScreen(); }});
  commands.bind(
      "view.panel", [&window](const Arguments& arguments) { toggle_panel(window, arguments.text("name")); },
      [&window] { return window.has_document() ? std::string() : said(QObject::tr("Open a file first.")); },
      {.offers = [&window] { return panel_offers(window); }});
  commands.bind("command.palette",
                [&window](const Arguments& arguments) {
                  window.open_palette(arguments.has("text") ? QString::fromStdString(arguments.text("text"))
                                                            : QString());
                },
                nullptr, {.shortcut = "Ctrl+Shift+P"});
}

}  // namespace isolume::workbench
