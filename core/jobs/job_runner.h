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

/// Whether somebody waits for a job: what goes on in the background is not shown while it does, and is not
/// cancelled with the rest.
enum class Waited { by_a_person, by_nobody };

/// A job as others see it, at one moment.
struct JobStatus {
  std::uint64_t id = 0;
  std::string name;  ///< "Orbital 21 of benzene"
  std::string channel;
  Waited waited = Waited::by_a_person;
  JobState state = JobState::waiting;
  double fraction = 0;
  std::string stage;
  double elapsed_seconds = 0;
  double remaining_seconds = -1;  ///< estimate from the progress so far; negative while unknown
  std::string error;              ///< for `failed`: one line for people
  std::uint64_t part = 0;         ///< of the runner that it was given to (JobRunner::part)
};

/// Runs jobs off the caller's thread. Jobs of one *channel* show the same picture: a newer one supersedes
/// (cancels) the older ones of its channel and starts when they have let go. Jobs of different channels run
/// side by side.
class JobRunner {
 public:
  using Work = std::function<void(const Progress&)>;
  /// Called on the job's thread at each change of state and at most every 50 ms for progress. Must not block.
  using Observer = std::function<void(const JobStatus&)>;

  JobRunner();
  /// A part of `whole`, whose observers hear of its jobs, too: what it was given is its own, as are its
  /// channels. The whole must not be destroyed before its parts.
  explicit JobRunner(JobRunner& whole);
  /// Cancels everything that is its own and waits for it.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Starts `work`; an empty channel is never superseded. Returns the job's id. Exceptions of the work become
  /// the state `failed` with their text (`cancelled` for Cancelled) and are logged. The job belongs to the
  /// caller's activity (see Activity), which its failure fails.
  std::uint64_t submit(std::string name, std::string channel, Work work, Waited waited = Waited::by_a_person);
  void cancel(std::uint64_t id);
  void cancel_channel(const std::string& channel);
  /// Waiting and running jobs, oldest first; of a part its own, of the whole all.
  std::vector<JobStatus> active() const;
  /// Blocks until none of these waits or runs.
  void wait_idle();
  void observe(Observer observer);
  /// Tells parts from each other; 0 for the whole.
  std::uint64_t part() const { return part_; }

 private:
  struct State;
  std::shared_ptr<State> state_;
  std::uint64_t part_ = 0;
};

}  // namespace isolume::jobs
