#pragma once

#include <QObject>
#include <QPointer>
#include <QTemporaryDir>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "app/workbench/exports/movie_request.h"
#include "core/jobs/progress.h"
#include "core/parameters/description.h"

namespace isolume::workbench {

struct HostedDocument;

/// Films a document: it is brought to one time after the other, each when the previous picture has been
/// drawn, and one job encodes the pictures. When that job ends, finished or cancelled, the document is
/// restored. Owned by the window, and deletes itself at its end.
class MovieExport final : public QObject {
  Q_OBJECT
 public:
  /// Starts the job, which belongs to the caller's activity.
  MovieExport(HostedDocument& document, const MovieRequest& request, QObject* parent);

  std::uint64_t job() const { return job_; }

 Q_SIGNALS:
  /// Emitted with the number of frames in the movie so far.
  void advanced(int frames);
  void ended();

 private:
  /// The job's source of pictures. Outlives the object, as the job may.
  struct Feed {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::filesystem::path> pictures;
    std::string error;  ///< of the document: why there are no more pictures
  };

  bool goes_on() const { return view_ && !over_; }
  void begin();
  void film();
  void go_to(int frame);
  void draw();
  void take_picture();
  void follow(void (MovieExport::*next)(), const std::function<void()>& action);
  void give_up(const std::string& error);
  void end();
  static void encode(Feed& feed, const MovieRequest& request, const std::function<void(int)>& tell,
                     const std::function<void(const std::string&)>& tell_kept,
                     const jobs::Progress& progress);

  HostedDocument& document_;
  QPointer<QObject> view_;  ///< the document's view, which is destroyed with the document
  bool over_ = false;       ///< the job takes no more pictures
  MovieRequest request_;
  std::function<void(double)> go_;  ///< sets the lab's time
  double part_end_ = 1;             ///< position of the last frame: below 1 if the end equals the start
  std::function<void()> restore_;
  std::string kept_;  ///< what a cancelled movie leaves, for users
  QString written_;   ///< the finished movie, for users
  std::shared_ptr<Feed> feed_ = std::make_shared<Feed>();
  QTemporaryDir folder_;
  int frame_ = 0, encoded_ = 0;
  bool resting_ = false;  ///< until the job has taken some of the waiting pictures
  std::uint64_t job_ = 0;
};

}  // namespace isolume::workbench
