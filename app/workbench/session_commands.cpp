#include <fmt/format.h>

#include "app/workbench/main_window.h"
#include "app/workbench/session_keeper.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

constexpr const char* folder_key = "files/session-folder";

QString filter() {
  return QObject::tr("Isolume sessions (*.isolume)");
}

void save(MainWindow& window, Arguments arguments) {
  if (!arguments.empty()) return window.sessions().save(arguments[0]);
  ask_for_file(window, QObject::tr("Save session"), filter(), folder_key, Wanted::new_file,
               [&window](const std::string& path) { window.run("session.save", {path}); });
}

void open(MainWindow& window, Arguments arguments) {
  SessionKeeper::Places places;
  for (const std::string& place : arguments.subspan(1)) {
    const auto equals = place.find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("Expected LAB=PATH, such as orbitals=/data/benzene.fchk, found {}.",
                              isolume::quoted(place)));
    }
    places[place.substr(0, equals)] = place.substr(equals + 1);
  }
  window.sessions().open(arguments[0], places);
}

}  // namespace

void add_session_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  commands.add(
      {.name = "session.save",
       .title = "Save session...",
       .help = "Saves what all labs show, with their parameters, views and contours, to go on with later.",
       .arguments = "[PATH]",
       .shortcut = "Ctrl+S",
       .run = [&window](Arguments arguments) { save(window, arguments); },
       .unavailable = [&window] { return window.sessions().nothing_to_save(); },
       .keywords = "save project workspace"});
  commands.add({.name = "session.open",
                .title = "Open session",
                .help = "Opens a saved session; LAB=PATH says where its data are now.",
                .arguments = "PATH [LAB=PATH...]",
                .shortcut = "",
                .run = [&window](Arguments arguments) { open(window, arguments); },
                .keywords = "load project workspace"});
  commands.add({.name = "session.restore",
                .title = "Restore last session",
                .help = "Opens what was open when the program ended unexpectedly.",
                .arguments = "",
                .shortcut = "",
                .run = [&window](Arguments) { window.sessions().restore_left(); },
                .unavailable =
                    [&window] {
                      return window.sessions().has_left() ? "" : "No session was left by an unexpected end.";
                    },
                .keywords = "crash recover autosave"});
}

}  // namespace isolume::workbench
