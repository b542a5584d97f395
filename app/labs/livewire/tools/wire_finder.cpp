#include "app/labs/livewire/tools/wire_finder.h"

#include <QObject>
#include <algorithm>
#include <new>
#include <utility>

#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::labs::livewire {

namespace science = isolume::livewire;

namespace {

/// Beyond this, the grounds that were used longest ago are dropped; a slice of 4096 x 4096 takes some 350 MiB.
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

WireFinder::WireFinder(const Fail& fail) {
  jobs_.observe([fail](const jobs::JobStatus& job) {
    if (job.state == jobs::JobState::failed) fail(job.error);
  });
}

void WireFinder::open(WireProblem problem) {
  set_problem(std::move(problem));
  jobs_.cancel_all();
}

void WireFinder::change(WireProblem problem) {
  set_problem(std::move(problem));
  for (const jobs::JobStatus& job : jobs_.active()) {
    if (job.state == jobs::JobState::running && job.replaced != jobs::Replaced::never) jobs_.cancel(job.id);
  }
}

void WireFinder::set_problem(WireProblem problem) {
  const std::scoped_lock lock(mutex_);
  problem_ = std::make_shared<const WireProblem>(std::move(problem));
}

void WireFinder::submit(images::SliceId slice, Lane lane, Work work, std::function<void()> failed) {
  put(slice, lane, jobs::Replaced::never, std::move(work), std::move(failed));
}

void WireFinder::submit_newest(images::SliceId slice, Lane lane, Work work) {
  put(slice, lane, jobs::Replaced::before_it_begins, std::move(work));
}

void WireFinder::put(images::SliceId slice, Lane lane, jobs::Replaced replaced, Work work,
                     std::function<void()> failed) {
  jobs_.submit(
      "Wire", std::to_string(static_cast<int>(lane)),
      [this, slice, lane, work = std::move(work),
       failed = std::move(failed)](const jobs::Progress& progress) {
        try {
          do_work(slice, lane, work, progress);
        } catch (const Cancelled&) {
          throw;
        } catch (const std::bad_alloc&) {
          if (failed) failed();
          throw ResourceError(
              workbench::said(QObject::tr("There is not enough memory for the wire. Close other programs.")));
        } catch (...) {
          if (failed) failed();
          throw;
        }
      },
      jobs::Waited::by_a_person, replaced);
}

void WireFinder::do_work(images::SliceId slice, Lane lane, const Work& work, const jobs::Progress& progress) {
  std::shared_ptr<const WireProblem> problem;
  {
    const std::scoped_lock lock(mutex_);
    problem = problem_;
  }
  if (!problem) return;
  Kept& place = kept(slice, problem, progress);
  auto& solver = lane == Lane::tool ? place.tool : place.edit;
  if (!solver) solver.emplace(*problem->engine, place.ground->grid, problem->search, &place.ground->features);
  work(place.ground, *solver, progress);
}

WireFinder::Kept& WireFinder::kept(images::SliceId slice, const std::shared_ptr<const WireProblem>& problem,
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
