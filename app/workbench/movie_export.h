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

#include "app/workbench/movie_request.h"
#include "core/jobs/progress.h"
#include "core/parameters/description.h"

namespace isolume::workbench {

struct HostedDocument;

/// Films a document: it is brought to one moment after the other, each when the one before has been drawn, and one job
/// encodes the pictures. When that job ends, by itself or because it was cancelled, the document is again as it was.
/// Lives with the window, and deletes itself at its end.
class MovieExport final : public QObject {
  Q_OBJECT
 public:
  /// Starts the job, which belongs to the caller's activity.
  MovieExport(HostedDocument& document, const MovieRequest& request, QObject* parent);

  std::uint64_t job() const { return job_; }

 Q_SIGNALS:
  /// So many frames are in the movie.
  void advanced(int frames);
  void ended();

 private:
  /// What the job takes its pictures from. Outlives the object, as the job may.
  struct Feed {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::filesystem::path> pictures;
    std::string error;  ///< of the document: why no more come
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
  QPointer<QObject> view_;  ///< the document's, which is gone when the document is
  bool over_ = false;       ///< the job takes no pictures any more
  MovieRequest request_;
  std::function<void(double)> go_;  ///< of the lab's time
  double part_end_ = 1;             ///< of the last frame: below 1 where the end is the start
  std::function<void()> restore_;
  std::string kept_;  ///< what a cancelled movie leaves, for people
  std::shared_ptr<Feed> feed_ = std::make_shared<Feed>();
  QTemporaryDir folder_;
  int frame_ = 0, encoded_ = 0;
  bool resting_ = false;  ///< until the job has taken some of the pictures that wait for it
  std::uint64_t job_ = 0;
};

}  // namespace isolume::workbench
