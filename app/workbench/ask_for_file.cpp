#include "app/workbench/ask_for_file.h"

#include <QFileDialog>
#include <QSettings>

#include "app/workbench/file_filter.h"

namespace isolume::workbench {

void ask_for_file(QWidget& window, const QString& title, const QString& filter, const char* folder_setting,
                  Wanted wanted, std::function<void(const std::string& path)> take, const QString& name) {
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
    if (!name.isEmpty()) dialog->selectFile(name + "." + first_suffix(dialog->selectedNameFilter()));
  }
  QObject::connect(dialog, &QFileDialog::fileSelected, &window, [folder_setting, take](const QString& path) {
    QSettings().setValue(folder_setting, QFileInfo(path).path());
    take(path.toStdString());
  });
  dialog->open();
}

}  // namespace isolume::workbench
