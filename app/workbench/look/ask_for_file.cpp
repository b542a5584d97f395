#include "app/workbench/look/ask_for_file.h"

#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QListView>
#include <QPointer>
#include <QSettings>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/file_filter.h"
#include "app/workbench/contract/lab.h"

namespace isolume::workbench {

namespace {

bool is_written(Wanted wanted) {
  return wanted == Wanted::new_file || wanted == Wanted::target_folder;
}

bool usable(const QString& folder, Wanted wanted) {
  const QFileInfo known(folder);
  return !folder.isEmpty() && known.isDir() && (!is_written(wanted) || known.isWritable());
}

}  // namespace

QString first_folder(const QWidget& window, const char* folder_setting, Wanted wanted) {
  const QString document = window.window()->windowFilePath();
  const QStringList candidates{QSettings().value(folder_setting).toString(),
                               document.isEmpty() ? QString() : QFileInfo(document).path()};
  for (const QString& each : candidates) {
    if (usable(each, wanted)) return each;
  }
  return is_written(wanted) ? QDir::homePath() : QDir::currentPath();
}

void remember_folder(const char* folder_setting, const QString& path) {
  const QString folder = QFileInfo(path).path();
  if (usable(folder, Wanted::new_file)) QSettings().setValue(folder_setting, folder);
}

void ask_for_file(QWidget& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name) {
  auto* dialog = new QFileDialog(&window, title, first_folder(window, folder_setting, wanted), filter);
  dialog->setObjectName("file-dialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(wanted == Wanted::new_file ? QFileDialog::AcceptSave : QFileDialog::AcceptOpen);
  dialog->setFileMode(wanted == Wanted::file       ? QFileDialog::ExistingFile
                      : wanted == Wanted::new_file ? QFileDialog::AnyFile
                                                   : QFileDialog::Directory);
  if (wanted == Wanted::new_file) {
    const auto add_suffix = [dialog](const QString& chosen) {
      dialog->setDefaultSuffix(first_suffix(chosen));
    };
    add_suffix(dialog->selectedNameFilter());
    QObject::connect(dialog, &QFileDialog::filterSelected, dialog, add_suffix);
    if (!name.isEmpty()) dialog->selectFile(name + "." + first_suffix(dialog->selectedNameFilter()));
  }
  QObject::connect(dialog, &QFileDialog::fileSelected, &window,
                   [folder_setting, wanted, take](const QString& path) {
                     if (is_written(wanted)) {
                       remember_folder(folder_setting, path);
                     } else {
                       QSettings().setValue(folder_setting, QFileInfo(path).path());
                     }
                     take(path.toStdString());
                   });
  // Qt takes the selected rows of the list before the typed name, and leaves a folder of a typed path selected.
  auto* typed = dialog->findChild<QLineEdit*>("fileNameEdit");
  auto* list = dialog->findChild<QListView*>("listView");
  if (typed != nullptr && list != nullptr) {
    QObject::connect(typed, &QLineEdit::textChanged, list, [typed, list] {
      if (typed->hasFocus()) list->clearSelection();
    });
  }
  dialog->open();
}

void ask_and_run(LabContext& context, QObject& owner, QWidget& window, const FileQuestion& question,
                 const std::string& command, const std::vector<std::string>& words) {
  ask_for_file(
      window, question.title, question.filter, is_written(question.wanted) ? export_folder_key : folder_key,
      question.wanted,
      [&context, command, words, alive = QPointer<QObject>(&owner)](const std::string& path) {
        if (!alive) return;
        std::vector<std::string> arguments = words;
        arguments.push_back(path);
        try {
          context.commands.run(command, arguments);
        } catch (const Error& error) {
          context.show_warning(QString::fromUtf8(error.what()));
        }
      },
      question.name);
}

}  // namespace isolume::workbench
