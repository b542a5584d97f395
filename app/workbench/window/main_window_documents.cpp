// The documents of the labs in the main window: making, opening, showing and closing them.
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QPointer>
#include <QStackedWidget>
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/document_tabs.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/look/theme.h"
#include "app/workbench/parameters/parameter_panel.h"
#include "app/workbench/window/banner.h"
#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"
#include "core/base/freed_memory.h"
#include "core/base/suffix.h"

namespace isolume::workbench {
namespace {

constexpr int undo_steps = 1000;

std::set<std::string> names_of(const CommandRegistry& commands) {
  std::set<std::string> names;
  for (const Command* command : commands.all()) names.insert(command->name);
  return names;
}

bool works(const jobs::JobRunner& jobs) {
  return std::ranges::any_of(jobs.active(), [](const jobs::JobStatus& job) {
    return job.state == jobs::JobState::waiting || job.state == jobs::JobState::running;
  });
}

}  // namespace

QString HostedDocument::caption() const {
  if (has_document) return title;
  return where().empty() ? of.title() : QString::fromStdString(where().filename().string());
}

std::filesystem::path HostedDocument::where() const {
  if (has_document || !to_restore || !to_restore->session.data) return path;
  return to_restore->session.data->path;
}

const std::vector<Command>& HostedLab::declared() {
  if (!declared_) {
    declared_.emplace();
    for (const commands::Declaration& each : entry.description.commands) declared_->push_back({each});
  }
  return *declared_;
}

std::vector<HostedDocument*> HostedLab::open_documents() const {
  std::vector<HostedDocument*> open;
  for (const auto& document : documents) {
    if (document->counts()) open.push_back(document.get());
  }
  return open;
}

std::vector<Lab*> MainWindow::made_labs() const {
  std::vector<Lab*> made;
  for (const auto& hosted : labs_) {
    for (const auto& document : hosted->documents) {
      if (document->lab) made.push_back(document->lab.get());
    }
  }
  return made;
}

// Making.

LabContext MainWindow::make_context(HostedDocument& document) {
  const auto on_gui_thread = [this, alive = QPointer(document.view)](std::function<void()> action) {
    run_soon([alive, action = std::move(action)] {
      if (alive) action();
    });
  };
  return {
      .commands = commands_,
      .jobs = document.jobs,
      .undo = document.undo,
      .view = *document.view,
      .on_gui_thread = on_gui_thread,
      .show_status =
          [this, &document](const QString& text) {
            if (document.writes_frame) return;
            document.status_step = document.undo.index();
            ++document.statuses;
            using OfFile = HostedDocument::OfFile;
            document.status_of_file = document.status_of_file == OfFile::soon ? OfFile::yes : OfFile::no;
            set_status(document, text);
          },
      .show_warning = [this, &document](const QString& text) { show_warning(document, text); },
      .show_offer = [this, &document](const QString& title,
                                      const std::string& command) { show_offer(document, title, command); },
      .document_opened = [this, &document](const std::filesystem::path& path,
                                           const QString& title) { take_document(document, path, title); },
      .set_parameters = [&document](const QString& what,
                                    const auto& values) { document.history->set_texts(what, values); },
      .begin_gesture =
          [this, &document] {
            document.history->begin_gesture();
            recorder_.begin_gesture();
          },
      .end_gesture =
          [this, &document] {
            document.history->end_gesture();
            recorder_.end_gesture();
          },
      .parameters_changed =
          [this, &document] {
            if (&this->document() != &document) return;
            show_parameters();
            refresh_soon();
          },
      .refused =
          [this, &document](const std::string& key, const std::string& text) {
            document.history->take_back(key, text);
            if (&this->document() == &document) parameters_->refuse(key, text);
          },
      .availability_changed = [this] { refresh_soon(); },
      .state_changed = [this] { sessions_->keep_soon(); },
      .adopt_view = [this](scene::ViewWidget& view) { view.installEventFilter(this); },
      .restoring = [&document] { return document.restoring(); },
      .undoing = [&document] { return document.history && document.history->replays(); },
      .dark = [] { return dark_theme(); }};
}

void MainWindow::make(HostedDocument& document) {
  document.view = new scene::ViewWidget;
  document.view->setAccessibleName(tr("View"));
  document.view->installEventFilter(this);
  document.undo.setUndoLimit(undo_steps);
  undo_.addStack(&document.undo);
  connect(&document.undo, &QUndoStack::indexChanged, this,
          [this, &document](int step) { keep_status_of_step(document, step); });
  document.context = std::make_unique<LabContext>(make_context(document));
  commands_.collect(document.of.name(), document.bindings, [&] {
    commands_.declare(document.of.entry.description.commands);
    document.lab = document.of.entry.make(*document.context);
  });
  document.history = std::make_unique<ParameterHistory>(*document.lab, document.undo);
  document.page = document.lab->page();
  if (document.page == nullptr) document.page = document.view;
  if (document.page != document.view && !document.page->isAncestorOf(document.view)) {
    document.view->setParent(this);
    document.view->hide();
  }
  pages_->addWidget(document.page);
  add_panels(document);
  document.lab->theme_changed(dark_theme());
  if (devices_) document.lab->devices_found(devices_);
  document.lab->start();
}

/// The lab's first document, with the objects that its documents share.
void MainWindow::make_first(HostedLab& hosted) {
  const std::set<std::string> before = names_of(commands_);
  HostedDocument& document = add_document(hosted);
  hosted.front = &document;
  make(document);
  commands_.use(document.bindings);
  const std::string why = said(tr("It belongs to the %1 lab: run lab.show %2 first."),
                               hosted.title().toStdString(), hosted.name());
  for (const std::string& name : names_of(commands_)) {
    if (before.contains(name)) continue;
    commands_.set_out_of_reach(
        name, [this, &hosted, why]() -> std::string { return shown_ == &hosted ? std::string() : why; });
    hosted.commands.push_back(name);
  }
}

void MainWindow::ensure_made(HostedLab& hosted) {
  if (hosted.front != nullptr) return;
  keep_layout();
  make_first(hosted);
  show_document_or_welcome();
}

HostedDocument& MainWindow::add_document(HostedLab& hosted) {
  return *hosted.documents.emplace_back(std::make_unique<HostedDocument>(hosted, *jobs_));
}

/// A document in which nothing is open or being opened, as after a failure to open one.
HostedDocument& MainWindow::empty_document(HostedLab& hosted) {
  for (const auto& document : hosted.documents) {
    if (!document->counts() && !works(document->jobs)) return *document;
  }
  HostedDocument& document = add_document(hosted);
  make(document);
  return document;
}

/// The lab's scene is drawn in the view, so the view must outlive the lab.
void MainWindow::unmake(HostedDocument& document) {
  if (!document.lab) return;
  disconnect(&document.undo, nullptr, this, nullptr);
  document.undo.clear();
  for (QWidget* panel : document.panels) delete panel;
  if (document.page != document.view) {
    // The lab hears that its page loses the focus while the page is still whole.
    QWidget* const focus = QApplication::focusWidget();
    if (focus == document.page || document.page->isAncestorOf(focus)) focus->clearFocus();
    document.view->setParent(this);
    delete document.page;
  }
  document.lab.reset();
  delete document.view;
}

// Opening.

void MainWindow::open_file(const std::filesystem::path& path, Place place) {
  if (suffix_of(path) == sessions::suffix) return sessions_->open(path);
  const auto labs = labs_shown_first();
  const auto taker = std::find_if(labs.begin(), labs.end(), [&path](const HostedLab* hosted) {
    return hosted->entry.description.takes(path);
  });
  open_in(taker == labs.end() ? *shown_ : **taker, path, place);
}

void MainWindow::open_in(HostedLab& hosted, const std::filesystem::path& path, Place place) {
  show_error({});
  ensure_made(hosted);
  const bool beside = place == Place::beside && hosted.front->counts();
  HostedDocument& document = beside ? empty_document(hosted) : *hosted.front;
  opening_ = &document;
  if (!document.waits) document.to_restore.reset();  // a waiting one keeps it until the other opens
  document.lab->open(path);
}

void MainWindow::open_again(HostedLab& hosted, std::vector<ToRestore> documents, bool shown) {
  ensure_made(hosted);
  const auto chosen = std::ranges::find_if(documents, [](const auto& each) { return each.session.front; });
  const auto front = (chosen == documents.end() ? documents.begin() : chosen) - documents.begin();
  std::vector<HostedDocument*> others;
  for (const auto& document : hosted.documents) {
    if (document.get() != hosted.front) others.push_back(document.get());
  }
  for (HostedDocument* other : others) retire(*other);
  for (std::ptrdiff_t i = 0; i < std::ssize(documents); ++i) {
    if (i == front) continue;
    HostedDocument& waiting = add_document(hosted);
    waiting.waits = true;
    waiting.to_restore = std::move(documents[static_cast<std::size_t>(i)]);
  }
  std::rotate(hosted.documents.begin(), hosted.documents.begin() + 1, hosted.documents.begin() + front + 1);
  if (shown) opening_ = hosted.front;
  hosted.front->to_restore = std::move(documents[static_cast<std::size_t>(front)]);
  open_waiting(*hosted.front);
  show_tabs();
}

/// Opens it with its state in the session.
void MainWindow::open_waiting(HostedDocument& document) {
  const sessions::DocumentSession& session = document.to_restore->session;
  document.lab->open_again(session.data ? session.data->path : std::filesystem::path(), session.state);
}

void MainWindow::take_document(HostedDocument& document, const std::filesystem::path& path,
                               const QString& title) {
  document.undo.clear();
  document.saved.reset();
  document.was_settled = false;
  show_error({});
  set_status(document, {});  // clears the status of the previous document
  if (!path.empty()) {
    add_recent_file(QString::fromStdString(path.string()));
    show_recent_files();
  }
  document.path = path;
  document.of_session = document.restoring();
  document.title = title;
  document.waits = false;
  const bool first = !std::exchange(document.has_document, true);
  const bool wanted = opening_ == &document;
  if (wanted) opening_ = nullptr;  // keeps another document's request to come forward
  if (wanted && &this->document() != &document) {
    bring_forward(document);
  } else if (&this->document() == &document) {
    show_title();
    show_parameters();
    if (first) show_document_or_welcome();
    refresh();
  }
  show_tabs();
  // After the lab has shown it.
  if (document.to_restore)
    document.context->on_gui_thread([this, &document] { sessions_->restore(document); });
  Q_EMIT document_opened();
}

void MainWindow::set_status(HostedDocument& document, const QString& text) {
  document.status = text;
  if (&this->document() == &document) status_->setText(text);
}

/// Clears the status of an earlier written file before a command writes another one.
void MainWindow::expect_status_of(const std::string& command) {
  const Command* const found = commands_.find(command);
  const bool writes =
      found != nullptr &&
      std::ranges::any_of(std::array{"export", "save", "record", "copy"},
                          [&](std::string_view verb) { return command.find(verb) != std::string::npos; });
  HostedDocument& shown = document();
  if (writes && shown.status_of_file == HostedDocument::OfFile::no) {
    shown.status_before_file = shown.status;
    shown.step_before_file = shown.status_step;
  }
  if (writes && shown.status_of_file == HostedDocument::OfFile::yes) set_status(shown, {});
  if (writes) shown.status_of_file = HostedDocument::OfFile::soon;
}

/// A status describes a state: undoing a step removes the status reported for it. After a file was written, the next
/// step brings the state's status back.
void MainWindow::keep_status_of_step(HostedDocument& document, int step) {
  using OfFile = HostedDocument::OfFile;
  const bool told_by_command = document.statuses != document.statuses_before;
  if (told_by_command) {
    document.status_step = step;
    if (document.status_of_file == OfFile::yes) document.status_of_file = OfFile::no;
  } else if (document.status_of_file == OfFile::yes) {
    document.status_of_file = OfFile::no;
    document.status_step = document.step_before_file;
    set_status(document, document.status_step > step ? QString() : document.status_before_file);
  } else if (document.status_step > step) {
    set_status(document, {});
  }
}

void MainWindow::show_warning(HostedDocument& document, const QString& text) {
  document.warning = text;
  if (&this->document() == &document) warning_->set_text(text);
  show_offer(document, {}, {});
}

void MainWindow::show_offer(HostedDocument& document, const QString& title, const std::string& command) {
  document.offer = title;
  document.offer_command = command;
  if (&this->document() == &document) warning_->set_offer(title);
}

// Showing.

/// Makes the document the front one of its lab: commands act on it, and the docks hold its panels.
void MainWindow::put_in_front(HostedDocument& document) {
  HostedLab& hosted = document.of;
  if (hosted.front == &document) return;
  hosted.front = &document;
  commands_.use(document.bindings);
  for (std::size_t i = 0; i < hosted.docks.size(); ++i) hosted.docks[i]->setWidget(document.panels[i]);
  tell_panels_seen();
}

/// Soon, when they are where they belong.
void MainWindow::tell_panels_seen() {
  run_soon([this] {
    if (shown_ != nullptr && document().lab) lab().panels_seen();
  });
}

void MainWindow::bring_forward(HostedDocument& document) {
  if (!document.lab) make(document);
  if (&this->document() == &document) return;
  keep_layout();
  lab().shown_changed(false);
  put_in_front(document);
  shown_ = &document.of;
  show_shown_lab();
  document.lab->shown_changed(true);
  if (document.waits && !works(document.jobs)) open_waiting(document);
}

void MainWindow::show_document(HostedDocument& document) {
  opening_ = nullptr;
  bring_forward(document);
  sessions_->keep_soon();
}

void MainWindow::show_tabs() {
  std::vector<DocumentTabs::Tab> tabs;
  int shown = 0;
  for (const HostedDocument* each : shown_->open_documents()) {
    if (each == shown_->front) shown = static_cast<int>(tabs.size());
    tabs.push_back({each->caption(), each->where()});
  }
  tabs_->show_tabs(tabs, shown);
}

// Closing.

/// An empty document replaces the last one.
void MainWindow::close_document(HostedDocument& document) {
  HostedLab& hosted = document.of;
  if (hosted.front == &document) {
    const auto open = hosted.open_documents();
    const auto place = std::ranges::find(open, &document) - open.begin();
    const auto next = place + 1 < std::ssize(open) ? place + 1 : place - 1;
    bring_forward(next < 0 ? empty_document(hosted) : *open[static_cast<std::size_t>(next)]);
  }
  retire(document);
  show_tabs();
  refresh();
  sessions_->document_closed();
}

/// The document is hidden, and destroyed when its jobs have ended.
void MainWindow::retire(HostedDocument& document) {
  if (opening_ == &document) opening_ = nullptr;
  auto& documents = document.of.documents;
  const auto found =
      std::ranges::find_if(documents, [&](const auto& each) { return each.get() == &document; });
  retired_.push_back(std::move(*found));
  documents.erase(found);
  if (!document.lab) return end_retired();
  undo_.removeStack(&document.undo);
  for (const jobs::JobStatus& job : document.jobs.active()) document.jobs.cancel(job.id);
  call_later([this] { end_retired(); });
}

void MainWindow::end_retired() {
  const auto ended = std::erase_if(retired_, [this](const auto& document) {
    if (works(document->jobs)) return false;
    unmake(*document);
    return true;
  });
  if (ended == 0) return;
  // On another thread, since it takes longer than a frame.
  jobs_->submit(
      said(tr("Return memory to the system")), "memory.return",
      [](const jobs::Progress&) { return_freed_memory(); }, jobs::Waited::by_nobody);
}

}  // namespace isolume::workbench
