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

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/lab.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/parameter_history.h"
#include "core/sessions/session.h"

class QDockWidget;

namespace isolume::workbench {

struct HostedLab;

/// The part of a session that a document takes when it is open.
struct ToRestore {
  sessions::DocumentSession session;
  QString note;  ///< a further message for the user: that its data have changed
};

/// One document of a lab: an instance of the lab, with its own widgets and state in the window.
struct HostedDocument {
  HostedDocument(HostedLab& its_lab, jobs::JobRunner& all_jobs) : of(its_lab), jobs(all_jobs) {}

  /// "benzene.fchk.gz", also while a session's document waits to be shown.
  QString caption() const;
  /// Path of its file or folder; empty if it has none.
  std::filesystem::path where() const;
  /// Whether it shows the data of a session and does not have its whole state yet.
  bool restoring() const {
    return to_restore && (!to_restore->session.data || to_restore->session.data->path == path);
  }
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
  std::unique_ptr<Lab> lab;  ///< null until it is first shown
  std::unique_ptr<ParameterHistory> history;
  bool has_document = false;
  bool waits = false;                   ///< it belongs to a session, and is opened when it is shown
  std::filesystem::path path;           ///< empty if it has no file
  std::optional<ToRestore> to_restore;  ///< until all of it is restored
  /// As it was opened or saved last; empty until it is known.
  std::optional<sessions::DocumentSession> saved;
  bool of_session = false;   ///< it was opened by a session, which may leave steps of undo
  bool was_settled = false;  ///< nothing was being computed when the session was kept last
  QString title;
  QString status, warning, error;
  QString offer;                 ///< the title of a button that goes with the warning
  std::string offer_command;     ///< and what it runs
  int status_step = 0;           ///< of `undo`, at which the status was told
  bool writes_frame = false;     ///< of a movie: what is told meanwhile is not for users
  unsigned statuses = 0;         ///< told so far
  unsigned statuses_before = 0;  ///< the last command, or told until it ended
  /// Whether the status reports a written file; a later write replaces it by its own status or error.
  enum class OfFile { no, soon, yes } status_of_file = OfFile::no;
  QString status_before_file;  ///< the status that it replaced, told at this step
  int step_before_file = 0;
  std::string error_channel;  ///< channel of the failed job; empty for other errors
};

/// A lab in the window.
struct HostedLab {
  explicit HostedLab(LabEntry its_entry) : entry(std::move(its_entry)) {}

  const std::string& name() const { return entry.description.name; }  ///< "orbitals"
  QString title() const { return translated(entry.description.title); }
  /// Key of the setting that stores the layout.
  QString layout_key() const { return "window/layouts/" + QString::fromStdString(name()); }
  /// Its commands, which are known before it is made.
  const std::vector<Command>& declared();
  /// Documents with a tab, in their order.
  std::vector<HostedDocument*> open_documents() const;

  LabEntry entry;
  std::vector<std::unique_ptr<HostedDocument>> documents;
  HostedDocument* front = nullptr;    ///< shown with the lab; null until it is made
  std::vector<std::string> commands;  ///< their names
  std::vector<QDockWidget*> docks;    ///< docks for the panels of the front document
  QByteArray layout;                  ///< of docks and tool bars, while they are hidden
  bool layout_is_new = true;

 private:
  std::optional<std::vector<Command>> declared_;
};

}  // namespace isolume::workbench
