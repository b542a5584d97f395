#include <fmt/format.h>

#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"

namespace isolume::workbench {
namespace {

QString session_filter() {
  return QObject::tr("Isolume sessions (*.isolume)");
}

void save_as(MainWindow& window, const Arguments& arguments) {
  if (arguments.has("path")) return window.sessions().save(arguments.text("path"));
  const std::filesystem::path& file = window.sessions().file();
  ask_for_file(
      window, QObject::tr("Save session"), session_filter(), session_folder_key, Wanted::new_file,
      [&window](const std::string& path) { window.run("session.save", {path}); },
      file.empty() ? name_for_export(window) : QString::fromStdString(file.stem().string()));
}

void save(MainWindow& window, const Arguments& arguments) {
  const std::filesystem::path& file = window.sessions().file();
  if (arguments.has("path") || file.empty()) return save_as(window, arguments);
  window.sessions().save(file);
}

void open_session(MainWindow& window, const Arguments& arguments) {
  SessionKeeper::Places places;
  if (arguments.has("place")) {
    for (const std::string& place : arguments.texts("place")) {
      const auto equals = place.find('=');
      if (equals == std::string::npos) {
        throw Error(said(QObject::tr("Expected LAB=PATH, such as orbitals=/data/benzene.fchk, found %1."),
                         isolume::quoted(place)));
      }
      places[place.substr(0, equals)] = place.substr(equals + 1);
    }
  }
  window.sessions().open(arguments.text("path"), places);
}

}  // namespace

void add_session_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto nothing_to_save = [&window] { return window.sessions().nothing_to_save(); };
  commands.bind("session.save", [&window](const Arguments& arguments) { save(window, arguments); },
                nothing_to_save, {.shortcut = "Ctrl+S"});
  commands.bind("session.save-as", [&window](const Arguments& arguments) { save_as(window, arguments); },
                nothing_to_save, {.shortcut = "Ctrl+Shift+S"});
  commands.bind("session.open", [&window](const Arguments& arguments) { open_session(window, arguments); });
  commands.bind(
      "session.restore", [&window](const Arguments&) { window.sessions().restore_left(); },
      [&window] {
        return window.sessions().has_left() ? std::string()
                                            : said(QObject::tr("There is no session to restore."));
      });
}

}  // namespace isolume::workbench
