#pragma once

#include <QLockFile>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/sessions/session.h"

class QWidget;

namespace isolume::workbench {

struct HostedDocument;
class MainWindow;

/// The documents of a window as a session: saved and opened by the user, and saved in the user's data folder
/// while the program runs, so that nothing is lost however the program ends.
class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  explicit SessionKeeper(MainWindow& window);
  ~SessionKeeper() override;

  /// Why there is nothing to save; empty if there is.
  std::string nothing_to_save() const;
  /// Saves in a job.
  void save(const std::filesystem::path& path);
  /// The session file that was saved or opened last; empty if there is none, or all documents were closed since.
  const std::filesystem::path& file() const { return file_; }
  /// By the names of documents in commands: "orbitals" for a lab's first document in the session,
  /// "orbitals.2" for its second.
  using Places = std::map<std::string, std::filesystem::path>;
  /// Opens in a job; the documents restore their states when they are open. `places` gives the present paths
  /// of data; for other missing data the user is asked, and the job fails.
  void open(const std::filesystem::path& path, const Places& places = {});
  /// Restores the rest of the session when the document is open.
  void restore(HostedDocument& document);

  /// Searches (in a job) for the session that another run left, and offers it.
  void look_for_left();
  bool has_left() const { return !left_.empty(); }
  /// Opens that session and takes it over.
  void restore_left();

  /// Saves after a moment without further changes.
  void keep_soon();
  /// The same; without documents, the session has no file any more.
  void document_closed();
  /// Keeps the session for another run, which restores it with `session.restore`, and calls `then`; closing
  /// the window no longer deletes it. Without open documents, there is nothing to keep.
  void leave(std::function<void()> then);
  /// Deletes the session when the window is closed: for runs by script, which save what they need.
  void forget();
  /// The window is being closed: if a document differs from how it was opened or saved, the session is kept for the next
  /// start.
  void close();
  /// Whether all documents are known to be as they were opened or saved; waits for their states.
  bool unchanged() { return is_saved(capture()()); }
  /// Writes what `close` keeps, in place of the session of the window closed before. Call it when no job runs.
  void finish();

 private:
  std::function<sessions::Session()> capture();
  std::vector<HostedDocument*> documents() const;
  using Pages = std::vector<QPointer<QWidget>>;
  Pages pages(bool all) const;
  void take_as_saved(const sessions::Session& session, const Pages& pages);
  bool is_saved(const sessions::Session& session) const;
  void keep();
  bool prepare_own_file();
  void begin(const sessions::Session& session, const std::vector<QString>& notes);
  void ask_for(const std::string& place, const std::filesystem::path& missing,
               const std::filesystem::path& session, Places places);

  struct References;

  MainWindow& window_;
  QTimer rest_;
  std::shared_ptr<References> references_;  ///< to the open data; hashed once
  std::filesystem::path own_;               ///< empty until something was saved
  std::unique_ptr<QLockFile> lock_;
  bool forgotten_ = false;
  bool leaves_ = false;                      ///< whether the saved session is kept for another run
  std::function<sessions::Session()> last_;  ///< the session of the closed window, if it is kept
  std::filesystem::path file_;
  bool changed_ = false;  ///< since `keep`
  std::filesystem::path left_;
  std::filesystem::path taken_;  ///< the session of another run, if it was opened here
  std::unique_ptr<QLockFile> taken_lock_;
  bool restored_ = false;  ///< whether any of it was restored: it is deleted when the window is closed
  QByteArray layout_;      ///< of the session that is being opened
};

}  // namespace isolume::workbench
