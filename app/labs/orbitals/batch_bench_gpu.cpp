#include "app/labs/orbitals/batch_bench_gpu.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/gpu_positions.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "core/orbitals/benchmark.h"
#include "gpu/orbitals/kernel_benchmark.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;
using orbitals::FieldKind;

/// The emulator takes about a microsecond for every operation of a kernel.
constexpr double emulated_points = 2000;
/// Points of each field that are compared with the reference: half a second for the density of C60 on two
/// cores.
constexpr std::size_t most_samples = 4096;

grid::Grid grid_of(const GpuBench& bench, const molecules::Wavefunction& wavefunction) {
  const auto grid = orbitals::benchmark_grid(wavefunction.molecule, bench.points);
  const double coarsening = std::cbrt(static_cast<double>(grid.point_count()) / emulated_points);
  return bench.emulated && coarsening > 1 ? grid::coarsened(grid, coarsening) : grid;
}

Json row_start(const char* table, const GpuBench& bench, const std::string& file, FieldKind kind,
               const grid::Grid& grid) {
  return {{"table", table},
          {"file", file},
          {"field", orbitals::to_string(kind)},
          {"engine", bench.engine.name()},
          {"emulated", bench.emulated},
          {"dimensions", grid.dimensions},
          {"spacing_angstrom", grid.step(0, 0) * units::angstrom_per_bohr},
          {"points", grid.point_count()}};
}

void add_timing(Json& row, const gpu::KernelTiming& timing, const gpu::GpuPeak& peak) {
  if (!timing.unavailable.empty()) {
    row["unavailable"] = timing.unavailable;
    return;
  }
  row["ran"] = timing.kernel;
  row["repeats"] = timing.repeats;
  row["prepare_ms"] = timing.prepare_ms;
  row["first_ms"] = timing.first_ms;
  row["device_ms"] = timing.device_ms;
  row["device_min_ms"] = timing.device_min_ms;
  row["pinned_ms"] = timing.pinned_ms;
  row["mapped_ms"] = timing.mapped_ms;
  row["gflop"] = timing.gflop;
  row["peak_gflop_per_second"] = peak.gflop_per_second;
  row["peak_formula"] = peak.formula;
  row["peak_gigabytes_per_second"] = peak.gigabytes_per_second;
  row["flop_bound_ms"] = timing.flop_bound_ms;
  row["write_bound_ms"] = timing.write_bound_ms;
  row["bound_ms"] = timing.bound_ms();
  row["fraction_of_bound"] = timing.device_ms > 0 ? timing.bound_ms() / timing.device_ms : 0;
  row["largest_difference"] = timing.largest_difference;
  row["error_over_max"] = timing.relative_error;
}

/// What is computed again and again for one field of one file.
struct Case {
  const GpuBench& bench;
  const std::string& file;
  const molecules::Wavefunction& wavefunction;
  FieldKind kind;
  grid::Grid grid;
  orbitals::FieldRequest request;
  grid::ScalarField reference;  ///< by the CPU
  const jobs::Progress& progress;

  benchmarks::RepeatOptions engine_repeats() const { return repeats(orbitals::BenchmarkOptions{}.repeats); }
  benchmarks::RepeatOptions kernel_repeats() const { return repeats({}); }
  benchmarks::RepeatOptions repeats(benchmarks::RepeatOptions usual) const {
    return bench.emulated ? benchmarks::RepeatOptions{0, 0} : usual;
  }
};

/// The engine's own time, from the call to values in ordinary memory.
void add_delivered(Json& row, const Case& each, const std::string& kernel, const std::string& devices) {
  orbitals::EngineOptions options;
  options.kernel = kernel;
  options.devices = devices;
  const auto [timing, last] =
      orbitals::time_engine(each.bench.engine, options, each.wavefunction, each.request, each.grid,
                            each.engine_repeats(), each.progress);
  row["delivered_ms"] = timing.median_ms;
  row["delivered_min_ms"] = timing.least_ms;
  row["delivered_first_ms"] = timing.first_ms;
  row["how"] = last.report.how();
  row["schedule_efficiency"] = last.report.efficiency();
}

using Tell = std::function<void(Json row)>;

/// A row that fails says why; the others are still timed.
template <class Fill>
void add_row(const Tell& tell, Json row, const Fill& fill) {
  try {
    fill(row);
  } catch (const Error& error) {
    row["unavailable"] = error.what();
  }
  tell(std::move(row));
}

void time_kernels(const Tell& tell, const Case& each) {
  const auto combination = orbitals::combine(each.wavefunction, each.request);
  const orbitals::FieldProblem problem{.molecule = each.wavefunction.molecule,
                                       .basis = each.wavefunction.basis,
                                       .coefficients = combination.coefficients,
                                       .weights = combination.quadratic ? &combination.weights : nullptr,
                                       .grid = &each.grid};
  const auto samples = orbitals::sample_field(problem, each.reference.values, most_samples, each.progress);
  for (const int position : each.bench.devices) {
    auto& device = *each.bench.pool.devices()[static_cast<std::size_t>(position)];
    for (const auto& kernel : each.bench.kernels) {
      Json start = row_start("kernels", each.bench, each.file, each.kind, each.grid);
      start["kernel"] = kernel;
      start["device"] = position;
      start["device_name"] = device.name();
      start["samples"] = samples.points.size();
      add_row(tell, std::move(start), [&](Json& row) {
        const auto timing = gpu::time_kernel(device, kernel, problem, each.reference.values, samples,
                                             each.kernel_repeats(), each.progress);
        add_timing(row, timing, gpu::gpu_peak(device));
        if (timing.unavailable.empty()) add_delivered(row, each, kernel, std::to_string(position));
      });
    }
  }
}

void time_devices(const Tell& tell, const Case& each) {
  double alone = 0;
  for (std::size_t count = 1; count <= each.bench.devices.size(); ++count) {
    const auto first = each.bench.devices.begin();
    const std::vector<int> taken(first, first + static_cast<std::ptrdiff_t>(count));
    Json start = row_start("devices", each.bench, each.file, each.kind, each.grid);
    start["kernel"] = each.bench.kernels.size() == 1 ? each.bench.kernels.front() : "auto";
    start["devices"] = taken;
    add_row(tell, std::move(start), [&](Json& row) {
      add_delivered(row, each, row["kernel"], fmt::format("{}", fmt::join(taken, ",")));
      if (count == 1) alone = row["delivered_ms"];
      row["speedup"] = alone / row["delivered_ms"].get<double>();
      row["efficiency"] = row["speedup"].get<double>() / static_cast<double>(count);
    });
  }
}

std::string file_name(const Json& row) {
  return std::filesystem::path(row["file"].get<std::string>()).filename().string();
}

/// "0.014 FLOP", the larger of the two and which it is; nothing where neither is known.
std::string bound(const Json& row) {
  const double flop_ms = row["flop_bound_ms"];
  const double write_ms = row["write_bound_ms"];
  if (flop_ms <= 0 && write_ms <= 0) return "";
  return fmt::format("{:.4f} {}", std::max(flop_ms, write_ms), flop_ms > write_ms ? "FLOP " : "write");
}

void print_devices(std::ostream& out, const Json& rows) {
  out << fmt::format("{:<20} {:<8} {:<16} {:>9} {:>9} {:>8} {:>10} {:>9}  {}\n", "file", "field", "GPUs",
                     "deliv. ms", "first ms", "speed-up", "efficiency", "schedule", "how");
  for (const auto& row : rows) {
    if (row["table"] != "devices") continue;
    out << fmt::format("{:<20} {:<8} {:<16} ", file_name(row), row["field"].get<std::string>(),
                       fmt::format("{}", fmt::join(row["devices"].get<std::vector<int>>(), ",")));
    if (row.contains("unavailable")) {
      out << "cannot: " << row["unavailable"].get<std::string>() << '\n';
      continue;
    }
    out << fmt::format("{:>9.3f} {:>9.3f} {:>8.2f} {:>8.0f} % {:>7.0f} %  {}\n",
                       row["delivered_ms"].get<double>(), row["delivered_first_ms"].get<double>(),
                       row["speedup"].get<double>(), 100 * row["efficiency"].get<double>(),
                       100 * row["schedule_efficiency"].get<double>(), row["how"].get<std::string>());
  }
}

}  // namespace

GpuBench plan_gpu_bench(const orbitals::Engine& engine, const dispatch::DevicePool& pool,
                        const std::string& kernel, const std::string& devices, int points) {
  GpuBench bench{.engine = engine,
                 .pool = pool,
                 .kernels = engine.kernels(),
                 .devices = gpu_positions(pool, devices),
                 .points = points};
  if (kernel != "all") {
    if (!std::ranges::count(bench.kernels, kernel)) {
      throw Error(fmt::format("--kernel: expected all or one of {}, found {}.",
                              fmt::join(bench.kernels, ", "), isolume::quoted(kernel)));
    }
    bench.kernels = {kernel};
  }
  bench.emulated = any_emulated(pool, bench.devices);
  return bench;
}

void time_gpus(const GpuBench& bench, const std::string& file, const molecules::Wavefunction& wavefunction,
               const std::function<void(Json row)>& tell, const jobs::Progress& progress) {
  const auto cpu = orbitals::make_cpu_engine();
  for (const FieldKind kind : {FieldKind::orbital, FieldKind::density}) {
    if (bench.emulated && kind == FieldKind::density) continue;  // many orbitals: minutes
    const auto grid = grid_of(bench, wavefunction);
    const auto request = orbitals::benchmark_request(wavefunction, kind);
    auto reference = orbitals::compute_field(wavefunction, request, grid, *cpu, {}, progress).values;
    const Case each{bench, file, wavefunction, kind, grid, request, std::move(reference), progress};
    time_kernels(tell, each);
    time_devices(tell, each);
  }
}

void print_gpu_header(std::ostream& out, const GpuBench& bench) {
  if (bench.emulated) {
    out << "\nEmulated GPUs, on a coarse grid: these times say nothing about the speed of any GPU.\n";
  } else {
    out << '\n';
    for (const int position : bench.devices) {
      const auto& device = *bench.pool.devices()[static_cast<std::size_t>(position)];
      const auto peak = gpu::gpu_peak(device);
      out << fmt::format("GPU {}: {}, {}; peak {:.0f} GFLOP/s ({}) and {:.0f} GB/s\n", position,
                         device.name(), device.detail(), peak.gflop_per_second, peak.formula,
                         peak.gigabytes_per_second);
    }
  }
  out << "device: the launches alone; pinned: until the field is in pinned host memory; mapped: written "
         "there by\n"
         "the kernel; delivered: the engine's call, preparation included; first: the first such call; prep.: "
         "of the\n"
         "kernel, compiling included; bound: the larger of the operations after screening at the peak and "
         "writing the\n"
         "field once; part: the bound's, of the device time; max diff: from the CPU engine, over all points, "
         "in the\n"
         "field's unit; error/max: the largest error against the reference in double precision at sampled "
         "points,\n"
         "over the field's greatest magnitude.\n\n";
  out << fmt::format(
             "{:<20} {:<8} {:>3} {:<15} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8} {:>13} {:>6} {:>9} "
             "{:>9}\n",
             "file", "field", "GPU", "kernel", "device ms", "pinned ms", "mapped ms", "deliv. ms", "first ms",
             "prep. ms", "x 1 core", "GFLOP", "bound ms", "part", "max diff", "error/max")
      << std::flush;
}

void print_gpu_row(std::ostream& out, const Json& row, const std::map<std::string, double>& one_thread_ms) {
  out << fmt::format("{:<20} {:<8} {:>3} {:<15} ", file_name(row), row["field"].get<std::string>(),
                     row["device"].get<int>(), row["kernel"].get<std::string>());
  if (row.contains("unavailable")) {
    out << "cannot: " << row["unavailable"].get<std::string>() << '\n';
    return;
  }
  const auto core =
      one_thread_ms.find(row["file"].get<std::string>() + ' ' + row["field"].get<std::string>());
  out << fmt::format("{:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.1f} ", row["device_ms"].get<double>(),
                     row["pinned_ms"].get<double>(), row["mapped_ms"].get<double>(),
                     row["delivered_ms"].get<double>(), row["delivered_first_ms"].get<double>(),
                     row["prepare_ms"].get<double>());
  out << fmt::format("{:>9} {:>8.3f} {:>13} {:>4.0f} % {:>9.1e} {:>9.1e}",
                     core == one_thread_ms.end()
                         ? ""
                         : fmt::format("{:.0f}", core->second / row["delivered_ms"].get<double>()),
                     row["gflop"].get<double>(), bound(row), 100 * row["fraction_of_bound"].get<double>(),
                     row["largest_difference"].get<double>(), row["error_over_max"].get<double>());
  if (row["ran"] != row["kernel"]) out << " (" << row["ran"].get<std::string>() << " ran in its place)";
  out << '\n';
}

void print_several_gpus(std::ostream& out, const GpuBench& bench, const Json& rows) {
  if (bench.devices.size() < 2) return;
  out << "\nSeveral GPUs: speed-up and efficiency against the first alone; schedule: ideal time over time "
         "taken.\n\n";
  print_devices(out, rows);
}

}  // namespace isolume::batch
