#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/orbitals/field_problem.h"
#include "gpu/runtime/device_job.h"

/// What a field needs to be computed by kernels, in two steps after celeritas' Params and State: a KernelJob
/// is made once on the host and shared by all devices, never changed; a DeviceJob is its copy on one device.
namespace isolume::gpu {

enum class KernelKind {
  constant,         ///< one thread a point; coefficients in constant memory, up to 64 KiB
  tiled,            ///< one thread a point; coefficients pass through shared memory, any size
  cached,           ///< one thread a point; coefficients from global memory through the caches
  generated,        ///< as constant, but compiled at run time for this molecule, everything unrolled
  range_limited,    ///< each block of points sums only the shells that reach it
  separable,        ///< tables along the axes and a small matrix product a block; axis-aligned lattices only
  separable_ahead,  ///< the same bits, but what is multiplied next is loaded meanwhile
};
/// "constant", "tiled", "cached", "generated", "range-limited", "separable", "separable-ahead".
std::string_view to_string(KernelKind kind);

using orbitals::FieldProblem;

/// Throws Error when shells, atoms, coefficients and weights do not belong together.
void check_problem(const FieldProblem& problem);

class KernelJob {
 public:
  virtual ~KernelJob() = default;
  virtual KernelKind kind() const = 0;
  /// What is to be told in place of why it was chosen, as a clause: "it takes the place of ..."; mostly
  /// empty.
  virtual std::string remark() const { return {}; }
  /// Slabs that begin at multiples of so many planes (or points) share no work with their neighbours.
  virtual int slab_granularity() const { return 1; }
  /// What DeviceJob holds on a device, in bytes, results not counted.
  virtual std::size_t device_bytes() const = 0;
  /// Floating-point operations for one slab, after screening where the kernel screens: two a multiply-add,
  /// one an exponential, index arithmetic not counted. For calibration and the stated bounds.
  virtual double flop(Slab slab) const = 0;
  /// Copies to the stream's device. The copy may be used on other streams of the device once `stream` has
  /// been waited for.
  virtual std::unique_ptr<DeviceJob> prepare(const Stream& stream) const = 0;
};

/// constant, tiled, cached or range_limited. Throws Error with numbers when the coefficients do not fit in
/// constant memory.
std::unique_ptr<KernelJob> make_pointwise_job(KernelKind kind, const FieldProblem& problem);
/// separable or separable_ahead. Throws Error for points and for lattices that are not axis-aligned.
std::unique_ptr<KernelJob> make_separable_job(KernelKind kind, const FieldProblem& problem);
/// Compiles for the devices it is prepared on; where that fails on the first, or the source would be too
/// long, the `constant` or `cached` kernel takes its place on all, and `kind` and `remark` say so after
/// `prepare`. Where it fails on a later one, `prepare` throws Error: a job is computed by one kernel.
std::unique_ptr<KernelJob> make_generated_job(const FieldProblem& problem);
std::unique_ptr<KernelJob> make_kernel_job(KernelKind kind, const FieldProblem& problem);

}  // namespace isolume::gpu
