#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

constexpr const char* script_folder_key = "files/script-folder";

/// "Isolume scripts (*.isoscript)"
QString filter() {
  return QObject::tr("Isolume scripts (*.isoscript);;All files (*)");
}

/// The lines are part of the command: it ends with the last of them, and fails with the one that fails.
void run(MainWindow& window, const commands::RunningScripts& scripts, const std::string& path) {
  const auto activity = jobs::Activity::current();
  auto running = scripts.begin(path);
  commands::run_script(
      commands::read_script(path),
      [&window](const std::string& line, auto then) { window.run_and_wait(line, std::move(then)); },
      [activity, running](const std::string& error) mutable {
        running.reset();
        if (!error.empty()) activity->fail(error);
      });
}

}  // namespace

void add_script_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  commands::Recorder& recorder = window.recorder();
  commands.bind(
      "script.record", [&recorder](const Arguments&) { recorder.start(); },
      [&recorder] {
        return recorder.recording() ? said(QObject::tr("A script is already being recorded."))
                                    : std::string();
      },
      {.checked = [&recorder] { return recorder.recording(); }});
  commands.bind(
      "script.stop",
      [&](const Arguments&) {
        for (const auto& hosted : window.labs()) {
          if (hosted->front != nullptr) hosted->front->lab->note_unfinished();
        }
        recorder.stop();
      },
      [&recorder] {
        return recorder.recording() ? std::string() : said(QObject::tr("Nothing is being recorded."));
      });
  commands.bind(
      "script.save",
      [&](const Arguments& arguments) {
        if (arguments.has("path")) return recorder.save(arguments.text("path"));
        ask_for_file(window, QObject::tr("Save recorded script"), filter(), script_folder_key,
                     Wanted::new_file,
                     [&window](const std::string& path) { window.run("script.save", {path}); });
      },
      [&recorder] {
        return recorder.empty() ? said(QObject::tr("Nothing has been recorded.")) : std::string();
      });
  commands.bind("script.run", [&window, scripts = commands::RunningScripts()](const Arguments& arguments) {
    if (arguments.has("path")) return run(window, scripts, arguments.text("path"));
    ask_for_file(window, QObject::tr("Run script"), filter(), script_folder_key, Wanted::file,
                 [&window](const std::string& path) { window.run("script.run", {path}); });
  });
}

}  // namespace isolume::workbench
