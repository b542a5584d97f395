#pragma once

#include <QMainWindow>
#include <QUndoGroup>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/look/theme.h"
#include "core/commands/recorder.h"
#include "core/commands/script.h"
#include "core/jobs/job_runner.h"

class QLabel;
class QStackedWidget;

namespace isolume::workbench {

class Banner;
class CommandActions;
class CommandPalette;
class DevicesPanel;
class DocumentTabs;
struct HiddenLab;
class JobIndicator;
class LogPanel;
class ParameterPanel;
class SessionKeeper;
class WelcomePage;

/// Called once, off the GUI thread; may take a second.
using FindDevices = std::function<std::shared_ptr<dispatch::DevicePool>()>;

/// The workbench: the labs' views and panels, one document of one lab at a time, with their common elements,
/// and the commands for all actions.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// Shows the first of the labs, of which there must be at least one.
  MainWindow(std::vector<LabEntry> labs, FindDevices find_devices, QWidget* parent = nullptr);
  ~MainWindow() override;

  CommandRegistry& commands() { return commands_; }
  commands::Recorder& recorder() { return recorder_; }
  jobs::JobRunner& jobs() { return *jobs_; }
  const std::vector<std::unique_ptr<HostedLab>>& labs() const { return labs_; }
  std::vector<HostedLab*> labs_shown_first() const;
  std::vector<HiddenLab> hidden_labs() const;
  /// Makes the lab if it was not shown before. Throws Error that names the labs.
  void show_lab(const std::string& name);
  /// Whether a job or a lab is working, for a command or for an action by hand.
  bool busy() const;
  /// Calls `then` once panels show all there is: they are filled where they are seen, and when a hand rests, which no
  /// command waits for.
  void when_at_rest(std::function<void()> then);
  // The shown lab's document in front, and its parts:
  HostedDocument& document() const { return *shown_->front; }
  QUndoStack& undo_stack() { return document().undo; }
  ParameterHistory& history() { return *document().history; }
  Lab& lab() { return *document().lab; }
  scene::ViewWidget& view() { return *document().view; }
  QWidget& page() { return *document().page; }
  void show_status(const QString& text) { document().context->show_status(text); }
  bool has_document() const { return document().has_document; }

  /// Null until they have been found.
  const std::shared_ptr<dispatch::DevicePool>& devices() const { return devices_; }
  /// Updates the Devices panel.
  void show_devices();

  /// Runs a command line; an error goes to the banner and to `command_failed`. Returns whether it succeeded.
  bool run(const std::string& line);
  bool run(const std::string& name, const std::vector<std::string>& arguments);
  /// Like `run`, but asks for missing arguments in the palette.
  void start(const std::string& line);
  /// For scripts: makes the command's lab if necessary, shown or not, and calls back when all work that the
  /// command started has ended. Errors go to the banner, too.
  void run_and_wait(const std::string& line, CommandRegistry::Then then);
  /// Runs the lines one after the other once the devices are known and `run_at_start` has ended; stops at the
  /// first error.
  void run_script(std::vector<commands::ScriptLine> lines,
                  std::function<void(const std::string& error)> finished);
  /// Runs before the first script; its failure is the script's.
  void run_at_start(const std::string& name, const std::vector<std::string>& arguments);

  /// Runs on the GUI thread; callable from jobs. An exception is shown as an error.
  void run_soon(std::function<void()> action);

  /// Shows an error in the shown document until something succeeds there.
  void show_error(const QString& text);
  QString error_text() const;
  /// Where a document opens: in place of its lab's front document, or in a new tab.
  enum class Place { present, beside };
  /// Opens a file or folder in the first lab that accepts it; if none does, the shown one reports the reason.
  void open_file(const std::filesystem::path& path, Place place);
  /// The document comes to the front when it is open, unless the user chooses another one first.
  void open_in(HostedLab& hosted, const std::filesystem::path& path, Place place);
  /// The documents of a session, which replace those of the lab: the front one is opened, the others wait
  /// until they are shown. The lab comes to the front if `shown`.
  void open_again(HostedLab& hosted, std::vector<ToRestore> documents, bool shown);
  /// Shows a document of the shown lab.
  void show_document(HostedDocument& document);
  void close_document(HostedDocument& document);
  SessionKeeper& sessions() { return *sessions_; }
  HostedLab& shown() { return *shown_; }
  /// The layout of docks and bars of the shown lab, in base64.
  QByteArray layout() const;
  void set_layout(const QByteArray& layout);
  void show_warning(HostedDocument& document, const QString& text);
  void show_offer(HostedDocument& document, const QString& title, const std::string& command);
  /// The welcome page offers to go on with a session that another run of the program left.
  void offer_left_session(const QString& what);
  void open_palette(const QString& text);
  /// Brings the Parameters panel forward and moves the focus to the parameter's editor. If the parameter does
  /// not matter now, uses the parameter on which it depends, with a line in the status bar. Throws Error that
  /// names the parameter if there is none.
  void lead_to_parameter(const std::string& key);
  void set_theme(Theme theme);
  Theme theme() const { return theme_; }
  /// Updates the recent files in the menu and on the welcome page.
  void show_recent_files();
  /// The docks of the shown lab and the common ones.
  std::vector<QDockWidget*> docks() const;
  /// Context menu of docks and bars: the shown lab's panels and the tool bar.
  QMenu* createPopupMenu() override;

 Q_SIGNALS:
  void job_failed(const QString& message);
  void document_opened();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  QWidget* keyboard_view() const;
  void make_central();
  std::vector<Lab*> made_labs() const;  ///< of all documents
  LabContext make_context(HostedDocument& document);
  HostedDocument& add_document(HostedLab& hosted);
  HostedDocument& empty_document(HostedLab& hosted);
  void make(HostedDocument& document);
  void make_first(HostedLab& hosted);
  void ensure_made(HostedLab& hosted);
  void unmake(HostedDocument& document);
  void put_in_front(HostedDocument& document);
  void bring_forward(HostedDocument& document);
  void open_waiting(HostedDocument& document);
  void retire(HostedDocument& document);
  void end_retired();
  void show_shown_lab();
  void show_tabs();
  void fill_lab_menus();
  void show_title();
  void make_common_docks();
  void place_tabs(const HostedLab& hosted);
  QDockWidget* make_dock(const QString& name, const QString& title, QWidget* widget, Qt::DockWidgetArea area);
  void add_panels(HostedDocument& document);
  ParameterPanel* make_parameter_panel();
  void show_parameters();
  void make_menus();
  void make_tool_bar();
  void make_status_bar();
  void watch_jobs();
  void take_job(const jobs::JobStatus& status);
  void take_document(HostedDocument& document, const std::filesystem::path& path, const QString& title);
  void show_document_or_welcome();
  void keep_layout();
  std::vector<QDockWidget*> all_docks() const;
  void give_docks_room();
  void take_devices(const std::shared_ptr<dispatch::DevicePool>& devices);
  void restore_theme();
  void call_later(std::function<void()> call);
  void note_camera(scene::ViewWidget& view);
  void tell_failure(const QString& message);
  void show_error(HostedDocument& document, const QString& text, const std::string& channel = {});
  void set_status(HostedDocument& document, const QString& text);
  void keep_status_of_step(HostedDocument& document, int step);
  void expect_status_of(const std::string& command);
  HostedDocument& concerned_by(const jobs::JobStatus& job) const;
  bool perform(const std::string& name, const std::vector<std::string>& arguments);
  bool run_tick(const std::string& name, const std::vector<std::string>& arguments);
  /// Updates which actions are available and checked.
  void refresh();
  void refresh_soon();
  void tell_panels_seen();

  static constexpr int layout_version = 2;  // increment when docks change so that an old layout does not fit

  CommandRegistry commands_;
  commands::Recorder recorder_{commands_};
  std::string camera_before_;         ///< before a movement by hand
  jobs::Activity::Pointer starting_;  ///< null when a script waits for its end
  std::function<void(const jobs::Outcome& outcome)> started_;
  unsigned errors_ = 0;  ///< shown so far
  QUndoGroup undo_;
  std::shared_ptr<dispatch::DevicePool> devices_;
  std::unique_ptr<jobs::JobRunner> jobs_;
  std::vector<std::unique_ptr<HostedLab>> labs_;
  std::vector<std::unique_ptr<HostedDocument>> retired_;  ///< closed; destroyed when their jobs have ended
  HostedLab* shown_ = nullptr;
  HostedDocument* opening_ = nullptr;  ///< comes to the front when it is open
  std::unique_ptr<CommandActions> actions_;
  std::unique_ptr<SessionKeeper> sessions_;
  Theme theme_ = Theme::system;
  bool refresh_is_due_ = false;  ///< a call of `refresh` is queued

  DocumentTabs* tabs_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  WelcomePage* welcome_ = nullptr;
  Banner* error_ = nullptr;
  Banner* warning_ = nullptr;
  CommandPalette* palette_ = nullptr;
  ParameterPanel* parameters_ = nullptr;
  DevicesPanel* devices_panel_ = nullptr;
  JobIndicator* job_ = nullptr;
  QLabel* status_ = nullptr;
  QMenu* recent_menu_ = nullptr;
  QMenu* panels_menu_ = nullptr;
  QMenu* lab_menu_ = nullptr;               ///< menu of the shown lab
  std::vector<QDockWidget*> common_docks_;  ///< Parameters first
};

}  // namespace isolume::workbench
