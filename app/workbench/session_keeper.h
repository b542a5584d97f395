#pragma once

#include <QLockFile>
#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/sessions/session.h"

namespace isolume::workbench {

struct HostedDocument;
class MainWindow;

/// What the documents of a window show, as a session: saved and opened by the person, and kept in the
/// person's data folder while the program runs, so that nothing is lost when it ends otherwise than by being
/// closed.
class SessionKeeper : public QObject {
  Q_OBJECT
 public:
  explicit SessionKeeper(MainWindow& window);
  ~SessionKeeper() override;

  /// Why there is nothing to save; empty when there is.
  std::string nothing_to_save() const;
  /// As a job.
  void save(const std::filesystem::path& path);
  /// By what they are called in commands: "orbitals" for a lab's first document in the session, "orbitals.2"
  /// for its second.
  using Places = std::map<std::string, std::filesystem::path>;
  /// As a job; the documents take their states when they are open. `places` says where data are now; what is
  /// missing otherwise is asked for, and the job fails.
  void open(const std::filesystem::path& path, const Places& places = {});
  /// The document is open: now the rest of its session.
  void restore(HostedDocument& document);

  /// Looks (as a job) for the session of a run that did not end by itself, and offers it.
  void look_for_left();
  bool has_left() const { return !left_.empty(); }
  /// Opens it and takes it over.
  void restore_left();

  /// Soon: after a moment without further changes.
  void keep_soon();
  /// Keeps the session for another run, which `session.restore` gives it to, and calls `then`; closing the window does
  /// not make it go any more. Without open documents, there is nothing to keep.
  void leave(std::function<void()> then);
  /// The window is being closed: nothing has to be kept any more.
  void forget();

 private:
  std::function<sessions::Session()> capture();
  void keep();
  bool prepare_own_file();
  void begin(const sessions::Session& session, const std::vector<QString>& notes);
  void ask_for(const std::string& place, const std::filesystem::path& missing,
               const std::filesystem::path& session, Places places);

  struct References;

  MainWindow& window_;
  QTimer rest_;
  std::shared_ptr<References> references_;  ///< to the data that are open; hashed once
  std::filesystem::path own_;               ///< empty until something was kept
  std::unique_ptr<QLockFile> lock_;
  bool forgotten_ = false;
  bool leaves_ = false;  ///< what was kept stays
  std::filesystem::path left_;
  std::filesystem::path taken_;  ///< what another run left, when it is opened here
  std::unique_ptr<QLockFile> taken_lock_;
  bool restored_ = false;  ///< something of it: it goes when the window is closed
  QByteArray layout_;      ///< of the session that is being opened
};

}  // namespace isolume::workbench
