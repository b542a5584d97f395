// What it costs that HDF5 is read in a process of its own: a GADGET snapshot of 10 million bodies with single-precision
// numbers, as read_bodies gives it, beside libhdf5 in this process, which does the same with its numbers.
#include <array>
#include <filesystem>
#include <vector>

#include <benchmark/benchmark.h>
#include <hdf5.h>

#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/hdf5_file.h"

namespace isolume::nbody {
namespace {

constexpr hsize_t bodies = 10'000'000;
constexpr std::array datasets{"PartType1/Coordinates", "PartType1/Velocities"};

const std::filesystem::path& snapshot() {
  static const std::filesystem::path made = [] {
    const auto path = std::filesystem::temp_directory_path() / "isolume-bench.hdf5";
    const auto file = write_hdf5(path);
    file->add_group("Header");
    file->set_attribute("Header", "MassTable", std::vector<double>{0, 1e-7, 0, 0, 0, 0});
    file->set_attribute("Header", "NumPart_ThisFile", std::vector<std::uint32_t>{0, bodies, 0, 0, 0, 0});
    file->add_group("PartType1");
    std::vector<float> numbers(3 * bodies);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 997) / 997;
    for (const char* each : datasets) file->add(each, numbers, {bodies, 3});
    file->finish();
    return path;
  }();
  return made;
}

void split_up(const std::vector<double>& rows, Bodies& bodies_of) {
  const std::array axes{&bodies_of.x, &bodies_of.y, &bodies_of.z};
  for (auto* axis : axes) axis->clear(), axis->reserve(rows.size() / 3);
  for (std::size_t i = 0; i < rows.size(); ++i) axes[i % 3]->push_back(rows[i]);
}

void in_this_process(benchmark::State& state) {
  for (auto each : state) {
    const hid_t file = H5Fopen(snapshot().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    Bodies found;
    for (const char* name : datasets) {
      const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
      std::vector<double> rows(3 * bodies);
      H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data());
      split_up(rows, found);
      H5Dclose(dataset);
    }
    H5Fclose(file);
    benchmark::DoNotOptimize(found);
  }
}

void in_its_own_process(benchmark::State& state) {
  for (auto each : state) {
    const Hdf5Reader file(snapshot());
    Bodies found;
    for (const char* name : datasets) split_up(file.numbers(name, {bodies, 3}), found);
    benchmark::DoNotOptimize(found);
  }
}

void as_bodies(benchmark::State& state) {
  for (auto each : state) benchmark::DoNotOptimize(read_bodies(snapshot()));
}

BENCHMARK(in_this_process)->Unit(benchmark::kMillisecond)->UseRealTime()->Repetitions(5);
BENCHMARK(in_its_own_process)->Unit(benchmark::kMillisecond)->UseRealTime()->Repetitions(5);
BENCHMARK(as_bodies)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace isolume::nbody

BENCHMARK_MAIN();
