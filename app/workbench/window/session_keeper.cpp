#include "app/workbench/window/session_keeper.h"

#include <QFileInfo>
#include <QStandardPaths>
#include <QUuid>
#include <algorithm>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/hosted_lab.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/window/main_window.h"
#include "core/base/error_text.h"
#include "core/base/logging.h"

namespace isolume::workbench {
namespace {

namespace fs = std::filesystem;

constexpr int rest_ms = 250;
constexpr std::size_t most_left = 5;       ///< older ones are deleted
constexpr const char* closed = ".closed";  ///< precedes the suffix where the window was closed as usual

fs::path folder() {
  return fs::path(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
         "sessions";
}

std::unique_ptr<QLockFile> lock_of(fs::path session) {
  session += ".lock";
  auto lock = std::make_unique<QLockFile>(QString::fromStdString(session.string()));
  lock->setStaleLockTime(0);  // held as long as its program runs
  return lock;
}

/// The sessions that no running program holds, newest first.
std::vector<fs::path> sessions_left() {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code failed;
  for (fs::directory_iterator entry(folder(), failed), end; !failed && entry != end;
       entry.increment(failed)) {
    if (entry->path().extension() != sessions::suffix) continue;
    std::error_code vanished;
    const auto time = entry->last_write_time(vanished);
    if (!vanished && lock_of(entry->path())->tryLock(0)) found.emplace_back(time, entry->path());
  }
  std::ranges::sort(found, std::greater());
  std::vector<fs::path> paths;
  for (auto& [time, path] : found) paths.push_back(std::move(path));
  for (std::size_t i = most_left; i < paths.size(); ++i) fs::remove(paths[i], failed);
  paths.resize(std::min(paths.size(), most_left));
  return paths;
}

/// Whether its window was closed as usual.
bool is_of_closed(const fs::path& session) {
  return session.stem().extension() == closed;
}

/// "What was open: benzene.fchk.gz, ct-abdomen, 29/11/2026 21:40"
QString described(const sessions::Session& session, const fs::path& path) {
  constexpr int most_names = 3;
  QStringList names;
  for (const auto& document : session.documents) {
    names += QString::fromStdString(document.data ? document.data->path.filename().string() : document.lab);
  }
  if (const auto others = names.size() - most_names; others > 0) {
    names = names.mid(0, most_names);
    names += QObject::tr("%n more", "", static_cast<int>(others));
  }
  const QString when = QLocale().toString(QFileInfo(QString::fromStdString(path.string())).lastModified(),
                                          QLocale::ShortFormat);
  const QString what = QObject::tr("%1, %2").arg(names.join(", "), when);
  return is_of_closed(path) ? QObject::tr("What was open when Isolume was closed: %1").arg(what)
                            : QObject::tr("Isolume ended unexpectedly. What was open: %1").arg(what);
}

/// Refused parameters keep their values, and are reported if `warnings` are wanted.
void set_one_by_one(ParameterHistory& history, const std::vector<std::pair<std::string, std::string>>& values,
                    QStringList* warnings) {
  for (const auto& [key, text] : values) {
    try {
      history.set_text(key, text);
    } catch (const std::exception& error) {
      if (warnings == nullptr) continue;
      *warnings += QObject::tr("%1 could not be set to %2: %3")
                       .arg(QString::fromStdString(key), QString::fromStdString(text),
                            QString::fromStdString(error_text(error)));
    }
  }
}

/// Sets the parameters that can be set, and reports the rest.
void set_parameters(HostedDocument& document, const sessions::DocumentSession& session,
                    QStringList& warnings) {
  const parameters::ParameterSet* set = document.lab->parameters();
  if (set == nullptr) return;
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [stored_key, text] : session.parameters) {
    const std::string key = set->key_of_session(stored_key);
    try {
      const auto description = set->description(key);
      parameters::validated(description, parameters::parse(description, text));
      values.emplace_back(key, text);
    } catch (const Error& error) {
      warnings += QString::fromUtf8(error.what());
    }
  }
  // Twice, since setting one parameter may change an earlier one.
  for (const bool last : {false, true}) {
    try {
      document.history->set_texts(QObject::tr("Open session"), values);
    } catch (const std::exception&) {
      set_one_by_one(*document.history, values, last ? &warnings : nullptr);
    }
  }
}

sessions::DocumentSession session_of(const HostedDocument& document) {
  sessions::DocumentSession session{.lab = document.of.name()};
  if (!document.path.empty()) session.data = sessions::DataReference{.path = fs::absolute(document.path)};
  if (const auto* set = document.lab->parameters()) {
    for (const auto& each : set->descriptions())
      session.parameters.emplace_back(each.key, parameters::to_text(set->get(each.key)));
  }
  session.camera = scene::camera_text(*document.view->renderer());
  return session;
}

/// Whether everything that opening it brings along has been computed and shown.
bool is_settled(const HostedDocument& document) {
  return document.has_document && !document.waits && !document.to_restore && document.jobs.active().empty() &&
         !document.lab->busy() && !document.lab->waits();
}

/// Until its state is known, or a person has changed it before.
bool is_being_opened(const HostedDocument& document) {
  return !document.waits && !document.saved && (document.undo.count() == 0 || document.of_session);
}

bool is_same(const sessions::DocumentSession& one, const sessions::DocumentSession& other) {
  return one.parameters == other.parameters && one.camera == other.camera && one.state == other.state;
}

/// The names of the session's documents in commands.
std::vector<std::string> places_in(const sessions::Session& session) {
  std::map<std::string, int> counts;
  std::vector<std::string> names;
  for (const auto& document : session.documents) {
    const int number = ++counts[document.lab];
    names.push_back(number == 1 ? document.lab : fmt::format("{}.{}", document.lab, number));
  }
  return names;
}

}  // namespace

/// References by path, computed on first use.
struct SessionKeeper::References {
  sessions::DataReference of(const fs::path& path) {
    const std::lock_guard guard(mutex);
    if (const auto known = made.find(path); known != made.end()) return known->second;
    try {
      return made[path] = sessions::reference_to(path);
    } catch (const Error&) {
      return {.path = path};  // deleted since it was opened; the session keeps its path
    }
  }
  std::mutex mutex;
  std::map<fs::path, sessions::DataReference> made;
};

SessionKeeper::SessionKeeper(MainWindow& window)
    : window_(window), references_(std::make_shared<References>()) {
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &SessionKeeper::keep);
  // The file may have changed since it was opened last.
  connect(&window, &MainWindow::document_opened, this,
          [this] { references_ = std::make_shared<References>(); });
}

SessionKeeper::~SessionKeeper() {
  std::error_code failed;
  if (forgotten_ && !leaves_ && !own_.empty()) fs::remove(own_, failed);
  if (forgotten_ && restored_) fs::remove(taken_, failed);
}

std::string SessionKeeper::nothing_to_save() const {
  const bool any = std::ranges::any_of(window_.labs(),
                                       [](const auto& hosted) { return !hosted->open_documents().empty(); });
  return any ? std::string() : said(QObject::tr("Open a file first."));
}

/// In the order of a session.
std::vector<HostedDocument*> SessionKeeper::documents() const {
  std::vector<HostedDocument*> all;
  for (const auto& hosted : window_.labs())
    std::ranges::copy(hosted->open_documents(), std::back_inserter(all));
  return all;
}

/// A waiting document is saved as waiting.
std::function<sessions::Session()> SessionKeeper::capture() {
  sessions::Session session{.shown = window_.shown().name(), .documents = {}, .layout = {}};
  session.layout = window_.layout().toStdString();
  std::vector<std::function<nlohmann::json()>> states;
  for (const HostedDocument* document : documents()) {
    session.documents.push_back(document->waits ? document->to_restore->session : session_of(*document));
    session.documents.back().front = document == document->of.front;
    states.push_back(document->waits ? nullptr : document->lab->state());
  }
  return [session, states, references = references_]() mutable {
    for (std::size_t i = 0; i < states.size(); ++i) {
      auto& document = session.documents[i];
      if (states[i]) document.state = states[i]();
      if (document.data) document.data = references->of(document.data->path);
    }
    return session;
  };
}

// Saving.

void SessionKeeper::save(const fs::path& path) {
  window_.jobs().submit(
      said(QObject::tr("Save %1"), path.filename().string()), "session.save",
      [this, path, complete = capture(), pages = pages(true)](const jobs::Progress& progress) {
        const sessions::Session session = complete();
        progress.check();
        sessions::write_session(session, path);
        window_.run_soon([this, path, session, pages] {
          file_ = path;
          take_as_saved(session, pages);
          add_recent_file(QString::fromStdString(path.string()));
          window_.show_recent_files();
          window_.show_status(tr("Saved %1").arg(QString::fromStdString(path.string())));
        });
      });
}

/// The page of each document, or null where its present state does not count as saved: where it waits, and, unless
/// `all` are written to a file, where it is not just opened.
SessionKeeper::Pages SessionKeeper::pages(bool all) const {
  Pages pages;
  for (const HostedDocument* each : documents()) {
    const bool is_new = each->was_settled && is_being_opened(*each) && is_settled(*each);
    pages.emplace_back(!each->waits && (all || is_new) ? each->page : nullptr);
  }
  return pages;
}

void SessionKeeper::take_as_saved(const sessions::Session& session, const Pages& pages) {
  for (HostedDocument* document : documents()) {
    const auto page = std::find(pages.begin(), pages.end(), document->page);
    if (!document->waits && page != pages.end())
      document->saved = session.documents[static_cast<std::size_t>(page - pages.begin())];
  }
}

bool SessionKeeper::is_saved(const sessions::Session& session) const {
  const auto open = documents();
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto& saved = open[i]->saved;
    if (!open[i]->waits && !(saved && is_same(*saved, session.documents[i]))) return false;
  }
  return true;
}

void SessionKeeper::keep_soon() {
  changed_ = true;
  if (!forgotten_) rest_.start();
}

void SessionKeeper::document_closed() {
  if (!nothing_to_save().empty()) file_.clear();
  keep_soon();
}

void SessionKeeper::keep() {
  if (!nothing_to_save().empty()) {
    std::error_code failed;
    if (!own_.empty()) fs::remove(own_, failed);  // all documents were closed
    return;
  }
  if (!prepare_own_file()) return;
  const Pages opened = pages(false);
  for (HostedDocument* document : documents()) {
    document->was_settled = is_settled(*document);  // what a job has computed is shown a moment later
    if (is_being_opened(*document)) rest_.start();
  }
  const bool is_opened = std::ranges::any_of(opened, [](const auto& page) { return !page.isNull(); });
  if (!std::exchange(changed_, false) && !is_opened) return;
  window_.jobs().submit(
      said(QObject::tr("Autosave the session")), "session.keep",
      [this, complete = capture(), path = own_, opened](const jobs::Progress& progress) {
        const sessions::Session session = complete();
        progress.check();
        sessions::write_session(session, path, AtomicFile::Readers::owner);
        window_.run_soon([this, session, opened] { take_as_saved(session, opened); });
      },
      jobs::Waited::by_nobody);
}

bool SessionKeeper::prepare_own_file() {
  if (!own_.empty()) return true;
  std::error_code failed;
  make_private_folder(folder(), failed);
  const std::string id = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
  const fs::path path = folder() / (id + std::string(sessions::suffix));
  lock_ = lock_of(path);
  if (!lock_->tryLock(0)) {
    log::warning("Autosave of the session is off: {} is not writable.", folder().string());
    forgotten_ = true;
    return false;
  }
  own_ = path;
  return true;
}

void SessionKeeper::leave(std::function<void()> then) {
  rest_.stop();
  if (!nothing_to_save().empty() || !prepare_own_file()) return then();
  window_.jobs().submit(said(QObject::tr("Autosave the session")), "session.keep",
                        [this, complete = capture(), path = own_, then](const jobs::Progress& progress) {
                          const sessions::Session session = complete();
                          progress.check();
                          sessions::write_session(session, path, AtomicFile::Readers::owner);
                          window_.run_soon([this, then] {
                            leaves_ = true;
                            lock_.reset();
                            then();
                          });
                        });
}

void SessionKeeper::forget() {
  forgotten_ = true;
  rest_.stop();
}

void SessionKeeper::close() {
  if (!forgotten_ && !leaves_ && nothing_to_save().empty() && prepare_own_file()) last_ = capture();
  forget();
}

void SessionKeeper::finish() {
  if (!last_) return;
  try {
    const sessions::Session session = last_();
    if (is_saved(session) && !restored_) return;  // what another run left is in no other file
    leaves_ = true;                               // also what was kept before, if this cannot be written
    sessions::write_session(session, own_, AtomicFile::Readers::owner);
    const fs::path kept = fs::path(own_).replace_extension(closed + std::string(sessions::suffix));
    fs::rename(own_, kept);
    for (const fs::path& path : sessions_left()) {
      if (is_of_closed(path) && path != kept) fs::remove(path);
    }
  } catch (const std::exception& error) {
    log::error("The session could not be kept: {}", error_text(error));
    restored_ = false;
  }
}

// Opening.

void SessionKeeper::open(const fs::path& path, const Places& places) {
  window_.jobs().submit(said(QObject::tr("Open %1"), path.filename().string()), "session.open",
                        [this, path, places](const jobs::Progress& progress) {
                          sessions::Session session = sessions::read_session(path);
                          const std::vector<std::string> names = places_in(session);
                          std::vector<QString> notes(names.size());
                          for (std::size_t i = 0; i < names.size(); ++i) {
                            progress.check();
                            auto& data = session.documents[i].data;
                            if (!data) continue;
                            if (const auto place = places.find(names[i]); place != places.end()) {
                              data->path = fs::absolute(place->second);
                              continue;
                            }
                            const auto located = sessions::locate(*data, path);
                            if (located.found == sessions::Found::missing) {
                              window_.run_soon([this, name = names[i], missing = located.path, path, places] {
                                ask_for(name, missing, path, places);
                              });
                              throw Error(said(QObject::tr("%1 refers to %2, which was not found. Locate the "
                                                           "file, or run: session.open %3 %4=PATH"),
                                               path.filename().string(), located.path.string(),
                                               commands::quote(path.string()), names[i]));
                            }
                            if (located.found == sessions::Found::changed) {
                              notes[i] = tr("%1 has changed since the session was saved.")
                                             .arg(QString::fromStdString(located.path.string()));
                            }
                            data->path = located.path;
                          }
                          if (!session.remarks.empty() && !notes.empty()) {
                            const QString remarks = QString::fromStdString(session.remarks.text());
                            notes.front() =
                                notes.front().isEmpty() ? remarks : notes.front() + '\n' + remarks;
                          }
                          window_.run_soon([this, session, path, notes] {
                            begin(session, notes);
                            if (path.extension() == sessions::suffix && path != taken_) file_ = path;
                            if (path != taken_) {
                              add_recent_file(QString::fromStdString(path.string()));
                              window_.show_recent_files();
                            }
                          });
                        });
}

/// The shown lab comes last and takes the focus.
void SessionKeeper::begin(const sessions::Session& session, const std::vector<QString>& notes) {
  layout_ = QByteArray::fromStdString(session.layout);
  std::map<std::string, std::vector<ToRestore>> by_lab;
  for (std::size_t i = 0; i < notes.size(); ++i)
    by_lab[session.documents[i].lab].push_back({session.documents[i], notes[i]});
  auto shown = by_lab.extract(session.shown);
  QStringList unknown;
  const auto open = [&](const std::string& name, std::vector<ToRestore> documents) {
    const auto& labs = window_.labs();
    const auto hosted = std::ranges::find_if(labs, [&](const auto& each) { return each->name() == name; });
    if (hosted == labs.end()) {
      unknown += QString::fromStdString(name);
    } else {
      window_.open_again(**hosted, std::move(documents), name == session.shown);
    }
  };
  for (auto& [name, documents] : by_lab) open(name, std::move(documents));
  if (!shown.empty()) open(shown.key(), std::move(shown.mapped()));
  if (!unknown.isEmpty()) {
    throw Error(tr("The session also uses labs that this program does not have: %1.")
                    .arg(unknown.join(", "))
                    .toStdString());
  }
}

void SessionKeeper::restore(HostedDocument& document) {
  if (!document.to_restore) return;  // another document was opened meanwhile
  const struct Restoring {
    HostedDocument& document;
    ~Restoring() { document.to_restore.reset(); }
  } restoring{document};
  const auto [session, note] = *document.to_restore;
  QStringList warnings;
  if (!document.restoring()) return;  // its own data could not be opened
  restored_ = !taken_.empty();
  set_parameters(document, session, warnings);
  try {
    if (!session.camera.empty()) scene::set_camera(*document.view->renderer(), session.camera);
    document.lab->restore(session.state);
  } catch (const Error& error) {
    warnings += QString::fromUtf8(error.what());
  } catch (const nlohmann::json::exception& error) {
    warnings += tr("The session's state of this lab could not be read: %1")
                    .arg(QString::fromStdString(error_text(error)));
  }
  document.undo.clear();
  document.view->request_render();
  if (&document == &window_.document() && !layout_.isEmpty()) window_.set_layout(std::exchange(layout_, {}));
  document.context->parameters_changed();
  if (!warnings.isEmpty()) warnings.prepend(tr("Some of the session could not be restored."));
  if (!note.isEmpty()) warnings.prepend(note);
  if (!warnings.isEmpty()) window_.show_warning(document, warnings.join("\n"));
}

void SessionKeeper::ask_for(const std::string& place, const fs::path& missing, const fs::path& session,
                            Places places) {
  ask_for_file(window_, tr("Where is %1?").arg(QString::fromStdString(missing.filename().string())), {},
               folder_key, missing.has_extension() ? Wanted::file : Wanted::folder,
               [this, session, places, place](const std::string& chosen) {
                 std::vector<std::string> arguments{session.string(), place + "=" + chosen};
                 for (const auto& [other, path] : places) arguments.push_back(other + "=" + path.string());
                 window_.run("session.open", arguments);
               });
}

// Sessions of other runs.

void SessionKeeper::look_for_left() {
  window_.jobs().submit(
      said(QObject::tr("Look for a session")), "session.left",
      [this](const jobs::Progress&) {
        for (const fs::path& path : sessions_left()) {
          try {
            const QString text = described(sessions::read_session(path), path);
            window_.run_soon([this, path, text] {
              left_ = path;
              window_.offer_left_session(text);
            });
            return;
          } catch (const Error& error) {
            log::warning("{}", error.what());  // tries the next one
          }
        }
      },
      jobs::Waited::by_nobody);
}

void SessionKeeper::restore_left() {
  const fs::path path = std::exchange(left_, {});
  auto lock = lock_of(path);
  if (!lock->tryLock(0)) throw Error(said(QObject::tr("Another window has already restored that session.")));
  // It stays unchanged until it has been restored and the window is closed: its data may be missing now.
  taken_ = path;
  taken_lock_ = std::move(lock);
  window_.offer_left_session({});
  open(path);
}

}  // namespace isolume::workbench

#include "moc_session_keeper.cpp"
