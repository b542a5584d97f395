// Densities from products of primitives, as the engine shares them out.
#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "core/orbitals/engine.h"
#include "core/orbitals/field_request.h"
#include "gpu/orbitals/gpu_engine.h"
#include "gpu/runtime/memory/allocator.h"
#include "tests/core/molecules/test_files.h"
#include "tests/gpu/orbitals/on_device.h"

#ifdef ISOLUME_GPU_EMULATED
namespace isolume::gpu {
namespace {

using namespace testing;

std::unique_ptr<orbitals::Engine> engine_of(const std::string& devices) {
  emulator::set_devices(devices);
  some_device_hangs = false;
  std::vector<std::unique_ptr<dispatch::Device>> all;
  all.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) all.push_back(std::make_unique<GpuDevice>(each));
  return make_gpu_engine(std::make_shared<dispatch::DevicePool>(std::move(all)));
}

struct Density {
  molecules::Wavefunction wavefunction;
  orbitals::Combination columns;
  grid::Grid grid;

  dispatch::Computed<FieldValues> by(const orbitals::Engine& engine, const std::string& devices,
                                     const std::string& kernel = "products") const {
    orbitals::EngineOptions options;
    options.devices = devices;
    options.kernel = kernel;
    return engine.density(wavefunction.molecule, wavefunction.basis, columns.coefficients, columns.weights,
                          grid, options, {});
  }
  dispatch::Computed<FieldValues> by_cpu() const { return by(*orbitals::make_cpu_engine(), "all", "auto"); }
};

/// A part of benzene's, on its own grid and three coarse ones.
Density benzene(std::array<int, 3> dimensions) {
  Density made{*molecules::read_document(molecules::testing::sample("benzene.fchk.gz")).wavefunction,
               {},
               box_grid(dimensions, {0.14, 0.14, 0.14}, {0.3, -1, -2})};
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density;
  made.columns = orbitals::combine(made.wavefunction, request);
  return made;
}

void expect_close(const FieldValues& values, const FieldValues& right) {
  ASSERT_EQ(values.size(), right.size());
  for (std::size_t n = 0; n < right.size(); ++n)
    ASSERT_NEAR(values[n], right[n], 2e-9 + 4e-6 * right[n]) << "point " << n;
}

TEST(ProductsOnGpus, AreTheSameOnDevicesOfUnequalSizeAndAsOnTheCpu) {
  const auto engine = engine_of("1x sm90 1GiB, 1x sm75 slow speed=0.5 64MiB");
  for (const auto& dimensions : {std::array{25, 23, 37}, std::array{41, 39, 1}}) {
    const auto density = benzene(dimensions);
    const auto one = density.by(*engine, "1");
    EXPECT_EQ(one.report.how(), "products kernel: it was asked for");
    expect_close(one.values, density.by_cpu().values);
    const auto two = density.by(*engine, "1,2");
    EXPECT_EQ(two.values, one.values);
    EXPECT_EQ(two.report.shares.size(), 2U);
  }
}

TEST(ProductsOnGpus, WithoutRoomLeaveTheFieldToOthersOrFail) {
  const auto engine = engine_of("1x sm90 1MiB, 1x sm90 1GiB");
  const auto density = benzene({25, 23, 37});
  const auto both = density.by(*engine, "1,2");
  ASSERT_EQ(both.report.shares.size(), 2U);
  std::string errors;
  for (const auto& share : both.report.shares) errors += share.error;
  EXPECT_NE(errors.find("One plane of the field"), std::string::npos) << errors;
  EXPECT_EQ(both.values, density.by(*engine, "2").values);
  EXPECT_THROW(density.by(*engine, "1"), ResourceError);
}

TEST(ProductsOnGpus, AreChosenWhereLocalColumnsWouldBe) {
  Density density{test::carbon_chain(), {}, box_grid({101, 31, 31}, {0.45, 0.14, 0.15}, {-22, -2, -2})};
  density.columns = {test::random_coefficients(density.wavefunction.basis, 100, 3) * 0.1,
                     Eigen::VectorXd::Constant(100, 2), true};
  const auto engine = engine_of("1x sm90 1GiB");
  const auto chosen = density.by(*engine, "1", "auto");
  EXPECT_EQ(chosen.report.kernel, "products") << chosen.report.how();
  const auto on_cpu = density.by_cpu();
  EXPECT_EQ(on_cpu.report.kernel, "products");
  const float largest = *std::ranges::max_element(on_cpu.values);
  const auto together = density.by(*engine, "0,1", "auto");
  for (std::size_t n = 0; n < on_cpu.values.size(); ++n) {
    ASSERT_NEAR(chosen.values[n], on_cpu.values[n], 1e-6 * largest) << n;
    ASSERT_NEAR(together.values[n], on_cpu.values[n], 1e-6 * largest) << n;
  }
}

}  // namespace
}  // namespace isolume::gpu
#endif
