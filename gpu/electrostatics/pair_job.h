#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/electrostatics/pair_engine.h"
#include "gpu/runtime/device_job.h"
#include "gpu/runtime/upload_vector.h"

namespace isolume::gpu {

/// Sums over pairs by one kernel: made once on the host and shared by all devices. Items of its DeviceJobs are planes of
/// a lattice along x, y and z, or places. The problem must outlive it.
class PairJob {
 public:
  virtual ~PairJob() = default;
  virtual std::string_view kernel() const = 0;  ///< "shared"
  virtual int items() const = 0;
  virtual std::size_t item_values() const = 0;  ///< points of a plane; 1 of places
  virtual int fields() const { return 1; }
  /// Slabs that begin at multiples of so many items share no work with their neighbours.
  virtual int granularity() const = 0;
  /// On a device: in all, and for each item with its results.
  virtual std::size_t device_bytes() const = 0;
  virtual std::size_t bytes_an_item() const = 0;
  virtual double operations() const = 0;
  /// The charges that it sums.
  virtual const electrostatics::Bins& charges() const = 0;
  /// Those that it leaves to the host, if any, and what is to be said of them.
  virtual const electrostatics::Bins* left_to_host() const { return nullptr; }
  virtual std::string remark() const { return {}; }
  /// Copies to the stream's device; see MultiDeviceRun::Job::prepare.
  virtual std::unique_ptr<DeviceJob> prepare(const Stream& stream, const Delivery& delivery) const = 0;
};

/// Sums of all charges on a lattice along x, y and z; one charge at least.
std::unique_ptr<PairJob> make_shared_job(const lattice::Lattice& lattice,
                                         const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_constant_job(const lattice::Lattice& lattice,
                                           const electrostatics::PairProblem& problem);
/// Sums within a cut-off. The second throws Error where the bins around a point are too many for constant memory.
std::unique_ptr<PairJob> make_sorted_bins_job(const lattice::Lattice& lattice,
                                              const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> make_fixed_bins_job(const lattice::Lattice& lattice,
                                             const electrostatics::PairProblem& problem);
/// At places: of all charges or within a cut-off, in double precision. Field 0 of a value, and field 1 added to it.
std::unique_ptr<PairJob> make_place_job(const electrostatics::Places& places,
                                        const electrostatics::PairProblem& problem);

}  // namespace isolume::gpu
