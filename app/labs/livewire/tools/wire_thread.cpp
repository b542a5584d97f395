#include "app/labs/livewire/tools/wire_thread.h"

#include <QObject>
#include <algorithm>
#include <new>
#include <utility>

#include "app/workbench/contract/translated.h"
#include "core/base/error.h"
#include "core/base/error_text.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

namespace {

/// Grounds beyond this are let go of; a slice of 4096 x 4096 takes some 350 MiB.
constexpr std::size_t kept_bytes = std::size_t{1} << 30;

}  // namespace

std::size_t Ground::bytes() const {
  return sizeof(float) * (slice.values.size() + features.gradient.size() + features.gradient_x.size() +
                          features.gradient_y.size() + features.laplacian.size()) +
         sizeof(std::uint16_t) * (grid->node.size() + grid->arcs.size());
}

namespace {

Ground without_costs(const WireProblem& problem, images::SliceId slice, const jobs::Progress& progress) {
  Ground ground;
  ground.slice = images::extract_slice(problem.image->volume, slice);
  ground.features = science::compute_features(ground.slice, problem.costs, progress);
  return ground;
}

}  // namespace

std::shared_ptr<const Ground> make_ground(const WireProblem& problem, images::SliceId slice,
                                          const jobs::Progress& progress) {
  auto ground = std::make_shared<Ground>(without_costs(problem, slice, progress));
  std::optional<science::Training> training;
  if (problem.trained_on && problem.costs.trained_weight > 0) {
    const TracedPath& path = *problem.trained_on;
    const auto learn = [&](const Ground& there) {
      training.emplace().learn(there.slice, there.features, path.pixels);
    };
    if (path.slice == slice) {
      learn(*ground);
    } else {
      learn(without_costs(problem, path.slice, progress));
    }
  }
  ground->grid = std::make_shared<const science::CostGrid>(science::make_costs(
      ground->slice, ground->features, problem.costs, training ? &*training : nullptr, progress));
  return ground;
}

WireThread::WireThread(Fail fail)
    : fail_(std::move(fail)), thread_([this](const std::stop_token& ended) { run(ended); }) {}

WireThread::~WireThread() {
  end();
}

void WireThread::end() {
  if (!thread_.joinable()) return;
  std::deque<Entry> dropped;
  {
    const std::scoped_lock lock(mutex_);
    dropped.swap(waiting_);
    running_stop_.request_stop();
  }
  thread_.request_stop();
  thread_.join();
}

void WireThread::open(WireProblem problem) {
  std::deque<Entry> dropped;
  const std::scoped_lock lock(mutex_);
  dropped.swap(waiting_);
  running_stop_.request_stop();
  problem_ = std::make_shared<const WireProblem>(std::move(problem));
}

void WireThread::change(WireProblem problem) {
  const std::scoped_lock lock(mutex_);
  if (running_newest_only_) running_stop_.request_stop();
  problem_ = std::make_shared<const WireProblem>(std::move(problem));
}

void WireThread::submit(images::SliceId slice, Lane lane, Work work, std::function<void()> failed) {
  put({slice, lane, false, std::move(work), std::move(failed)});
}

void WireThread::submit_newest(images::SliceId slice, Lane lane, Work work) {
  put({slice, lane, true, std::move(work), nullptr});
}

void WireThread::put(Entry entry) {
  std::deque<Entry> waiting;  // let go of without the mutex, as an activity may end with one
  {
    const std::scoped_lock lock(mutex_);
    waiting.swap(waiting_);
    for (Entry& each : waiting) {
      if (!each.newest_only || each.lane != entry.lane) waiting_.push_back(std::move(each));
    }
    waiting_.push_back(std::move(entry));
  }
  changed_.notify_one();
}

bool WireThread::busy() const {
  const std::scoped_lock lock(mutex_);
  return running_ || !waiting_.empty();
}

void WireThread::run(const std::stop_token& ended) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, ended, [this] { return !waiting_.empty(); })) {
    std::optional<Entry> entry = std::move(waiting_.front());
    waiting_.pop_front();
    const auto problem = problem_;
    running_stop_ = {};
    const jobs::Progress progress(running_stop_.get_token(), nullptr);
    running_ = true;
    running_newest_only_ = entry->newest_only;
    lock.unlock();
    if (problem) {
      const jobs::Activity::Scope scope(entry->activity);
      work_on(*entry, problem, progress);
    }
    entry.reset();  // an activity may end with it, which is told without the mutex
    lock.lock();
    running_ = running_newest_only_ = false;
  }
}

void WireThread::work_on(const Entry& entry, const std::shared_ptr<const WireProblem>& problem,
                         const jobs::Progress& progress) {
  std::string message;
  try {
    Kept& place = kept(entry.slice, problem, progress);
    auto& solver = entry.lane == Lane::tool ? place.tool : place.edit;
    if (!solver)
      solver.emplace(*problem->engine, place.ground->grid, problem->search, &place.ground->features);
    return entry.work(place.ground, *solver, progress);
  } catch (const Cancelled&) {
    return;
  } catch (const std::bad_alloc&) {
    message = workbench::said(QObject::tr("There is not enough memory for the wire. Close other programs."));
  } catch (const std::exception& error) {
    message = error_text(error);
  }
  if (entry.failed) entry.failed();
  if (entry.activity) entry.activity->fail(message);
  fail_(message);
}

WireThread::Kept& WireThread::kept(images::SliceId slice, const std::shared_ptr<const WireProblem>& problem,
                                   const jobs::Progress& progress) {
  kept_.remove_if([&](const Kept& each) { return !each.problem->same_grounds(*problem); });
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.slice == slice; });
  if (found != kept_.end()) {
    kept_.splice(kept_.begin(), kept_, found);
    if (found->problem != problem) {  // only the searches differ
      found->problem = problem;
      found->tool.reset();
      found->edit.reset();
    }
    return kept_.front();
  }
  auto ground = make_ground(*problem, slice, progress);
  std::size_t bytes = ground->bytes();
  for (auto each = kept_.begin(); each != kept_.end();) {
    bytes += each->ground->bytes();
    each = bytes > kept_bytes ? kept_.erase(each) : std::next(each);
  }
  kept_.push_front({slice, problem, std::move(ground), std::nullopt, std::nullopt});
  return kept_.front();
}

}  // namespace isolume::labs::livewire
