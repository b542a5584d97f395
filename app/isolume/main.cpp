// isolume: the workbench.
#include <QMetaObject>
#include <QProcess>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/isolume/labs.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/exports/screenshot.h"
#include "app/workbench/window/application.h"
#include "app/workbench/window/labs_to_come.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/base/stop_signals.h"
#include "core/base/version.h"
#include "gpu/machine.h"

namespace {

namespace workbench = isolume::workbench;

struct Options {
  std::string file;
  std::vector<std::string> commands;
  std::string script;
  std::string screenshot;
  bool quit = false;
};

/// Empty if the program must end at once with `exit_code`.
std::optional<Options> parse(int argc, char** argv, int& exit_code) {
  Options options;
  CLI::App app("Isolume: an interactive workbench for scientific fields.", "isolume");
  app.set_version_flag("--version", std::string("isolume ") + isolume::version);
  app.add_option("FILE", options.file, "A file or folder to open");
  app.add_option("--command", options.commands,
                 "A command to run, e.g. \"orbitals.select homo\"; each waits for the work of the one before")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--script", options.script,
                 "A file of commands to run, one a line, after those of --command; the first error ends the "
                 "program");
  app.add_option("--screenshot", options.screenshot, "Write the window as a PNG image after the commands");
  app.add_flag("--quit-after-commands", options.quit,
               "End when the commands are done; the exit code says whether all went well");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  }
  return options;
}

/// Lines of --command, then those of --script.
std::vector<isolume::commands::ScriptLine> lines_of(const Options& options) {
  std::vector<isolume::commands::ScriptLine> lines;
  for (const std::string& command : options.commands) lines.push_back({"", command});
  if (options.script.empty()) return lines;
  for (auto& line : isolume::commands::read_script(options.script)) lines.push_back(std::move(line));
  return lines;
}

int complain(const std::string& message) {
  std::fprintf(stderr, "isolume: %s\n", message.c_str());
  return EXIT_FAILURE;
}

/// Takes the screenshot and quits after the commands, as far as requested.
void finish(workbench::MainWindow& window, const Options& options, std::string error) {
  const bool ends = options.quit || (!error.empty() && !options.script.empty());
  if (error.empty() && !options.screenshot.empty()) {
    try {
      workbench::write_screenshot(window, options.screenshot);
    } catch (const std::exception& failure) {
      error = isolume::error_text(failure);
      window.show_error(QString::fromStdString(error));
    }
  }
  if (!ends) return;
  window.sessions().forget();
  window.close();
  QApplication::exit(error.empty() ? EXIT_SUCCESS : complain(error));
}

/// Handles a signal like closing the window, but keeps the open documents for the next start. Runs on another
/// thread.
void leave() {
  constexpr int interrupted = 130;  // exit code of shells for SIGINT
  if (QCoreApplication::instance() == nullptr) std::_Exit(interrupted);
  QMetaObject::invokeMethod(
      QCoreApplication::instance(),
      [] {
        for (QWidget* each : QApplication::topLevelWidgets()) {
          auto* window = qobject_cast<workbench::MainWindow*>(each);
          if (window == nullptr) continue;
          return window->sessions().leave([window] {
            window->close();
            QApplication::exit(interrupted);
          });
        }
        QApplication::exit(interrupted);
      },
      Qt::QueuedConnection);
}

}  // namespace

int main(int argc, char** argv) {
  const isolume::StopSignals signals(leave);
  int exit_code = EXIT_SUCCESS;
  const auto options = parse(argc, argv, exit_code);
  if (!options) return exit_code;
  if (const std::string why = workbench::why_no_display(); !why.empty()) return complain(why);
  std::vector<isolume::commands::ScriptLine> lines;
  try {
    lines = lines_of(*options);
  } catch (const isolume::Error& error) {
    return complain(isolume::error_text(error));
  }
  workbench::take_qt_messages();
  isolume::scene::ViewWidget::set_default_surface_format();
  try {
    workbench::Application application(argc, argv);
    workbench::MainWindow window(workbench::labs(), isolume::gpu::make_device_pool);
    if (!workbench::has_all_labs()) {
      const QString program = QCoreApplication::applicationDirPath() + "/isolume";
      new workbench::LabsToCome(window, program, [program](const QStringList& arguments) {
        return QProcess::startDetached(program, arguments);
      });
    }
    window.show();
    // Opening starts at once, since the commands wait for it.
    if (!options->file.empty()) window.run_at_start("file.open", {options->file});
    window.run_script(std::move(lines), [&](const std::string& error) {
      if (!error.empty() || options->screenshot.empty()) return finish(window, *options, error);
      window.when_at_rest([&] { finish(window, *options, {}); });
    });
    return QApplication::exec();
  } catch (const std::exception& error) {
    return complain(isolume::error_text(error));
  }
}
