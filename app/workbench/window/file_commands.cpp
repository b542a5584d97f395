#include <QFileInfo>
#include <QRegularExpression>
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/file_filter.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/exports/export_image_dialog.h"
#include "app/workbench/window/main_window.h"
#include "core/base/resources.h"
#include "core/base/suffix.h"

namespace isolume::workbench {
namespace {

MainWindow::Place place(const Arguments& arguments) {
  return arguments.has("where") ? MainWindow::Place::beside : MainWindow::Place::present;
}

/// The arguments with the path from a dialog.
std::vector<std::string> with_path(const Arguments& arguments, const std::string& path) {
  std::vector<std::string> words{path};
  if (arguments.has("where")) words.push_back(arguments.text("where"));
  return words;
}

void open(MainWindow& window, const Arguments& arguments) {
  if (arguments.has("path")) return window.open_file(arguments.text("path"), place(arguments));
  QString filters;
  for (const HostedLab* hosted : window.labs_shown_first()) {
    if (!hosted->entry.description.formats.empty())
      filters += filter_of(hosted->entry.description.formats) + ";;";
  }
  ask_for_file(window, QObject::tr("Open"),
               filters + QObject::tr("Isolume sessions (*.isolume)") + ";;" + QObject::tr("All files (*)"),
               folder_key, Wanted::file, [&window, arguments](const std::string& path) {
                 window.run("file.open", with_path(arguments, path));
               });
}

void open_folder(MainWindow& window, const Arguments& arguments) {
  if (arguments.has("path")) return window.open_file(arguments.text("path"), place(arguments));
  ask_for_file(window, QObject::tr("Open folder"), {}, folder_key, Wanted::folder,
               [&window, arguments](const std::string& path) {
                 window.run("file.open-folder", with_path(arguments, path));
               });
}

/// The same file may be a wavefunction for one lab and a charge distribution for another.
void open_in_lab(MainWindow& window, const Arguments& arguments) {
  const std::string name = arguments.text("lab");
  const auto labs = window.labs_shown_first();
  const auto lab = std::ranges::find(labs, name, [](const HostedLab* each) { return each->name(); });
  if (lab == labs.end()) throw Error(said(QObject::tr("There is no lab %1."), isolume::quoted(name)));
  const std::filesystem::path path =
      arguments.has("path") ? std::filesystem::path(arguments.text("path")) : window.document().where();
  if (path.empty()) throw Error(said(QObject::tr("Open a file first, or give its path.")));
  window.open_in(**lab, path, MainWindow::Place::present);
}

std::vector<Offer> opening_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const HostedLab* hosted : window.labs_shown_first()) {
    if (!hosted->entry.description.formats.empty())
      offers.push_back(
          {hosted->name(), said(QObject::tr("Open in %1"), hosted->title().toStdString()), {}, {}});
  }
  return offers;
}

/// Subscripts as digits, which keyboards have.
QString typed(QString title) {
  for (QChar& each : title) {
    if (each >= QChar(0x2080) && each <= QChar(0x2089)) each = QChar('0' + (each.unicode() - 0x2080));
  }
  return title;
}

/// In English or in the language of the window.
bool is_called(const Sample& sample, const QString& name) {
  const auto same = [&](const QString& title) {
    return typed(title).compare(typed(name), Qt::CaseInsensitive) == 0;
  };
  return same(QString::fromStdString(sample.title)) || same(translated(sample.title));
}

void open_sample(MainWindow& window, const Arguments& arguments) {
  const std::string name = arguments.text("name");
  const QString wanted = QString::fromStdString(name);
  std::string known;
  for (HostedLab* hosted : window.labs_shown_first()) {
    for (const Sample& sample : hosted->entry.description.samples) {
      const std::string file = std::filesystem::path(sample.resource).filename().string();
      const std::string stem = file.substr(0, file.find('.'));
      if (is_called(sample, wanted) || stem == name) {
        const std::filesystem::path path = resource(sample.resource);
        window.show_lab(hosted->name());
        return window.open_in(*hosted, path, place(arguments));
      }
      known += (known.empty() ? "" : ", ") + stem;
    }
  }
  throw Error(said(QObject::tr("There is no sample %1; the samples are %2."), isolume::quoted(name), known));
}

std::vector<Offer> sample_offers(const MainWindow& window) {
  std::vector<Offer> offers;
  for (const HostedLab* hosted : window.labs_shown_first()) {
    for (const Sample& sample : hosted->entry.description.samples) {
      const std::string title = translated(sample.title).toStdString();
      offers.push_back({commands::quote(sample.title), said(QObject::tr("Open sample: %1"), title),
                        hosted->title().toStdString(), translated(sample.description).toStdString()});
    }
  }
  return offers;
}

std::vector<Offer> recent_offers() {
  std::vector<Offer> offers;
  for (const QString& file : recent_files()) {
    const QFileInfo info(file);
    offers.push_back({std::to_string(offers.size() + 1),
                      QObject::tr("Open recent file: %1").arg(info.fileName()).toStdString(),
                      info.path().toStdString(), file.toStdString()});
  }
  return offers;
}

void open_recent(MainWindow& window, const Arguments& arguments) {
  const QStringList files = recent_files();
  const int number = arguments.integer("number");
  if (number > files.size())
    throw Error(said(QObject::tr("file.recent takes a number from 1 to %1, not %2."), files.size(), number));
  window.open_file(files[number - 1].toStdString(), place(arguments));
}

void export_image(MainWindow& window, const Arguments& arguments) {
  if (!arguments.has("path")) {
    (new ExportImageDialog([&window](const auto& chosen) { window.run("file.export-image", chosen); },
                           name_for_export(window), &window))
        ->open();
    return;
  }
  const auto [width, height] = parse_image_size(arguments.text("size"));
  window.lab().write_image(arguments.text("path"), width, height, arguments.has("background"),
                           arguments.integer("dpi"));
}

void export_file(MainWindow& window, const Arguments& arguments) {
  if (arguments.has("path")) return window.lab().export_file(arguments.text("path"));
  ask_for_file(
      window, QObject::tr("Export"), window.lab().export_filter(), export_folder_key, Wanted::new_file,
      [&window](const std::string& path) { window.run("file.export", {path}); }, name_for_export(window));
}

}  // namespace

QString name_for_export(const MainWindow& window) {
  auto name = window.document().path.filename();
  if (suffix_of(name) == ".gz") name = name.stem();
  const auto stem = QString::fromStdString(name.stem().string());
  if (!stem.isEmpty()) return stem;
  static const QRegularExpression no_letters(QStringLiteral("[^a-z0-9]+"));
  const QString title = window.document().title.toLower().replace(no_letters, QStringLiteral("-"));
  return title.isEmpty() ? QStringLiteral("isolume") : title;
}

void add_file_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  const auto nothing_to_export = [&window] { return window.lab().nothing_to_export(); };
  const auto beside = [](const QString& title) {
    return [title = title.toStdString()] { return std::vector<Offer>{{"beside", title, {}, {}}}; };
  };
  commands.bind("file.open", [&window](const Arguments& arguments) { open(window, arguments); }, nullptr,
                {.shortcut = "Ctrl+O", .offers = beside(QObject::tr("Open in new tab..."))});
  commands.bind("file.open-folder", [&window](const Arguments& arguments) { open_folder(window, arguments); },
                nullptr,
                {.shortcut = "Ctrl+Shift+O", .offers = beside(QObject::tr("Open folder in new tab..."))});
  commands.bind("file.open-in", [&window](const Arguments& arguments) { open_in_lab(window, arguments); },
                nullptr, {.offers = [&window] { return opening_offers(window); }});
  commands.bind("file.open-sample", [&window](const Arguments& arguments) { open_sample(window, arguments); },
                nullptr, {.offers = [&window] { return sample_offers(window); }});
  commands.bind(
      "file.recent", [&window](const Arguments& arguments) { open_recent(window, arguments); },
      [] {
        return recent_files().isEmpty() ? said(QObject::tr("No file has been opened yet.")) : std::string();
      },
      {.offers = [] { return recent_offers(); }});
  commands.bind("file.export-image",
                [&window](const Arguments& arguments) { export_image(window, arguments); }, nothing_to_export,
                {.shortcut = "Ctrl+Shift+E"});
  commands.bind("file.export-movie",
                [&window](const Arguments& arguments) { export_movie(window, arguments); }, nothing_to_export,
                {.shortcut = "Ctrl+Shift+M"});
  commands.bind("file.export", [&window](const Arguments& arguments) { export_file(window, arguments); },
                nothing_to_export, {.shortcut = "Ctrl+E"});
  commands.bind("app.quit", [&window](const Arguments&) { window.close(); }, nullptr, {.shortcut = "Ctrl+Q"});
}

}  // namespace isolume::workbench
