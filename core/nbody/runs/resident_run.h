#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/nbody/engines/resident_bodies.h"

namespace isolume::nbody {

/// Steps of bodies that stay on devices. The host keeps a copy from at most `most_behind` steps ago: where a device
/// fails, this copy is put on the remaining devices, and the steps since are repeated, bit for bit. All calls take
/// the host's copy, which must not be changed otherwise without restart().
///
/// All throw NotResident where the bodies can no longer stay on devices; the host's bodies are then those of behind()
/// steps ago. After Cancelled everything is as before the call.
class ResidentRun {
 public:
  static constexpr std::int64_t most_behind = 64;

  explicit ResidentRun(std::unique_ptr<ResidentBodies> bodies) : bodies_(std::move(bodies)) {}

  /// Returns a body that escapes, if any: nothing has changed then.
  std::optional<std::size_t> step(Bodies& host, double dt, const jobs::Progress& progress);
  /// Brings the host's bodies up to date.
  void fetch(Bodies& host, const jobs::Progress& progress);
  Forces forces(const Bodies& host, const jobs::Progress& progress);
  /// As ResidentBodies::frame.
  std::optional<ResidentFrame> frame(const Bodies& host, simulation::Wanted what,
                                     const jobs::Progress& progress);
  /// The host's bodies were replaced.
  void restart();

  /// Steps since the host's copy, negative back in time.
  std::int64_t behind() const { return dt_ < 0 ? -taken_ : taken_; }
  ForceSeconds seconds() const { return bodies_->seconds(); }
  std::string who() const { return bodies_->who(); }
  std::string where() const { return bodies_->where(); }

 private:
  template <class Work>
  auto on_devices(const Bodies& host, const jobs::Progress& progress, const Work& work);
  void catch_up(const Bodies& host, const jobs::Progress& progress);

  std::unique_ptr<ResidentBodies> bodies_;
  bool placed_ = false;
  double dt_ = 0;           ///< of all steps since the host's copy
  std::int64_t taken_ = 0;  ///< number of these steps
  std::int64_t there_ = 0;  ///< number of these already done on the devices
};

}  // namespace isolume::nbody
