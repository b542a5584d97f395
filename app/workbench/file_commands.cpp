#include <QSettings>
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/workbench/export_image_dialog.h"
#include "app/workbench/file_filter.h"
#include "app/workbench/hosted_lab.h"
#include "app/workbench/main_window.h"
#include "app/workbench/recent_files.h"
#include "app/workbench/window_command_parts.h"
#include "core/base/resources.h"

namespace isolume::workbench {
namespace {

constexpr const char* folder_key = "files/folder";
constexpr const char* export_folder_key = "files/export-folder";

void open(MainWindow& window, Arguments arguments) {
  if (!arguments.empty()) {
    window.open_file(arguments[0]);
    return;
  }
  QString filters;
  for (const HostedLab* hosted : window.labs_shown_first()) filters += hosted->entry.file_filter + ";;";
  ask_for_file(window, QObject::tr("Open"),
               filters + QObject::tr("Isolume sessions (*.isolume)") + ";;" + QObject::tr("All files (*)"),
               folder_key, Wanted::file,
               [&window](const std::string& path) { window.run("file.open", {path}); });
}

void open_folder(MainWindow& window, Arguments arguments) {
  if (!arguments.empty()) {
    window.open_file(arguments[0]);
    return;
  }
  ask_for_file(window, QObject::tr("Open folder"), {}, folder_key, Wanted::folder,
               [&window](const std::string& path) { window.run("file.open-folder", {path}); });
}

void open_sample(MainWindow& window, Arguments arguments) {
  const QString wanted = QString::fromStdString(arguments[0]);
  std::string known;
  for (const HostedLab* hosted : window.labs_shown_first()) {
    for (const SampleTile& sample : hosted->entry.samples) {
      const std::string file = std::filesystem::path(sample.resource).filename().string();
      const std::string stem = file.substr(0, file.find('.'));
      if (sample.title.compare(wanted, Qt::CaseInsensitive) == 0 || stem == arguments[0]) {
        const std::filesystem::path path = resource(sample.resource);
        window.show_lab(hosted->entry.name);
        window.lab().open(path);
        return;
      }
      known += (known.empty() ? "" : ", ") + stem;
    }
  }
  throw Error(
      fmt::format("There is no sample {}; the samples are {}.", isolume::quoted(arguments[0]), known));
}

std::vector<Offer> sample_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const HostedLab* hosted : window.labs_shown_first()) {
    for (const SampleTile& sample : hosted->entry.samples) {
      const std::string title = sample.title.toStdString();
      offers.push_back({CommandRegistry::quote(title), "Open sample: " + title,
                        hosted->entry.title.toStdString(), sample.description.toStdString()});
    }
  }
  return offers;
}

std::vector<Offer> recent_offers() {
  std::vector<Offer> offers;
  for (const QString& file : recent_files()) {
    const QFileInfo info(file);
    offers.push_back({std::to_string(offers.size() + 1), "Open recent file: " + info.fileName().toStdString(),
                      info.path().toStdString(), file.toStdString()});
  }
  return offers;
}

void open_recent(MainWindow& window, Arguments arguments) {
  const QStringList files = recent_files();
  const int number = whole_number(arguments[0]).value_or(0);
  if (number < 1 || number > files.size()) {
    throw Error(fmt::format("file.recent takes a number from 1 to {}, not {}.", files.size(),
                            isolume::quoted(arguments[0])));
  }
  window.open_file(files[number - 1].toStdString());
}

void export_image(MainWindow& window, Arguments arguments) {
  if (arguments.empty()) {
    (new ExportImageDialog([&window](const auto& chosen) { window.run("file.export-image", chosen); },
                           &window))
        ->open();
    return;
  }
  const ImageExport options = parse_image_export(arguments.subspan(1));
  window.lab().write_image(arguments[0], options.width, options.height, options.transparent, options.dpi);
}

void export_file(MainWindow& window, Arguments arguments) {
  if (!arguments.empty()) {
    window.lab().export_file(arguments[0]);
    return;
  }
  ask_for_file(window, QObject::tr("Export"), window.lab().export_filter(), export_folder_key,
               Wanted::new_file, [&window](const std::string& path) { window.run("file.export", {path}); });
}

}  // namespace

void ask_for_file(MainWindow& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take) {
  auto* dialog = new QFileDialog(&window, title, QSettings().value(folder_setting).toString(), filter);
  dialog->setObjectName("file-dialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(wanted == Wanted::new_file ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
  dialog->setFileMode(wanted == Wanted::file     ? QFileDialog::ExistingFile
                      : wanted == Wanted::folder ? QFileDialog::Directory
                                                 : QFileDialog::AnyFile);
  if (wanted == Wanted::new_file) {
    const auto add_suffix = [dialog](const QString& chosen) {
      dialog->setDefaultSuffix(first_suffix(chosen));
    };
    add_suffix(dialog->selectedNameFilter());
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, add_suffix);
  }
  QObject::connect(dialog, &QFileDialog::fileSelected, &window, [folder_setting, take](const QString& path) {
    QSettings().setValue(folder_setting, QFileInfo(path).path());
    take(path.toStdString());
  });
  dialog->open();
}

void add_file_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto nothing_to_export = [&window] { return window.lab().nothing_to_export(); };
  commands.add({.name = "file.open",
                .title = "Open...",
                .help = "Opens a file or a folder in the lab that takes it; the shown lab is asked first.",
                .arguments = "[PATH]",
                .shortcut = "Ctrl+O",
                .run = [&window](Arguments arguments) { open(window, arguments); },
                .keywords = "load read import"});
  commands.add({.name = "file.open-folder",
                .title = "Open folder...",
                .help = "Opens a folder, e.g. the files of a DICOM series.",
                .arguments = "[PATH]",
                .shortcut = "Ctrl+Shift+O",
                .run = [&window](Arguments arguments) { open_folder(window, arguments); },
                .keywords = "load read import directory"});
  commands.add({.name = "file.open-sample",
                .title = "Open sample",
                .help = "Opens one of the shipped samples, e.g. benzene.",
                .arguments = "NAME",
                .shortcut = "",
                .run = [&window](Arguments arguments) { open_sample(window, arguments); },
                .keywords = "example demo",
                .offers = [&window] { return sample_offers(window); }});
  commands.add({.name = "file.recent",
                .title = "Open recent file",
                .help = "Opens a file again: 1 is the one opened last.",
                .arguments = "N",
                .shortcut = "",
                .run = [&window](Arguments arguments) { open_recent(window, arguments); },
                .unavailable = [] { return recent_files().isEmpty() ? "No file was opened yet." : ""; },
                .keywords = "last again",
                .offers = [] { return recent_offers(); }});
  commands.add({.name = "file.export-image",
                .title = "Export image...",
                .help = "Writes the view as a PNG image of any size.",
                .arguments = "[PATH [WIDTHxHEIGHT] [transparent] [DPI]]",
                .shortcut = "Ctrl+Shift+E",
                .run = [&window](Arguments arguments) { export_image(window, arguments); },
                .unavailable = nothing_to_export,
                .keywords = "save write picture screenshot figure"});
  commands.add({.name = "file.export",
                .title = "Export data...",
                .help = "Writes what is shown; the file's suffix says in which format.",
                .arguments = "[PATH]",
                .shortcut = "Ctrl+E",
                .run = [&window](Arguments arguments) { export_file(window, arguments); },
                .unavailable = nothing_to_export,
                .keywords = "save write"});
  commands.add({.name = "app.quit",
                .title = "Quit",
                .help = "Ends the program.",
                .arguments = "",
                .shortcut = "Ctrl+Q",
                .run = [&window](Arguments) { window.close(); },
                .keywords = "exit close"});
}

}  // namespace isolume::workbench
