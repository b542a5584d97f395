#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_operations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_kernels.h"
#include "gpu/runtime/streams/graph.h"

namespace isolume::gpu {
namespace {

using electrostatics::ChangeOfIons;
using electrostatics::Extents;
using electrostatics::GridEquation;
using equation_kernels::LevelArrays;

constexpr std::size_t arrays_of_a_level = 6;
/// Arrays begin at memory lines.
std::size_t room_for(const Extents& extents) {
  constexpr std::size_t line = 32;
  return (extents.count() + line - 1) / line * line;
}

template <class Value>
void clear_on_device(Value* values, std::size_t count, const Stream& stream) {
  require_success(cudaMemsetAsync(values, 0, count * sizeof(Value), stream.get()),
                  "clearing memory of the device");
}

/// One level's arrays in one allocation.
struct LevelOnDevice {
  LevelOnDevice(const Extents& extents, const Stream& stream)
      : values(stream, arrays_of_a_level * room_for(extents)) {
    const std::size_t room = room_for(extents);
    float* const first = values.device_data();
    const auto count = [](int n) { return static_cast<std::uint32_t>(n); };
    arrays = {.nx = count(extents.nx),
              .ny = count(extents.ny),
              .nz = count(extents.nz),
              .gx = first,
              .gy = first + room,
              .gz = first + 2 * room,
              .d = first + 3 * room,
              .z = first + 4 * room,
              .r = first + 5 * room};
    clear_on_device(arrays.z, 2 * room, stream);
  }

  DeviceBuffer<float> values;
  LevelArrays arrays;
};

std::vector<equation_kernels::PointCharge> charges_of(const GridEquation& equation) {
  std::vector<equation_kernels::PointCharge> charges;
  charges.reserve(equation.charges.size());
  for (const auto& each : equation.charges)
    charges.push_back({static_cast<std::uint32_t>(each.at), each.value});
  return charges;
}

template <class Real>
DeviceBuffer<Real> upload_potentials(const GridEquation::Potentials& u, const Stream& stream,
                                     const WaitLimits& limits) {
  if constexpr (std::is_same_v<Real, double>) {
    return upload_vector<double>(u, stream, limits);
  } else {
    return upload_vector<float>(std::vector<float>(u.begin(), u.end()), stream, limits);
  }
}

/// `Real`: the type of u and its residual.
template <class Real>
class EquationOnDevice final : public DeviceEquation {
 public:
  EquationOnDevice(const GridEquation& equation, bool nonlinear, const Stream& stream,
                   const WaitLimits& limits)
      : stream_(stream),
        limits_(limits),
        count_(static_cast<std::uint32_t>(equation.extents().count())),
        ion_strength_(equation.ion_strength),
        p_(stream, count_),
        u_(upload_potentials<Real>(equation.u, stream, limits)),
        charges_(upload_vector<equation_kernels::PointCharge>(charges_of(equation), stream, limits)),
        parts_(stream, equation_kernels::sums_size),
        sums_(stream, equation_kernels::most_sums),
        host_sums_(stream, equation_kernels::most_sums) {
    Extents extents = equation.extents();
    for (int level = 0; level < equation.levels(); ++level, extents = extents.halved()) {
      levels_.emplace_back(extents, stream);
      if (level + 1 == equation.levels()) sweeps_of_coarsest_ = electrostatics::sweeps_that_solve(extents);
    }
    if (nonlinear) change_ = DeviceBuffer<float>(stream, count_);
    clear_on_device(p_.device_data(), count_, stream);
    clear_on_device(parts_.device_data(), parts_.size(), stream);
    const auto& from = equation.coefficients();
    const LevelArrays& to = finest();
    for (const auto& [values, place] : {std::pair{&from.gx, to.gx}, std::pair{&from.gy, to.gy},
                                        std::pair{&from.gz, to.gz}, std::pair{&from.d, to.d}}) {
      upload<float>(stream, {values->data(), values->size()}, place, from_now(limits.deadline),
                    limits.progress);
    }
    for (std::size_t at = 1; at < levels_.size(); ++at)
      equation_kernels::coarsen(arrays(at - 1), arrays(at), stream_);
  }

  void fetch(GridEquation::Potentials& u) override {
    const auto deadline = from_now(limits_.deadline);
    if constexpr (std::is_same_v<Real, double>) {
      // An interrupted solution leaves u unchanged.
      GridEquation::Potentials found(u.size());
      download<double>(stream_, u_.device_data(), found, deadline, limits_.progress);
      u.swap(found);
    } else {
      std::vector<float> found(u.size());
      download<float>(stream_, u_.device_data(), found, deadline, limits_.progress);
      std::ranges::copy(found, u.begin());
    }
  }

  double residual(bool nonlinear) override {
    equation_kernels::residual(finest(), u_.device_data(), nonlinear ? ion_strength_ : 0,
                               charges_.device_data(), static_cast<std::uint32_t>(charges_.size()), stream_);
    equation_kernels::dot(finest().r, finest().r, count_, parts_.device_data(), stream_);
    return std::sqrt(sums(1)[0]);
  }

  void begin(const jobs::Progress& progress) override {
    progress.check();
    for (std::size_t at = 1; at < levels_.size(); ++at)
      equation_kernels::restrict_known(arrays(at - 1), arrays(at), stream_);
    solve_coarsest();
    for (std::size_t at = levels_.size() - 1; at-- > 0;) {
      // Relaxing the red points first needs the black ones only.
      equation_kernels::prolong(arrays(at + 1), black, false, arrays(at), stream_);
      visit(at, false);
    }
    equation_kernels::add(1, finest().z, u_.device_data(), count_, stream_);
  }

  double precondition(const jobs::Progress& progress) override {
    progress.check();
    const auto queue = [this] {
      visit(0, true);
      equation_kernels::dot(finest().z, finest().r, count_, parts_.device_data(), stream_);
      queue_sums(1);
    };
    if (cycles_++ == 0) {
      queue();  // loads all of its kernels
    } else {
      if (!cycle_) cycle_.emplace(stream_, queue);
      cycle_->launch(stream_);
    }
    return awaited_sums()[0];
  }

  double turn(double beta) override {
    equation_kernels::direction(finest().z, static_cast<float>(beta), p_.device_data(), count_, stream_);
    equation_kernels::apply(finest(), p_.device_data(), parts_.device_data(), stream_);
    return sums(1)[0];
  }

  double step(double alpha, bool aside) override {
    const auto along = static_cast<float>(alpha);
    const LevelArrays& level = finest();
    if (aside) {
      equation_kernels::step(along, p_.device_data(), level.z, change_.device_data(), level.r, count_,
                             parts_.device_data(), stream_);
    } else {
      equation_kernels::step(along, p_.device_data(), level.z, u_.device_data(), level.r, count_,
                             parts_.device_data(), stream_);
    }
    return std::sqrt(sums(1)[0]);
  }

  void linearise(const jobs::Progress& progress) override {
    progress.check();
    equation_kernels::linearise_ions(finest(), u_.device_data(), ion_strength_, stream_);
    for (std::size_t at = 1; at < levels_.size(); ++at)
      equation_kernels::coarsen_ions(arrays(at - 1), arrays(at), stream_);
  }

  void set_aside() override { clear_on_device(change_.device_data(), count_, stream_); }

  ChangeOfIons change_of_ions(double part) override {
    equation_kernels::change_of_ions(finest(), u_.device_data(), change_.device_data(), ion_strength_, part,
                                     parts_.device_data(), stream_);
    const auto found = sums(2);
    return {.work = found[0], .curvature = found[1]};
  }

  void take_part(double part) override {
    equation_kernels::add(part, change_.device_data(), u_.device_data(), count_, stream_);
  }

 private:
  static constexpr int red = 0, black = 1;

  const LevelArrays& arrays(std::size_t level) const { return levels_[level].arrays; }
  const LevelArrays& finest() const { return arrays(0); }

  /// Like Multigrid::visit.
  void visit(std::size_t at, bool from_zero) {
    if (at + 1 == levels_.size()) return solve_coarsest();
    const LevelArrays& level = arrays(at);
    equation_kernels::relax(level, red, from_zero, stream_);
    equation_kernels::relax(level, black, false, stream_);
    // Black points were relaxed last: their equations hold, and only red ones have a residual.
    equation_kernels::restrict_residual(level, arrays(at + 1), stream_);
    visit(at + 1, true);
    // Relaxing the black points first needs the red ones only.
    equation_kernels::prolong(arrays(at + 1), red, true, level, stream_);
    equation_kernels::relax(level, black, false, stream_);
    equation_kernels::relax(level, red, false, stream_);
  }
  void solve_coarsest() {
    equation_kernels::solve_coarsest(levels_.back().arrays, sweeps_of_coarsest_, stream_);
  }

  void queue_sums(int wanted) {
    equation_kernels::reduce_partial_sums(parts_.device_data(), wanted, sums_.device_data(), stream_);
    sums_.copy_to(host_sums_.host(), stream_);
  }
  std::span<const double> awaited_sums() {
    stream_.wait(limits_);
    return host_sums_.host();
  }
  /// Reduces the partial sums of the last kernel.
  std::span<const double> sums(int wanted) {
    queue_sums(wanted);
    return awaited_sums();
  }

  const Stream& stream_;
  const WaitLimits limits_;
  const std::uint32_t count_;
  const double ion_strength_;
  std::vector<LevelOnDevice> levels_;
  int sweeps_of_coarsest_ = 0;
  DeviceBuffer<float> p_;
  DeviceBuffer<float> change_;  ///< of u, in a step of Newton's method
  DeviceBuffer<Real> u_;
  DeviceBuffer<equation_kernels::PointCharge> charges_;
  DeviceBuffer<double> parts_, sums_;
  PinnedBuffer<double> host_sums_;
  int cycles_ = 0;
  std::optional<Graph> cycle_;
};

}  // namespace

std::size_t DeviceEquation::bytes_of(const GridEquation& equation, bool nonlinear,
                                     EquationPrecision precision) {
  std::size_t bytes = 0;
  Extents extents = equation.extents();
  const std::size_t points = extents.count();
  for (int level = 0; level < equation.levels(); ++level, extents = extents.halved())
    bytes += arrays_of_a_level * room_for(extents) * sizeof(float);
  bytes +=
      points * (sizeof(float) + (precision == EquationPrecision::mixed ? sizeof(double) : sizeof(float)));
  if (nonlinear) bytes += points * sizeof(float);
  return bytes + equation.charges.size() * sizeof(equation_kernels::PointCharge) +
         (equation_kernels::sums_size + equation_kernels::most_sums) * sizeof(double);
}

std::unique_ptr<DeviceEquation> put_equation(const GridEquation& equation, bool nonlinear,
                                             EquationPrecision precision, const Stream& stream,
                                             const WaitLimits& limits) {
  if (equation.extents().count() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        fmt::format("GPUs solve equations of 2^31 points at most; these are {}. Choose the engine \"cpu\".",
                    equation.extents().count()));
  }
  if (precision == EquationPrecision::single)
    return std::make_unique<EquationOnDevice<float>>(equation, nonlinear, stream, limits);
  return std::make_unique<EquationOnDevice<double>>(equation, nonlinear, stream, limits);
}

}  // namespace isolume::gpu
