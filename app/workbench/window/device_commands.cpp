#include <fmt/format.h>

#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/devices/devices_panel.h"
#include "app/workbench/devices/timeline_export.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

std::string not_found_yet(const MainWindow& window) {
  return window.devices() ? std::string() : said(QObject::tr("Isolume is still looking for devices."));
}

std::string no_timeline(const MainWindow& window) {
  if (!window.devices()) return not_found_yet(window);
  return window.devices()->last_report() ? std::string() : said(QObject::tr("No job has run yet."));
}

/// Throws Error naming the available numbers.
dispatch::Device& device_numbered(const MainWindow& window, int number) {
  const auto devices = window.devices()->devices();
  if (number >= static_cast<int>(devices.size())) {
    throw Error(said(QObject::tr("There is no device %1; the Devices panel numbers them from 0 to %2."),
                     number, devices.size() - 1));
  }
  return *devices[static_cast<std::size_t>(number)];
}

void disable(const MainWindow& window, int number) {
  dispatch::Device& device = device_numbered(window, number);
  if (!device.set_aside_because().empty()) return;
  int in_use = 0;
  for (const dispatch::Device* each : window.devices()->devices())
    in_use += each->set_aside_because().empty();
  if (in_use == 1) {
    throw Error(
        said(QObject::tr("%1 is the only device in use. Enable another one with device.enable first."),
             device.name()));
  }
  device.set_aside(said(QObject::tr("Disabled by the user.")));
}

void export_timeline(MainWindow& window, const Arguments& arguments) {
  if (arguments.has("path")) {
    const auto report = window.devices()->last_report();
    std::vector<std::string> names;
    for (const QString& name : share_names(*window.devices(), *report)) names.push_back(name.toStdString());
    write_timeline(*report, names, arguments.text("path"));
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
  const auto unavailable = [&window] { return not_found_yet(window); };
  commands.bind(
      "device.enable",
      [&window](const Arguments& arguments) {
        device_numbered(window, arguments.integer("number")).set_aside({});
        window.show_devices();
      },
      unavailable);
  commands.bind(
      "device.disable",
      [&window](const Arguments& arguments) {
        disable(window, arguments.integer("number"));
        window.show_devices();
      },
      unavailable);
  commands.bind(
      "devices.export-timeline",
      [&window](const Arguments& arguments) { export_timeline(window, arguments); },
      [&window] { return no_timeline(window); });
}

}  // namespace isolume::workbench
