#include "core/jobs/job_runner.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "core/base/error_text.h"
#include "core/base/logging.h"
#include "core/jobs/activity.h"

namespace isolume::jobs {
namespace {

using Clock = std::chrono::steady_clock;

struct Job {
  JobStatus status;
  JobRunner::Work work;
  Activity::Pointer activity = Activity::current();
  bool over = false;  // its end has been announced; its activity may still have to be released
  std::stop_source stop;
  Clock::time_point started = Clock::now();
  Clock::time_point last_report{};
};

/// Estimates the total time from the completed part, once that is large enough.
double estimate_remaining(double elapsed, double fraction) {
  return fraction > 0.03 && elapsed > 0.2 ? elapsed * (1 - fraction) / fraction : -1;
}

}  // namespace

struct JobRunner::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::uint64_t, std::shared_ptr<Job>> jobs;  // by id, so oldest first
  std::deque<std::shared_ptr<Job>> ready;              // running, as soon as a thread takes them
  std::condition_variable_any readied;
  // As many as jobs ever ran at the same time. They are kept, since a busy machine lets a new thread wait for
  // milliseconds.
  std::vector<std::jthread> threads;
  std::size_t idle_threads = 0;
  std::vector<Observer> observers;
  Channels channels = Channels::side_by_side;
  std::uint64_t next_id = 1;
  std::uint64_t last_part = 0;
  bool closing = false;

  static bool same_channel(const JobStatus& a, const JobStatus& b) {
    return !a.channel.empty() && a.channel == b.channel && a.part == b.part;
  }
  bool must_wait(const JobStatus& wanted) const {
    return std::ranges::any_of(jobs, [&](const auto& entry) {
      const JobStatus& status = entry.second->status;
      return status.state == JobState::running &&
             (channels == Channels::in_turn || same_channel(status, wanted));
    });
  }
  /// Whether the job belongs to this part; every job belongs to the whole.
  static bool within(const Job& job, std::uint64_t part) { return part == 0 || job.status.part == part; }
  bool idle(std::uint64_t part) const {
    return std::ranges::none_of(jobs, [&](const auto& entry) { return within(*entry.second, part); });
  }

  void announce(const JobStatus& status) const {
    std::vector<Observer> called;
    {
      const std::scoped_lock lock(mutex);
      called = observers;
    }
    for (const auto& observer : called) observer(status);
  }

  void start_ready();
  void serve(const std::stop_token& ended);
  void run(const std::shared_ptr<Job>& job);
  void finish(const std::shared_ptr<Job>& job, JobState state, std::string error);
  void report(Job& job, double fraction, std::string_view stage);
};

/// Starts every waiting job that need not wait for another one. Caller holds the mutex.
void JobRunner::State::start_ready() {
  for (auto& [id, job] : jobs) {
    if (job->status.state != JobState::waiting || must_wait(job->status)) continue;
    job->status.state = JobState::running;
    job->started = Clock::now();
    ready.push_back(job);
    if (ready.size() > idle_threads) {
      threads.emplace_back([this](const std::stop_token& ended) { serve(ended); });
    } else {
      readied.notify_one();
    }
  }
}

void JobRunner::State::serve(const std::stop_token& ended) {
  std::unique_lock lock(mutex);
  for (;;) {
    ++idle_threads;
    if (!closing) start_ready();
    const bool any = readied.wait(lock, ended, [this] { return !ready.empty(); });
    --idle_threads;
    if (!any) return;
    const std::shared_ptr<Job> job = std::move(ready.front());
    ready.pop_front();
    lock.unlock();
    run(job);
    lock.lock();
    jobs.erase(job->status.id);
    changed.notify_all();
  }
}

void JobRunner::State::run(const std::shared_ptr<Job>& job) {
  JobStatus begun;
  Activity::Pointer activity;
  {
    const std::scoped_lock lock(mutex);
    begun = job->status;
    activity = job->activity;
  }
  const Activity::Scope scope(std::move(activity));
  announce(begun);
  JobState end = JobState::finished;
  std::string error;
  try {
    const Progress progress(job->stop.get_token(), [this, job](double fraction, std::string_view stage) {
      report(*job, fraction, stage);
    });
    progress.check();
    job->work(progress);
  } catch (const Cancelled&) {
    end = JobState::cancelled;
  } catch (const std::bad_alloc&) {
    end = JobState::failed;
    error = job->status.name + ": the machine ran out of memory. Close other programs or ask for less.";
  } catch (const std::exception& problem) {
    end = JobState::failed;
    error = error_text(problem);
  }
  finish(job, end, std::move(error));
}

void JobRunner::State::finish(const std::shared_ptr<Job>& job, JobState state, std::string error) {
  job->work = nullptr;  // released before observers learn of the end
  JobStatus status;
  Activity::Pointer activity;
  {
    const std::scoped_lock lock(mutex);
    job->status.state = state;
    job->status.error = std::move(error);
    job->status.elapsed_seconds = seconds_since(job->started);
    if (state == JobState::finished) job->status.fraction = 1;
    status = job->status;
    activity = std::move(job->activity);
  }
  if (state == JobState::failed) {
    log::error("{}", status.error);
    if (activity) activity->fail(status.error);
  }
  announce(status);
  const std::scoped_lock lock(mutex);
  job->over = true;
}

void JobRunner::State::report(Job& job, double fraction, std::string_view stage) {
  JobStatus status;
  {
    const std::scoped_lock lock(mutex);
    const bool new_stage = !stage.empty() && stage != job.status.stage;
    job.status.fraction = fraction;
    if (new_stage) job.status.stage = stage;
    if (!new_stage && seconds_since(job.last_report) < 0.05) return;
    job.last_report = Clock::now();
    job.status.elapsed_seconds = seconds_since(job.started);
    job.status.remaining_seconds = estimate_remaining(job.status.elapsed_seconds, fraction);
    status = job.status;
  }
  announce(status);
}

JobRunner::JobRunner(Channels channels) : state_(std::make_shared<State>()) {
  state_->channels = channels;
}

JobRunner::JobRunner(JobRunner& whole) : state_(whole.state_) {
  const std::scoped_lock lock(state_->mutex);
  part_ = ++state_->last_part;
}

JobRunner::~JobRunner() {
  std::vector<std::shared_ptr<Job>> dropped;
  {
    std::unique_lock lock(state_->mutex);
    for (auto& [id, job] : state_->jobs) {
      if (State::within(*job, part_)) job->stop.request_stop();
    }
    if (part_ == 0) state_->closing = true;
    std::erase_if(state_->jobs, [&](const auto& entry) {
      if (entry.second->status.state != JobState::waiting || !State::within(*entry.second, part_))
        return false;
      entry.second->status.state = JobState::cancelled;
      dropped.push_back(entry.second);
      return true;
    });
    state_->changed.wait(lock, [&] { return state_->idle(part_); });
  }
  if (part_ == 0) {  // its observers may no longer exist
    state_->threads.clear();
    return;
  }
  for (const auto& each : dropped) state_->announce(each->status);
}

std::uint64_t JobRunner::submit(std::string name, std::string channel, Work work, Waited waited,
                                Replaced replaced) {
  auto job = std::make_shared<Job>();
  job->status.waited = waited;
  job->status.replaced = replaced;
  job->status.part = part_;
  job->status.name = std::move(name);
  job->status.channel = std::move(channel);
  job->work = std::move(work);

  std::vector<std::shared_ptr<Job>> superseded;  // released without the mutex: an activity may end with one
  JobStatus status;
  {
    const std::scoped_lock lock(state_->mutex);
    job->status.id = state_->next_id++;
    if (!job->status.channel.empty()) {
      std::erase_if(state_->jobs, [&](const auto& entry) {
        auto& older = *entry.second;
        if (older.status.replaced == Replaced::never || !State::same_channel(older.status, job->status))
          return false;
        if (older.status.replaced == Replaced::at_once) older.stop.request_stop();
        if (older.status.state != JobState::waiting) return false;
        older.status.state = JobState::cancelled;
        if (older.status.replaced == Replaced::before_it_begins)
          job->activity = Activity::joined(older.activity, std::move(job->activity));
        superseded.push_back(entry.second);
        return true;
      });
    }
    status = job->status;
    state_->jobs.emplace(status.id, job);
    state_->start_ready();
  }
  for (const auto& each : superseded) state_->announce(each->status);
  return status.id;
}

bool JobRunner::join(std::uint64_t id) {
  const std::scoped_lock lock(state_->mutex);
  const auto found = state_->jobs.find(id);
  if (found == state_->jobs.end()) return false;
  Job& job = *found->second;
  const bool has_ended = job.status.state != JobState::waiting && job.status.state != JobState::running;
  if (has_ended || job.stop.stop_requested()) return false;
  job.activity = Activity::joined(std::move(job.activity), Activity::current());
  if (Activity::current()) job.status.waited = Waited::by_a_person;
  return true;
}

void JobRunner::cancel(std::uint64_t id) {
  std::shared_ptr<Job> dropped;
  {
    const std::scoped_lock lock(state_->mutex);
    const auto found = state_->jobs.find(id);
    if (found == state_->jobs.end()) return;
    found->second->stop.request_stop();
    if (found->second->status.state != JobState::waiting) return;
    found->second->status.state = JobState::cancelled;
    dropped = found->second;
    state_->jobs.erase(found);
    state_->changed.notify_all();
  }
  state_->announce(dropped->status);
}

void JobRunner::cancel_channel(const std::string& channel) {
  for (const auto& status : active()) {
    if (status.channel == channel) cancel(status.id);
  }
}

void JobRunner::cancel_all() {
  for (const auto& status : active()) cancel(status.id);
}

std::vector<JobStatus> JobRunner::active() const {
  const std::scoped_lock lock(state_->mutex);
  std::vector<JobStatus> all;
  for (const auto& [id, job] : state_->jobs) {
    if (!State::within(*job, part_) || job->over) continue;
    all.push_back(job->status);
    if (job->status.state == JobState::running) all.back().elapsed_seconds = seconds_since(job->started);
  }
  return all;
}

void JobRunner::wait_idle() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->idle(part_); });
}

void JobRunner::observe(Observer observer) {
  const std::scoped_lock lock(state_->mutex);
  state_->observers.push_back(std::move(observer));
}

}  // namespace isolume::jobs
