#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QKeySequence>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/workbench/commands/command_actions.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/manual/manual_window.h"
#include "app/workbench/window/main_window.h"
#include "core/base/resources.h"
#include "core/base/version.h"

namespace isolume::workbench {
namespace {

/// A window next to the main one that can stay open; a second call raises the same one.
QDialog* side_window(MainWindow& window, const QString& name, const QString& title, QWidget* content,
                     QSize size) {
  auto* dialog = new QDialog(&window);
  dialog->setObjectName(name);
  dialog->setWindowTitle(title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(content);
  column->addWidget(buttons);
  const int em = dialog->fontMetrics().height();
  dialog->resize(size.width() * em, size.height() * em);
  dialog->show();
  return dialog;
}

bool raise_if_open(MainWindow& window, const QString& name) {
  auto* open = window.findChild<QDialog*>(name);
  if (open == nullptr) return false;
  open->raise();
  open->activateWindow();
  return true;
}

/// The shown lab's page; empty while the welcome page is shown, or if the lab has none.
std::filesystem::path page_of_shown_lab(MainWindow& window) {
  if (!window.document().counts()) return {};
  const HostedLab& hosted = window.shown();
  if (!hosted.entry.manual.empty()) return hosted.entry.manual;
  const auto page = resource("manual/index.md").parent_path() / (hosted.name() + ".md");
  return std::filesystem::exists(page) ? page : std::filesystem::path();
}

void show_manual(MainWindow& window, const std::vector<std::string>& words) {
  if (!raise_if_open(window, "manual")) {
    std::vector<std::filesystem::path> of_labs;
    for (const auto& hosted : window.labs()) {
      if (!hosted->entry.manual.empty()) of_labs.push_back(hosted->entry.manual);
    }
    auto* made = new ManualWindow(resource("manual/index.md").parent_path(), of_labs, &window);
    made->setAttribute(Qt::WA_DeleteOnClose);
    made->show();
  }
  QStringList wanted;
  for (const std::string& word : words) wanted << QString::fromStdString(word);
  auto& manual = *window.findChild<ManualWindow*>("manual");
  if (!wanted.isEmpty()) return manual.look_up(wanted.join(' '));
  if (const auto page = page_of_shown_lab(window); !page.empty()) manual.show_page(page);
}

void show_shortcuts(MainWindow& window) {
  if (raise_if_open(window, "shortcuts")) return;
  auto* table = new QTreeWidget;
  table->setHeaderLabels({QObject::tr("Keys"), QObject::tr("Command"), QObject::tr("What it does")});
  table->setRootIsDecorated(false);
  table->setAlternatingRowColors(true);
  for (const QAction* action : window.actions()) {
    const QString line = action->objectName();
    const Command* command = window.commands().find(commands::split(line.toStdString()).at(0));
    if (command == nullptr) continue;
    QString keys = action->shortcut().toString(QKeySequence::NativeText);
    if (keys.isEmpty()) keys = native_keys(window.commands().part(line.toStdString()).key_in_view);
    if (!keys.isEmpty()) new QTreeWidgetItem(table, {keys, line, translated(command->help)});
  }
  for (int i = 0; i < table->columnCount(); ++i) table->resizeColumnToContents(i);
  side_window(window, "shortcuts", QObject::tr("Keyboard shortcuts"), table, {46, 26});
}

void show_about(MainWindow& window) {
  if (raise_if_open(window, "about")) return;
  auto* text =
      new QLabel(QObject::tr("<h2>Isolume %1</h2><p>An interactive workbench for scientific fields.</p>"
                             "<p>Free software under the Apache License 2.0.</p>"
                             "<p>Built on Qt %2, VTK, FFmpeg, oneTBB, Highway and Eigen.</p>")
                     .arg(version, qVersion()));
  text->setTextInteractionFlags(Qt::TextBrowserInteraction);
  text->setAlignment(Qt::AlignTop);
  side_window(window, "about", QObject::tr("About Isolume"), text, {24, 14});
}

}  // namespace

void add_help_commands(MainWindow& window) {
  CommandRegistry& commands = window.commands();
  commands.bind("help.manual",
                [&window](const Arguments& arguments) { show_manual(window, arguments.texts("words")); },
                nullptr, {.shortcut = "F1"});
  commands.bind("help.shortcuts", [&window](const Arguments&) { show_shortcuts(window); }, nullptr,
                {.shortcut = "Ctrl+?"});
  commands.bind("help.about", [&window](const Arguments&) { show_about(window); });
}

}  // namespace isolume::workbench
