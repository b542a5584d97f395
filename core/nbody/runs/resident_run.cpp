#include "core/nbody/runs/resident_run.h"

#include <utility>

#include "core/base/logging.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {

void ResidentRun::catch_up(const Bodies& host, const jobs::Progress& progress) {
  if (!placed_) {
    bodies_->put(host, progress);
    placed_ = true;
    there_ = 0;
  }
  for (; there_ < taken_; ++there_) {
    if (bodies_->step(dt_, progress)) throw Error("A repeated step gave a different result.");
  }
}

/// A lost device is excluded, so that fewer are left each time; after other failures the step is retried once.
template <class Work>
auto ResidentRun::on_devices(const Bodies& host, const jobs::Progress& progress, const Work& work) {
  for (bool again = false;;) {
    try {
      catch_up(host, progress);
      return work();
    } catch (const NotResident&) {
      placed_ = false;
      throw;
    } catch (const ResourceError& error) {
      placed_ = false;
      throw NotResident(error.what());
    } catch (const dispatch::DeviceLost& error) {
      placed_ = false;
      log::warning("Bodies go back by {} step{}, to the host's copy: {}", taken_, taken_ == 1 ? "" : "s",
                   error.what());
    } catch (const Error& error) {
      placed_ = false;
      if (std::exchange(again, true)) throw;
      log::warning("Bodies go back by {} step{}, to the host's copy, and try once more: {}", taken_,
                   taken_ == 1 ? "" : "s", error.what());
    }
  }
}

std::optional<std::size_t> ResidentRun::step(Bodies& host, double dt, const jobs::Progress& progress) {
  if (taken_ > 0 && (dt != dt_ || taken_ == most_behind)) fetch(host, progress);
  const auto gone = on_devices(host, progress, [&] { return bodies_->step(dt, progress); });
  if (gone) return gone;
  dt_ = dt;
  there_ = ++taken_;
  return gone;
}

void ResidentRun::fetch(Bodies& host, const jobs::Progress& progress) {
  if (taken_ == 0) return;
  Bodies fetched;
  on_devices(host, progress, [&] { bodies_->fetch(fetched, progress); });
  std::swap(host.mass, fetched.mass);
  host = std::move(fetched);
  taken_ = there_ = 0;
}

Forces ResidentRun::forces(const Bodies& host, const jobs::Progress& progress) {
  return on_devices(host, progress, [&] { return bodies_->forces(progress); });
}

std::optional<ResidentFrame> ResidentRun::frame(const Bodies& host, simulation::Wanted what,
                                                const jobs::Progress& progress) {
  return on_devices(host, progress, [&] { return bodies_->frame(what, progress); });
}

void ResidentRun::restart() {
  placed_ = false;
  taken_ = there_ = 0;
}

}  // namespace isolume::nbody
