#pragma once

#include <QByteArray>
#include <QString>
#include <QUndoStack>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/workbench/lab.h"
#include "app/workbench/parameter_history.h"
#include "core/sessions/session.h"

class QDockWidget;

namespace isolume::workbench {

/// A lab in the window, and what is its own there.
struct HostedLab {
  explicit HostedLab(LabEntry its_entry) : entry(std::move(its_entry)) {}

  /// Of the setting that remembers the layout.
  QString layout_key() const { return "window/layouts/" + QString::fromStdString(entry.name); }

  LabEntry entry;
  QUndoStack undo;
  scene::ViewWidget* view = nullptr;
  QWidget* page = nullptr;  ///< the view, or the lab's own page
  std::unique_ptr<LabContext> context;
  std::unique_ptr<Lab> lab;  ///< null until it is shown for the first time
  std::unique_ptr<ParameterHistory> history;
  std::vector<std::string> commands;  ///< their names
  std::vector<QDockWidget*> docks;
  QByteArray layout;  ///< of docks and tool bars, while they are not shown
  bool layout_is_new = true;
  bool has_document = false;
  std::filesystem::path document;                  ///< empty where it is no file
  std::optional<sessions::LabSession> to_restore;  ///< when the document is open
  QString title;                                   ///< of the document
  QString status, warning, error;
  std::string error_channel;  ///< of the job that failed: empty for anything else
};

}  // namespace isolume::workbench
