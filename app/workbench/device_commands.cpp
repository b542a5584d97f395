#include <fmt/format.h>

#include "app/workbench/devices_panel.h"
#include "app/workbench/main_window.h"
#include "app/workbench/timeline_export.h"
#include "app/workbench/window_command_parts.h"

namespace isolume::workbench {
namespace {

constexpr const char* export_folder_key = "files/export-folder";

std::string not_found_yet(const MainWindow& window) {
  return window.devices() ? "" : "The devices are still being looked for.";
}

std::string no_timeline(const MainWindow& window) {
  if (!window.devices()) return not_found_yet(window);
  return window.devices()->last_report() ? "" : "No job has run yet.";
}

/// Throws Error naming the numbers there are.
dispatch::Device& device_numbered(const MainWindow& window, const std::string& text) {
  const auto devices = window.devices()->devices();
  const auto number = whole_number(text);
  if (!number || *number < 0 || *number >= static_cast<int>(devices.size())) {
    throw Error(fmt::format("There is no device {}; the Devices panel numbers them from 0 to {}.",
                            isolume::quoted(text), devices.size() - 1));
  }
  return *devices[static_cast<std::size_t>(*number)];
}

void disable(const MainWindow& window, const std::string& number) {
  dispatch::Device& device = device_numbered(window, number);
  if (!device.set_aside_because().empty()) return;
  int in_use = 0;
  for (const dispatch::Device* each : window.devices()->devices())
    in_use += each->set_aside_because().empty();
  if (in_use == 1) {
    throw Error(fmt::format("{} is the only device in use. Put another one back with device.enable first.",
                            device.name()));
  }
  device.set_aside("Set aside by hand.");
}

void export_timeline(MainWindow& window, Arguments arguments) {
  if (!arguments.empty()) {
    const auto report = window.devices()->last_report();
    std::vector<std::string> names;
    for (const QString& name : share_names(*window.devices(), *report)) names.push_back(name.toStdString());
    write_timeline(*report, names, arguments[0]);
    return;
  }
  ask_for_file(window, QObject::tr("Export the timeline"),
               QObject::tr("Table (*.csv);;Trace for chrome://tracing and Perfetto (*.json)"),
               export_folder_key, Wanted::new_file,
               [&window](const std::string& path) { window.run("devices.export-timeline", {path}); });
}

}  // namespace

void add_device_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  commands.add({.name = "device.enable",
                .title = "Put a device back",
                .help = "Lets jobs use a device again that was set aside; numbers as in the Devices panel.",
                .arguments = "N",
                .shortcut = "",
                .run =
                    [&window](Arguments arguments) {
                      device_numbered(window, arguments[0]).set_aside({});
                      window.show_devices();
                    },
                .unavailable = [&window] { return not_found_yet(window); },
                .keywords = "gpu cpu"});
  commands.add({.name = "device.disable",
                .title = "Set a device aside",
                .help = "Keeps a device out of all later jobs; numbers as in the Devices panel.",
                .arguments = "N",
                .shortcut = "",
                .run =
                    [&window](Arguments arguments) {
                      disable(window, arguments[0]);
                      window.show_devices();
                    },
                .unavailable = [&window] { return not_found_yet(window); },
                .keywords = "gpu cpu"});
  commands.add({.name = "devices.export-timeline",
                .title = "Export timeline...",
                .help = "Writes the last job's tiles as a table (.csv) or as a trace (.json).",
                .arguments = "[PATH]",
                .shortcut = "",
                .run = [&window](Arguments arguments) { export_timeline(window, arguments); },
                .unavailable = [&window] { return no_timeline(window); }});
}

}  // namespace isolume::workbench
