#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "core/jobs/progress.h"
#include "core/orbitals/field_problem.h"
#include "gpu/runtime/multi_device/device_job.h"

/// The data of kernels for a field, in two steps after celeritas' Params and State: a KernelJob is created
/// once on the host, immutable and shared by all devices; a DeviceJob is its copy on one device.
namespace isolume::gpu {

enum class KernelKind {
  constant,         ///< one thread per point; coefficients in constant memory, up to 64 KiB
  tiled,            ///< one thread per point; coefficients pass through shared memory, any size
  cached,           ///< one thread per point; coefficients from global memory through the caches
  generated,        ///< like constant, but compiled at run time for this molecule, fully unrolled
  range_limited,    ///< each block of points sums only the shells that reach it
  separable,        ///< tables along the axes and a small matrix product per block; axis-aligned grids only
  separable_ahead,  ///< the same bits, but the next operands are loaded in advance
  products,         ///< densities as sums of products of primitives; axis-aligned grids only
};
/// "constant", "tiled", "cached", "generated", "range-limited", "separable", "separable-ahead",
/// "products".
std::string_view to_string(KernelKind kind);

using orbitals::FieldProblem;

/// Throws Error if shells, atoms, coefficients and weights do not match.
void check_problem(const FieldProblem& problem);

class KernelJob {
 public:
  virtual ~KernelJob() = default;
  virtual KernelKind kind() const = 0;
  /// A remark that replaces the reason for the choice, as a clause: "it takes the place of ..."; usually
  /// empty.
  virtual std::string remark() const { return {}; }
  /// Slabs that begin at multiples of this many planes (or points) share no work with their neighbours.
  virtual int slab_granularity() const { return 1; }
  /// Memory of a DeviceJob on a device, in bytes, without results.
  virtual std::size_t device_bytes() const = 0;
  /// Floating-point operations for one slab, after screening if the kernel screens: two for a multiply-add,
  /// one for an exponential, without index arithmetic. For calibration and the stated bounds.
  virtual double flop(Slab slab) const = 0;
  /// Copies to the stream's device. The copy may be used on other streams of the device once `stream` has
  /// been waited for.
  virtual std::unique_ptr<DeviceJob> prepare(const Stream& stream) const = 0;
};

/// constant, tiled, cached or range_limited. Throws Error with the sizes if the coefficients do not fit in
/// constant memory.
std::unique_ptr<KernelJob> make_pointwise_job(KernelKind kind, const FieldProblem& problem);
/// separable or separable_ahead. Throws Error for scattered points and for grids that are not
/// axis-aligned.
std::unique_ptr<KernelJob> make_separable_job(KernelKind kind, const FieldProblem& problem);
/// Compiles for the devices on which it is prepared. If that fails on the first, or the source would be too
/// long, the `constant` or `cached` kernel replaces it on all devices, and `kind` and `remark` report this
/// after `prepare`. If it fails on a later one, `prepare` throws Error: a job is computed by one kernel.
std::unique_ptr<KernelJob> make_generated_job(const FieldProblem& problem);
/// products. Throws Error for amplitudes, scattered points, grids that are not axis-aligned and a screening of 0,
/// and Cancelled.
std::unique_ptr<KernelJob> make_product_job(const FieldProblem& problem, const jobs::Progress& progress);
/// Whether products should be faster than squares of columns, with rounding as good; an estimate.
bool products_worthwhile(const FieldProblem& problem);
/// `progress`: for work of the host that takes long.
std::unique_ptr<KernelJob> make_kernel_job(KernelKind kind, const FieldProblem& problem,
                                           const jobs::Progress& progress = {});

}  // namespace isolume::gpu
