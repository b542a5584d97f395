#include "gpu/runtime/multi_device/multi_device_run.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/error.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

constexpr int items = 90;
constexpr std::size_t item_values = 50;

/// Field k of item i: (k + 1) times the input plus 0.5.
class Scaled final : public DeviceJob {
 public:
  Scaled(const std::vector<float>& input, const Stream& stream, std::size_t fields = 2)
      : input_(device_copy(input, stream)), fields_(fields) {}
  void launch(Slab slab, float* out, std::size_t field_stride, const Stream& stream) override {
    const float* const in = input_.device_data() + item_values * static_cast<std::size_t>(slab.first);
    const int count = slab.count * static_cast<int>(item_values);
    for (std::size_t k = 0; k < fields_; ++k) {
      test::scale_and_shift(in, out + k * field_stride, count, static_cast<float>(k + 1), 0.5f, stream);
    }
  }

 private:
  DeviceBuffer<float> input_;
  std::size_t fields_;
};

class Runs : public RuntimeTest {
 protected:
  Runs() {
    std::iota(input_.begin(), input_.end(), 1.0f);
    job_.prepare = [this](const Stream& stream) { return std::make_unique<Scaled>(input_, stream); };
    job_.on_host = [this](int, Slab slab, const jobs::Progress&) {
      const std::size_t first = item_values * static_cast<std::size_t>(slab.first);
      for (std::size_t n = first; n < first + item_values * static_cast<std::size_t>(slab.count); ++n) {
        for (std::size_t k = 0; k < 2; ++k) fields_[k][n] = static_cast<float>(k + 1) * input_[n] + 0.5f;
      }
    };
    for (auto& field : fields_) {
      field.assign(input_.size(), -1);
      job_.results.push_back(field.data());
    }
    job_.item_values = item_values;
    work_.items = items;
    work_.item_bytes = 2 * item_values * sizeof(float);
    work_.job_bytes = input_.size() * sizeof(float);
    work_.operations = 4.0 * items * item_values;
    work_.moved_bytes = static_cast<double>(items) * static_cast<double>(work_.item_bytes);
  }
  void expect_right() const {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t n = 0; n < input_.size(); ++n) {
        ASSERT_EQ(fields_[k][n], static_cast<float>(k + 1) * input_[n] + 0.5f) << k << ", " << n;
      }
    }
  }

  std::vector<float> input_ = std::vector<float>(items * item_values);
  std::array<std::vector<float>, 2> fields_;
  MultiDeviceRun::Job job_;
  dispatch::TileWork work_;
  /// Several tiles.
  dispatch::PlanRules rules_{.all_given = true, .unknown_operations_per_second = 1e6};
};

TEST_F(Runs, AnyMixOfDevicesComputesEveryItemOnceAndShowsItsSpeed) {
  in_every_order([&] {
    const auto host = dispatch::make_cpu_device(1);
    auto* const gpu = const_cast<GpuDevice*>(&device());
    const std::vector<dispatch::Device*> devices{host.get(), gpu};
    for (const bool mapped : {false, true}) {
      for (auto& field : fields_) std::ranges::fill(field, -1.0f);
      dispatch::Calibration calibration;
      const auto plan = dispatch::plan_tiles(work_, calibration.facts(devices, "scaled"), rules_);
      MultiDeviceRun::Settings settings;
      settings.deadline = std::chrono::minutes(2);
      settings.mapped_results = mapped;
      dispatch::Report report;
      {
        MultiDeviceRun run(job_, work_, plan, devices, settings);
        report = run.run({});
        run.add_to(calibration, "scaled");
      }
      expect_right();
      EXPECT_EQ(report.tiles(), static_cast<std::size_t>(plan.tile_count(work_)));
      const auto facts = calibration.facts(devices, "scaled");
      EXPECT_FALSE(facts[0].measured) << "only GPUs are measured";
      if (report.shares[1].tiles == 0) continue;  // the host took all
      EXPECT_TRUE(facts[1].measured);
      EXPECT_GT(facts[1].start_seconds, 0);
      EXPECT_GT(facts[1].operations_per_second, 0);
      EXPECT_EQ(facts[1].bytes_per_second > 0, !mapped) << "kernels that write to the host copy nothing";
    }
  });
}

/// As fields for OpenGL: the parts of other GPUs are copied to the one of the results.
TEST_F(Runs, TimedPartsOfEveryGpuReachResultsThatStayOnOne) {
  if (device_count() < 2) GTEST_SKIP() << "One GPU.";
  const auto test = [&] {
    std::vector<dispatch::Device*> devices;
    for (std::size_t i = 0; i < 2; ++i) devices.push_back(const_cast<GpuDevice*>(&device(i)));
    const Stream here(device());
    const DeviceBuffer<float> field(here, input_.size());
    here.wait();
    MultiDeviceRun::Job job = job_;
    job.results.clear();
    job.on_device = {.device = &device(),
                     .values = field.device_data(),
                     .used_by = [&](const Stream& stream) { stream.uses_memory_of(here); }};
    job.prepare = [this](const Stream& stream) { return std::make_unique<Scaled>(input_, stream, 1); };
    dispatch::Calibration calibration;
    const auto plan = dispatch::plan_tiles(work_, calibration.facts(devices, "scaled"), rules_);
    MultiDeviceRun run(job, work_, plan, devices, {.deadline = std::chrono::minutes(2)});
    const auto report = run.run({});
    run.add_to(calibration, "scaled");
    for (const auto& share : report.shares) EXPECT_EQ(share.error, "");
    const auto facts = calibration.facts(devices, "scaled");
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(facts[i].measured, report.shares[i].tiles > 0) << "GPU " << i;
    }
    std::vector<float> found(input_.size());
    field.copy_to(found, here);
    here.wait();
    for (std::size_t n = 0; n < input_.size(); ++n) ASSERT_EQ(found[n], input_[n] + 0.5f) << n;
  };
  in_every_order(test);
#ifdef ISOLUME_GPU_EMULATED
  emulate("2x sm90 64MiB nopeer");  // parts go through the host
  test();
#endif
}

TEST_F(Runs, OneGpuAloneComputesAllOfIt) {
  auto* const gpu = const_cast<GpuDevice*>(&device());
  const std::vector<dispatch::Device*> devices{gpu};
  dispatch::Calibration calibration;
  const auto plan = dispatch::plan_tiles(work_, calibration.facts(devices, "scaled"), rules_);
  MultiDeviceRun run(job_, work_, plan, devices, {.deadline = std::chrono::minutes(2)});
  EXPECT_GT(run.run({}).tiles(), 1U);
  expect_right();
  run.add_to(calibration, "scaled");
  const auto facts = calibration.facts(devices, "scaled");
  EXPECT_GT(facts[0].seconds_for(work_), 0);
}

}  // namespace
}  // namespace isolume::gpu
