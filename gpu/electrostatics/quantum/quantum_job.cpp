#include "gpu/electrostatics/quantum/quantum_job.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/electrostatics/sums/pair_potentials.h"
#include "core/gaussians/boys_function.h"
#include "gpu/electrostatics/quantum/quantum_kernels.h"

namespace isolume::gpu {
namespace {

using electrostatics::Places;
using electrostatics::QuantumProblem;

/// Data shared by all devices, besides the wavefunction's own.
struct QuantumLayout {
  const gaussians::WavefunctionPotential& wavefunction;
  double scale;
  std::vector<quantum_kernels::Site> sites;
  std::vector<quantum_kernels::SiteClass> classes;
  std::vector<quantum_kernels::SiteVersion> versions;

  explicit QuantumLayout(const QuantumProblem& problem);
  static std::span<const double> boys_tables() {
    constexpr auto of_order = std::size_t{gaussians::boys_rows} * gaussians::boys_terms;
    return {gaussians::boys_table(0), (gaussians::max_order + 1) * of_order};
  }
  std::size_t device_bytes() const;
};

QuantumLayout::QuantumLayout(const QuantumProblem& problem)
    : wavefunction(problem.wavefunction), scale(problem.scale) {
  const auto& of_cpu = wavefunction.sites();
  // Kernels count these in 32 bits.
  constexpr std::size_t most = UINT32_MAX;
  if (of_cpu.gaussians().size() > most) {
    throw Error(
        fmt::format("GPUs sum over {} pairs of primitives at most; these are {}. Choose the engine "
                    "\"cpu\".",
                    most, of_cpu.gaussians().size()));
  }
  const auto number = [](std::size_t n) { return static_cast<std::uint32_t>(n); };
  for (const auto& site : of_cpu.sites()) {
    const std::uint32_t first_class = number(classes.size());
    for (const auto& each : site.classes) {
      classes.push_back({each.range, number(each.first), number(versions.size())});
      for (const auto& version : each.versions)
        versions.push_back({version.from, version.first, version.order});
    }
    sites.push_back({site.place.x(), site.place.y(), site.place.z(), first_class, number(site.classes.size()),
                     number(site.classes.back().first), number(versions.size())});
  }
}

std::size_t QuantumLayout::device_bytes() const {
  const auto& of_cpu = wavefunction.sites();
  return std::span(sites).size_bytes() + std::span(classes).size_bytes() + std::span(versions).size_bytes() +
         std::span(of_cpu.gaussians()).size_bytes() + std::span(of_cpu.near_coefficients()).size_bytes() +
         std::span(of_cpu.far_coefficients()).size_bytes() + std::span(wavefunction.nuclei()).size_bytes() +
         boys_tables().size_bytes();
}

/// The layout in a device's memory.
class OnDevice {
 public:
  OnDevice(std::shared_ptr<const QuantumLayout> layout, const Stream& stream, const WaitLimits& limits)
      : layout_(std::move(layout)),
        sites_(upload_vector<quantum_kernels::Site>(layout_->sites, stream, limits)),
        classes_(upload_vector<quantum_kernels::SiteClass>(layout_->classes, stream, limits)),
        versions_(upload_vector<quantum_kernels::SiteVersion>(layout_->versions, stream, limits)),
        gaussians_(upload_vector<gaussians::NearGaussian>(of_cpu().gaussians(), stream, limits)),
        near_coefficients_(upload_vector<double>(of_cpu().near_coefficients(), stream, limits)),
        far_coefficients_(upload_vector<double>(of_cpu().far_coefficients(), stream, limits)),
        nuclei_(upload_vector<gaussians::Nucleus>(layout_->wavefunction.nuclei(), stream, limits)),
        boys_(upload_vector<double>(QuantumLayout::boys_tables(), stream, limits)) {}

  quantum_kernels::Source source() {
    const double bohr = grid::shown_per_unit(grid::LengthUnit::bohr);
    const double nearest = electrostatics::nearest / bohr;
    return {sites_.device_data(),
            classes_.device_data(),
            versions_.device_data(),
            gaussians_.device_data(),
            near_coefficients_.device_data(),
            far_coefficients_.device_data(),
            nuclei_.device_data(),
            boys_.device_data(),
            static_cast<std::uint32_t>(sites_.size()),
            static_cast<std::uint32_t>(nuclei_.size()),
            nearest * nearest,
            layout_->scale};
  }

 private:
  const gaussians::ChargeSites& of_cpu() const { return layout_->wavefunction.sites(); }

  std::shared_ptr<const QuantumLayout> layout_;
  DeviceBuffer<quantum_kernels::Site> sites_;
  DeviceBuffer<quantum_kernels::SiteClass> classes_;
  DeviceBuffer<quantum_kernels::SiteVersion> versions_;
  DeviceBuffer<gaussians::NearGaussian> gaussians_;
  DeviceBuffer<double> near_coefficients_, far_coefficients_;
  DeviceBuffer<gaussians::Nucleus> nuclei_;
  DeviceBuffer<double> boys_;
};

class QuantumJob : public SumJob {
 public:
  QuantumJob(const QuantumProblem& problem, double operations)
      : layout_(std::make_shared<const QuantumLayout>(problem)), operations_(operations) {}

  std::string_view kernel() const final { return quantum_kernel; }
  double operations() const final { return operations_; }
  std::string subject() const final {
    return fmt::format("The potential of {} nuclei and their electrons",
                       layout_->wavefunction.nuclei().size());
  }

 protected:
  const std::shared_ptr<const QuantumLayout>& layout() const { return layout_; }

 private:
  std::shared_ptr<const QuantumLayout> layout_;
  double operations_;
};

class GridOnDevice final : public DeviceJob {
 public:
  GridOnDevice(OnDevice source, const quantum_kernels::GridLayers& layers)
      : source_(std::move(source)), layers_(layers) {}

  void launch(Slab slab, float* out, std::size_t, const Stream& stream) override {
    auto layers = layers_;
    layers.first = slab.first;
    layers.count = slab.count;
    quantum_kernels::sum_on(source_.source(), layers, out, stream);
  }

 private:
  OnDevice source_;
  const quantum_kernels::GridLayers layers_;
};

class QuantumOnGrid final : public QuantumJob {
 public:
  QuantumOnGrid(const grid::Grid& grid, const QuantumProblem& problem, double operations)
      : QuantumJob(problem, operations) {
    static_assert(quantum_kernels::grid_tile_edge == electrostatics::quantum_block_edge);
    const double bohr = grid::shown_per_unit(grid.unit) / grid::shown_per_unit(grid::LengthUnit::bohr);
    for (int axis = 0; axis < 3; ++axis) {
      layers_.origin[axis] = bohr * grid.origin[axis];
      layers_.size[axis] = grid.dimensions[static_cast<std::size_t>(axis)];
      for (int along = 0; along < 3; ++along) layers_.step[along][axis] = bohr * grid.step(axis, along);
    }
  }

  int items() const override { return layers_.size[2]; }
  std::size_t item_values() const override {
    return static_cast<std::size_t>(layers_.size[0]) * static_cast<std::size_t>(layers_.size[1]);
  }
  int granularity() const override { return quantum_kernels::grid_tile_edge; }
  std::size_t device_bytes() const override { return layout()->device_bytes(); }
  std::size_t bytes_an_item() const override { return item_values() * sizeof(float); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<GridOnDevice>(OnDevice(layout(), stream, limits), layers_);
  }

 private:
  quantum_kernels::GridLayers layers_{};
};

class PlacesOnDevice final : public DeviceJob {
 public:
  PlacesOnDevice(OnDevice source, DeviceBuffer<double> places)
      : source_(std::move(source)), places_(std::move(places)) {}

  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    const quantum_kernels::PlaceRun places{
        places_.device_data(), static_cast<std::uint32_t>(places_.size() / 3),
        static_cast<std::uint32_t>(slab.first), static_cast<std::uint32_t>(slab.count)};
    quantum_kernels::sum_at(source_.source(), places, out, field_stride, stream);
  }

 private:
  OnDevice source_;
  DeviceBuffer<double> places_;
};

class QuantumAtPlaces final : public QuantumJob {
 public:
  QuantumAtPlaces(const Places& places, std::span<const std::size_t> which, const QuantumProblem& problem,
                  double operations)
      : QuantumJob(problem, operations) {
    const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
    places_.reserve(3 * which.size());
    for (const std::size_t i : which) {
      for (const auto* values : {&places.x, &places.y, &places.z}) places_.push_back(bohr * (*values)[i]);
    }
  }

  int items() const override { return static_cast<int>(places_.size() / 3); }
  std::size_t item_values() const override { return 1; }
  int fields() const override { return 2; }
  int granularity() const override { return quantum_kernels::place_tile; }
  std::size_t device_bytes() const override {
    return layout()->device_bytes() + std::span(places_).size_bytes();
  }
  std::size_t bytes_an_item() const override { return 2 * sizeof(float); }
  std::unique_ptr<DeviceJob> prepare(const Stream& stream, const WaitLimits& limits) const override {
    return std::make_unique<PlacesOnDevice>(OnDevice(layout(), stream, limits),
                                            upload_vector<double>(places_, stream, limits));
  }

 private:
  std::vector<double> places_;  ///< x, y and z of each, in bohr
};

}  // namespace

std::unique_ptr<SumJob> make_quantum_job(const grid::Grid& grid, const QuantumProblem& problem,
                                         double operations) {
  return std::make_unique<QuantumOnGrid>(grid, problem, operations);
}

std::unique_ptr<SumJob> make_quantum_job(const Places& places, std::span<const std::size_t> which,
                                         const QuantumProblem& problem, double operations) {
  return std::make_unique<QuantumAtPlaces>(places, which, problem, operations);
}

}  // namespace isolume::gpu
