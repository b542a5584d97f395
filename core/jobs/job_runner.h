#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::jobs {

enum class JobState { waiting, running, finished, failed, cancelled };

/// Whether a user waits for a job. Background jobs are not shown while a user waits, and are not cancelled
/// with the others.
enum class Waited { by_a_person, by_nobody };

/// When a newer job of its channel replaces a job: at once, which cancels it if it is running; only while it
/// waits, so that whatever has begun is completed; or never, as if it had a channel of its own. Activities that
/// wait for a job that was replaced while it waited in the second way wait for the newer one instead.
enum class Replaced { at_once, before_it_begins, never };

/// Whether jobs of different channels run at the same time, or one job of all runs at a time, in the order of
/// submission.
enum class Channels { side_by_side, in_turn };

/// State of a job at one time.
struct JobStatus {
  std::uint64_t id = 0;
  std::string name;  ///< "Orbital 21 of benzene"
  std::string channel;
  Waited waited = Waited::by_a_person;
  Replaced replaced = Replaced::at_once;
  JobState state = JobState::waiting;
  double fraction = 0;
  std::string stage;
  double elapsed_seconds = 0;
  double remaining_seconds = -1;  ///< estimate from the progress so far; negative while unknown
  std::string error;              ///< for `failed`: one line for users
  std::uint64_t part = 0;         ///< the part of the runner that it was submitted to (JobRunner::part)
};

/// Runs jobs off the caller's thread. Jobs of one *channel* show the same picture: a newer one supersedes the
/// older ones of its channel (see Replaced) and starts when they have ended.
class JobRunner {
 public:
  using Work = std::function<void(const Progress&)>;
  /// Called on the job's thread at each change of state and at most every 50 ms for progress. Must not block.
  using Observer = std::function<void(const JobStatus&)>;

  explicit JobRunner(Channels channels = Channels::side_by_side);
  /// A part of `whole`, whose observers see its jobs, too. Its jobs and channels are separate from those of
  /// other parts. The whole must outlive its parts.
  explicit JobRunner(JobRunner& whole);
  /// Cancels all of its own jobs and waits for them.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Starts `work`; a job with an empty channel is never superseded. Returns the job's id. Exceptions of the
  /// work become the state `failed` with their text (`cancelled` for Cancelled) and are logged. The job
  /// belongs to the caller's activity (see Activity); if the job fails, so does the activity.
  std::uint64_t submit(std::string name, std::string channel, Work work, Waited waited = Waited::by_a_person,
                       Replaced replaced = Replaced::at_once);
  /// The caller's activity waits for this job, too, and thus a user if there is one. False if the job has ended
  /// or is cancelled.
  bool join(std::uint64_t id);
  void cancel(std::uint64_t id);
  void cancel_channel(const std::string& channel);
  void cancel_all();
  /// Waiting and running jobs, oldest first: for a part its own jobs, for the whole all jobs.
  std::vector<JobStatus> active() const;
  /// Blocks until no such job is waiting or running.
  void wait_idle();
  void observe(Observer observer);
  /// Number of the part; 0 for the whole.
  std::uint64_t part() const { return part_; }

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::uint64_t part_ = 0;
};

}  // namespace isolume::jobs
