#pragma once

#include <QByteArray>
#include <QString>
#include <QUndoStack>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/workbench/command_registry.h"
#include "app/workbench/lab.h"
#include "app/workbench/parameter_history.h"
#include "core/sessions/session.h"

class QDockWidget;

namespace isolume::workbench {

struct HostedLab;

/// What a document takes of a session when it is open.
struct ToRestore {
  sessions::DocumentSession session;
  QString note;  ///< what else a person must know: that its data have changed
};

/// One document of a lab: an instance of the lab, and what is its own in the window.
struct HostedDocument {
  HostedDocument(HostedLab& its_lab, jobs::JobRunner& all_jobs) : of(its_lab), jobs(all_jobs) {}

  /// "benzene.fchk.gz", also while a session's document waits to be shown.
  QString caption() const;
  /// Its file or folder, where it is one.
  std::filesystem::path where() const;
  /// Whether it has a tab: it is open, or waits to be opened.
  bool counts() const { return has_document || waits; }

  HostedLab& of;
  jobs::JobRunner jobs;
  QUndoStack undo;
  Bindings bindings;
  scene::ViewWidget* view = nullptr;
  QWidget* page = nullptr;       ///< the view, or the lab's own page
  std::vector<QWidget*> panels;  ///< for the lab's docks, in their order
  std::unique_ptr<LabContext> context;
  std::unique_ptr<Lab> lab;  ///< null until it is shown for the first time
  std::unique_ptr<ParameterHistory> history;
  bool has_document = false;
  bool waits = false;          ///< it is a session's, and opened when it is shown
  std::filesystem::path path;  ///< empty where it is no file
  std::optional<ToRestore> to_restore;
  QString title;
  QString status, warning, error;
  QString offer;                 ///< the title of a button that goes with the warning
  std::string offer_command;     ///< and what it runs
  int status_step = 0;           ///< of `undo`, at which the status was told
  unsigned statuses = 0;         ///< told so far
  unsigned statuses_before = 0;  ///< the last command, or told until it ended
  /// Whether the status reports a written file; a later write replaces it by its own status or error.
  enum class OfFile { no, soon, yes } status_of_file = OfFile::no;
  std::string error_channel;  ///< of the job that failed: empty for anything else
};

/// A lab in the window.
struct HostedLab {
  explicit HostedLab(LabEntry its_entry) : entry(std::move(its_entry)) {}

  /// Of the setting that remembers the layout.
  QString layout_key() const { return "window/layouts/" + QString::fromStdString(entry.name); }
  /// Those with a tab, in their order.
  std::vector<HostedDocument*> open_documents() const;

  LabEntry entry;
  std::vector<std::unique_ptr<HostedDocument>> documents;
  HostedDocument* front = nullptr;    ///< shown when the lab is; null until it is made
  std::vector<std::string> commands;  ///< their names
  std::vector<QDockWidget*> docks;    ///< hold the panels of the document in front
  QByteArray layout;                  ///< of docks and tool bars, while they are not shown
  bool layout_is_new = true;
};

}  // namespace isolume::workbench
