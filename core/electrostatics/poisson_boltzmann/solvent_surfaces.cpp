#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"

#include <algorithm>

namespace isolume::electrostatics {

std::shared_ptr<const SolventSurface> SolventSurfaces::balls(const structures::Charges& charges) {
  const std::scoped_lock lock(balls_mutex_);
  if (!balls_) balls_ = std::make_shared<const SolventSurface>(charges);
  return balls_;
}

std::shared_ptr<const SurfaceDistances> SolventSurfaces::distances(const structures::Charges& charges,
                                                                   double probe, double deepest,
                                                                   const jobs::Progress& progress) {
  const std::scoped_lock lock(mutex_);
  // Lookups in surfaces that are much deeper than needed take longer than sorting anew.
  constexpr double deeper = 2;
  const auto serves = [&](const auto& each) {
    return each->surface().probe() == probe && each->deepest() >= deepest &&
           each->deepest() <= deeper * deepest;
  };
  auto found = std::ranges::find_if(distances_, serves);
  if (found == distances_.end()) {
    progress.report(0, "surface");
    const auto same =
        std::ranges::find(distances_, probe, [](const auto& each) { return each->surface().probe(); });
    auto surface = same != distances_.end()
                       ? (*same)->shared_surface()
                       : std::make_shared<const SolventSurface>(charges, probe, progress);
    constexpr std::size_t most_kept = 3;
    if (distances_.size() == most_kept) distances_.erase(distances_.begin());
    distances_.push_back(std::make_shared<const SurfaceDistances>(std::move(surface), deepest, progress));
    found = distances_.end() - 1;
  }
  std::rotate(found, found + 1, distances_.end());
  return distances_.back();
}

bool SolventSurfaces::knows(double probe) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  return lock.owns_lock() &&
         std::ranges::any_of(distances_, [&](const auto& each) { return each->surface().probe() == probe; });
}

}  // namespace isolume::electrostatics
