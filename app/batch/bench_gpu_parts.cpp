#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/gpu_positions.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/units.h"
#include "gpu/machine.h"
#include "gpu/runtime/devices/device_benchmark.h"
#include "gpu/runtime/devices/gpu_peak.h"
#include "gpu/surfaces/surface_benchmark.h"
#include "gpu/volumes/volume_benchmark.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string file;  ///< empty: synthetic fields
  const std::vector<BatchLab>* labs = nullptr;
  double isovalue = 0;  ///< 0: a tenth of the field's greatest magnitude
  std::string devices = "all";
  bool json = false;
};

/// Sizes of the work: the emulator takes about a microsecond for every operation of a kernel.
struct Sizes {
  std::vector<std::size_t> transfer_bytes;
  std::vector<int> field_sides;
  std::vector<double> kernel_us;
  int launches;
  double multiply_add_ms;
  benchmarks::RepeatOptions repeats;
};
Sizes sizes(bool emulated) {
  constexpr std::size_t kibi = 1024;
  if (emulated) return {{16 * kibi, 64 * kibi}, {12}, {200, 2000}, 50, 0, {0, 1}};
  return {{kibi * kibi, 16 * kibi * kibi, 256 * kibi * kibi},
          {128, 256},
          {20, 200, 2000, 20'000},
          500,
          5,
          {0.2, 10}};
}

/// Sixty Gaussians of alternating sign on a sphere, to get as many lobes of the same size as in an orbital of
/// C60.
grid::ScalarField made_up_field(int side) {
  constexpr int centres = 60;
  constexpr double width = 0.05;  // all lengths are relative to the box
  constexpr double box_angstrom = 13;
  grid::ScalarField field;
  field.name = "lobes";
  field.grid.dimensions = {side, side, side};
  field.grid.step = Eigen::Matrix3d::Identity() * (box_angstrom * units::bohr_per_angstrom / (side - 1));
  field.values.assign(field.grid.point_count(), 0.0f);
  const auto n = static_cast<std::size_t>(side);
  std::array<std::vector<float>, 3> factors;
  for (int i = 0; i < centres; ++i) {
    const double z = 1 - (2 * i + 1.0) / centres;  // a spiral of equal areas
    const double angle = i * std::numbers::pi * (3 - std::sqrt(5.0));
    const double around = std::sqrt(1 - z * z);
    const double at[3] = {around * std::cos(angle), around * std::sin(angle), z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      factors[axis].resize(n);
      for (std::size_t k = 0; k < n; ++k) {
        const double away = static_cast<double>(k) / (side - 1) - (0.5 + 0.3 * at[axis]);
        factors[axis][k] = static_cast<float>(std::exp(-0.5 * away * away / (width * width)));
      }
    }
    const float sign = i % 2 == 0 ? 1.0f : -1.0f;
    for (std::size_t row = 0; row < n * n; ++row) {
      const float factor = sign * factors[1][row % n] * factors[2][row / n];
      float* const values = field.values.data() + row * n;
      for (std::size_t k = 0; k < n; ++k) values[k] += factor * factors[0][k];
    }
  }
  return field;
}

/// The function of the first lab that provides it.
template <class Function>
const Function& lab_with(Function BatchLab::*function, const Options& options) {
  for (const BatchLab& lab : *options.labs) {
    if (lab.*function) return lab.*function;
  }
  throw Error(fmt::format("{}: no lab of this program reads fields. Leave the file out.", options.file));
}

double greatest_magnitude(const grid::ScalarField& field) {
  const auto range = grid::value_range(field);
  return std::max(std::abs(range.low), std::abs(range.high));
}

/// Measures the parts of one GPU. A part that fails becomes a row with the reason; the others continue.
class Measurements {
 public:
  using Tell = std::function<void(Json row)>;

  Measurements(const std::shared_ptr<dispatch::DevicePool>& pool, int position, const Options& options,
               bool emulated, const jobs::Progress& progress, Tell tell)
      : pool_(pool),
        device_(pool->devices()[static_cast<std::size_t>(position)]),
        position_(position),
        options_(options),
        sizes_(sizes(emulated)),
        emulated_(emulated),
        progress_(progress),
        tell_(std::move(tell)) {}

  void time_launches() {
    constexpr int kernels_a_graph = 32;  // number of passes in one batch of the shortest-path engine
    add({{"table", "launches"}, {"how", "one by one"}}, [&](Json& row) {
      add_launches(row, gpu::time_launches(*device_, sizes_.launches, sizes_.repeats, progress_));
    });
    add({{"table", "launches"}, {"how", fmt::format("graphs of {}", kernels_a_graph)}}, [&](Json& row) {
      const int graphs = std::max(1, sizes_.launches / kernels_a_graph);
      const auto times =
          gpu::time_graph_launches(*device_, graphs, kernels_a_graph, sizes_.repeats, progress_);
      add_launches(row, times);
      row["make_us"] = 1e3 * times.make.median_ms;
      row["make_first_us"] = 1e3 * times.make.first_ms;
    });
  }

  void time_waits() {
    for (const double kernel_us : sizes_.kernel_us) {
      add({{"table", "waits"}, {"kernel_us", kernel_us}}, [&](Json& row) {
        const auto times = gpu::time_wait(*device_, kernel_us, sizes_.repeats, progress_);
        row["repeats"] = times.repeats;
        row["device_us"] = times.device_us;
        row["late_us"] = times.late_us;
        row["late_synchronised_us"] = times.late_synchronised_us;
      });
    }
  }

  void time_transfers() {
    for (const auto kind : gpu::transfer_kinds) {
      for (const std::size_t bytes : sizes_.transfer_bytes) {
        add({{"table", "transfers"}, {"kind", gpu::to_string(kind)}, {"bytes", bytes}}, [&](Json& row) {
          const auto times = gpu::time_transfer(*device_, kind, bytes, sizes_.repeats, progress_);
          row["moved_bytes"] = times.moved_bytes;
          row["repeats"] = times.timing.repeats;
          add_timing(row, "copy", times.timing);
          row["gigabytes_per_second"] = times.gigabytes_per_second();
          if (kind == gpu::TransferKind::device_to_device)  // of the largest
            bytes_per_ms_ = static_cast<double>(times.moved_bytes) / times.timing.median_ms;
        });
      }
    }
  }

  /// Times the way from a file to the counted surfaces of its field, via the host and without.
  void time_ways() {
    if (options_.file.empty()) return;
    for (const bool stays : {false, true}) {
      add({{"table", "ways"}, {"way", stays ? "stays on the GPU" : "by way of the host"}}, [&](Json& row) {
        const auto compute = lab_with(&BatchLab::compute_on_gpu, options_)(options_.file, emulated_, pool_,
                                                                           position_, progress_);
        const auto first = compute(false);
        const double isovalue = isovalue_of(first);
        std::size_t triangles = 0;
        const auto timing = benchmarks::time_repeats(sizes_.repeats, [&] {
          const auto start = std::chrono::steady_clock::now();
          const auto field = compute(stays);
          if (stays && field.values.device() == nullptr) throw Error("The field was not kept on the GPU.");
          triangles = gpu::count_triangles(*device_, field, isovalue, progress_);
          return milliseconds_since(start);
        });
        row["dimensions"] = first.grid.dimensions;
        row["isovalue"] = isovalue;
        row["triangles"] = triangles;
        add_timing(row, "way", timing);
      });
    }
  }

  /// Must run after the transfers, whose bandwidth it uses.
  void time_bounds() {
    add({{"table", "bounds"}, {"bound", "memory"}, {"unit", "GB/s"}}, [&](Json& row) {
      if (bytes_per_ms_ == 0) throw Error("No copy within the device's memory was measured.");
      row["measured"] = 1e-6 * bytes_per_ms_;
      row["computed"] = gpu::gpu_peak(*device_).gigabytes_per_second;
    });
    add({{"table", "bounds"}, {"bound", "multiply-adds"}, {"unit", "GFLOP/s"}}, [&](Json& row) {
      const auto times = gpu::time_multiply_adds(*device_, sizes_.multiply_add_ms, sizes_.repeats, progress_);
      const auto peak = gpu::gpu_peak(*device_);
      row["measured"] = times.gflop_per_second();
      row["computed"] = peak.gflop_per_second;
      row["formula"] = peak.formula;
      row["gflop"] = times.gflop;
      add_timing(row, "kernel", times.timing);
    });
  }

  void time_surfaces() {
    if (!options_.file.empty()) {
      time_surfaces(std::filesystem::path(options_.file).filename().string(), [&] {
        return lab_with(&BatchLab::read_field, options_)(options_.file, emulated_, progress_);
      });
      return;
    }
    for (const int side : sizes_.field_sides) {
      time_surfaces("lobes", [side] { return made_up_field(side); });
    }
  }

  void time_volumes() {
    if (!options_.file.empty()) return;
    for (const int side : sizes_.field_sides) {
      std::vector<gpu::VolumeKernelTimes> all;
      try {
        progress_.report(0.5, fmt::format("volumes on GPU {}", position_));
        all = gpu::time_volume_kernels(*device_, side, sizes_.repeats, progress_);
      } catch (const Error&) {
        add({{"table", "volumes"}, {"kernel", "all"}, {"side", side}}, [](Json&) { throw; });
        return;
      }
      for (const auto& times : all) {
        add({{"table", "volumes"}, {"kernel", times.kernel}, {"side", side}}, [&](Json& row) {
          add_timing(row, "kernel", times.timing);
          row["moved_bytes"] = times.moved_bytes;
          row["gigabytes_per_second"] =
              times.timing.median_ms > 0 ? 1e-6 * times.moved_bytes / times.timing.median_ms : 0;
          row["bound_ms"] = bytes_per_ms_ > 0 ? times.moved_bytes / bytes_per_ms_ : 0;
          row["fraction_of_bound"] =
              times.timing.median_ms > 0 ? row["bound_ms"].get<double>() / times.timing.median_ms : 0;
        });
      }
    }
  }

 private:
  template <class Fill>
  void add(Json row, const Fill& fill) {
    progress_.report(0.5, fmt::format("{} on GPU {}", row["table"].get<std::string>(), position_));
    row["device"] = position_;
    row["device_name"] = device_->name();
    row["emulated"] = emulated_;
    try {
      fill(row);
    } catch (const Error& error) {
      row["unavailable"] = error.what();
    }
    tell_(std::move(row));
  }
  double isovalue_of(const grid::ScalarField& field) const {
    return options_.isovalue != 0 ? options_.isovalue : 0.1 * greatest_magnitude(field);
  }
  static void add_timing(Json& row, const std::string& name, const benchmarks::Timing& timing) {
    row[name + "_ms"] = timing.median_ms;
    row[name + "_min_ms"] = timing.least_ms;
    row[name + "_first_ms"] = timing.first_ms;
  }

  static void add_launches(Json& row, const gpu::LaunchTimes& times) {
    row["launches"] = times.launches;
    row["call_us"] = times.call_us;
    row["device_us"] = times.device_us;
    row["round_trip_us"] = 1e3 * times.round_trip.median_ms;
    row["round_trip_min_us"] = 1e3 * times.round_trip.least_ms;
    row["round_trip_first_us"] = 1e3 * times.round_trip.first_ms;
  }

  template <class MakeField>
  void time_surfaces(const std::string& name, const MakeField& make_field) {
    add({{"table", "surfaces"}, {"field", name}}, [&](Json& row) {
      const grid::ScalarField field = make_field();
      const double isovalue = isovalue_of(field);
      row["dimensions"] = field.grid.dimensions;
      row["isovalue"] = isovalue;
      const auto times = gpu::time_surfaces(*device_, field, isovalue, sizes_.repeats, progress_);
      row["points"] = times.points;
      row["vertices"] = times.vertices;
      row["triangles"] = times.triangles;
      add_timing(row, "upload", times.upload);
      add_timing(row, "find", times.find);
      add_timing(row, "write", times.write);
      add_timing(row, "download", times.download);
      add_timing(row, "whole", times.whole);
      const double pass_ms = times.find.median_ms + times.write.median_ms;
      row["triangles_per_second"] = 1e3 * static_cast<double>(times.triangles) / pass_ms;
      row["moved_bytes"] = times.moved_bytes;
      row["bound_ms"] = bytes_per_ms_ > 0 ? times.moved_bytes / bytes_per_ms_ : 0;
      row["fraction_of_bound"] = row["bound_ms"].get<double>() / pass_ms;
    });
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  dispatch::Device* device_;
  int position_;
  const Options& options_;
  Sizes sizes_;
  bool emulated_;
  jobs::Progress progress_;
  Tell tell_;
  double bytes_per_ms_ = 0;  ///< measured bandwidth of the device's memory; 0: not measured yet
};

/// The number of a row's key.
double number(const Json& row, const char* key) {
  return row[key].get<double>();
}

void print_launches_header(std::ostream& out) {
  out << fmt::format("{:>3} {:<16} {:>8} {:>9} {:>10} {:>14} {:>13} {:>9}\n", "GPU", "empty kernel",
                     "launches", "call us", "device us", "round trip us", "first trip us", "make us");
}
std::string launches_case(const Json& row) {
  return fmt::format("{:<16}", row["how"].get<std::string>());
}
std::string launches_numbers(const Json& row) {
  return fmt::format("{:>8} {:>9.2f} {:>10.2f} {:>14.1f} {:>13.1f} {:>9}", row["launches"].get<int>(),
                     number(row, "call_us"), number(row, "device_us"), number(row, "round_trip_us"),
                     number(row, "round_trip_first_us"),
                     row.contains("make_us") ? fmt::format("{:.1f}", number(row, "make_us")) : "");
}

void print_waits_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:>12} {:>11} {:>15} {:>15}\n", "GPU", "kernel of us", "device us",
                     "late us, asking", "late us, driver");
}
std::string waits_case(const Json& row) {
  return fmt::format("{:>12.0f}", number(row, "kernel_us"));
}
std::string waits_numbers(const Json& row) {
  return fmt::format("{:>11.1f} {:>15.1f} {:>15.1f}", number(row, "device_us"), number(row, "late_us"),
                     number(row, "late_synchronised_us"));
}

void print_transfers_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:<19} {:>10} {:>11} {:>11} {:>11} {:>9}\n", "GPU", "copy", "KiB", "median ms",
                     "least ms", "first ms", "GB/s");
}
std::string transfers_case(const Json& row) {
  return fmt::format("{:<19} {:>10}", row["kind"].get<std::string>(), row["bytes"].get<std::size_t>() / 1024);
}
std::string transfers_numbers(const Json& row) {
  return fmt::format("{:>11.4f} {:>11.4f} {:>11.4f} {:>9.2f}", number(row, "copy_ms"),
                     number(row, "copy_min_ms"), number(row, "copy_first_ms"),
                     number(row, "gigabytes_per_second"));
}

void print_bounds_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:<14} {:>12} {:>12} {:>9}\n", "GPU", "bound", "measured", "computed", "part");
}
std::string bounds_case(const Json& row) {
  return fmt::format("{:<14}", row["bound"].get<std::string>());
}
std::string bounds_numbers(const Json& row) {
  const double computed = number(row, "computed");
  return fmt::format("{:>12.1f} {:>12.1f} {:>9}  {}{}", number(row, "measured"), computed,
                     computed > 0 ? fmt::format("{:.0f} %", 100 * number(row, "measured") / computed) : "",
                     row["unit"].get<std::string>(),
                     row.contains("formula") ? ", " + row["formula"].get<std::string>() : "");
}

void print_surfaces_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:<20} {:>11} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>6}\n",
                     "GPU", "field", "points", "triangles", "upload ms", "find ms", "write ms", "downl. ms",
                     "whole ms", "first ms", "Mtri/s", "bound ms", "part");
}
std::string surfaces_case(const Json& row) {
  return fmt::format("{:<20}", row["field"].get<std::string>());
}
std::string surfaces_numbers(const Json& row) {
  const auto n = row["dimensions"].get<std::array<int, 3>>();
  return fmt::format(
      "{:>11} {:>9} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.1f} {:>9.3f} {:>4.0f} %",
      fmt::format("{}x{}x{}", n[0], n[1], n[2]), row["triangles"].get<std::size_t>(),
      number(row, "upload_ms"), number(row, "find_ms"), number(row, "write_ms"), number(row, "download_ms"),
      number(row, "whole_ms"), number(row, "whole_first_ms"), 1e-6 * number(row, "triangles_per_second"),
      number(row, "bound_ms"), 100 * number(row, "fraction_of_bound"));
}

void print_volumes_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:<24} {:>11} {:>10} {:>10} {:>9} {:>9} {:>6}\n", "GPU", "kernel on volumes",
                     "points", "ms", "first ms", "GB/s", "bound ms", "part");
}
std::string volumes_case(const Json& row) {
  const int side = row["side"].get<int>();
  return fmt::format("{:<24} {:>11}", row["kernel"].get<std::string>(), fmt::format("{0}x{0}x{0}", side));
}
std::string volumes_numbers(const Json& row) {
  return fmt::format("{:>10.4f} {:>10.3f} {:>9.1f} {:>9.4f} {:>4.0f} %", number(row, "kernel_ms"),
                     number(row, "kernel_first_ms"), number(row, "gigabytes_per_second"),
                     number(row, "bound_ms"), 100 * number(row, "fraction_of_bound"));
}

void print_ways_header(std::ostream& out) {
  out << fmt::format("\n{:>3} {:<20} {:>11} {:>9} {:>9} {:>9} {:>9}\n", "GPU", "file to surfaces", "points",
                     "triangles", "ms", "least ms", "first ms");
}
std::string ways_case(const Json& row) {
  return fmt::format("{:<20}", row["way"].get<std::string>());
}
std::string ways_numbers(const Json& row) {
  const auto n = row["dimensions"].get<std::array<int, 3>>();
  return fmt::format("{:>11} {:>9} {:>9.3f} {:>9.3f} {:>9.3f}", fmt::format("{}x{}x{}", n[0], n[1], n[2]),
                     row["triangles"].get<std::size_t>(), number(row, "way_ms"), number(row, "way_min_ms"),
                     number(row, "way_first_ms"));
}

/// How a table is measured and printed: each row names the measurement, then its numbers or why there are
/// none.
struct Table {
  void (Measurements::*measure)();
  void (*print_header)(std::ostream& out);
  std::string (*what)(const Json& row);
  std::string (*numbers)(const Json& row);
};
constexpr Table tables[] = {
    {&Measurements::time_launches, print_launches_header, launches_case, launches_numbers},
    {&Measurements::time_waits, print_waits_header, waits_case, waits_numbers},
    {&Measurements::time_transfers, print_transfers_header, transfers_case, transfers_numbers},
    {&Measurements::time_bounds, print_bounds_header, bounds_case, bounds_numbers},
    {&Measurements::time_surfaces, print_surfaces_header, surfaces_case, surfaces_numbers},
    {&Measurements::time_volumes, print_volumes_header, volumes_case, volumes_numbers},
    {&Measurements::time_ways, print_ways_header, ways_case, ways_numbers}};

void print_row(std::ostream& out, const Table& table, const Json& row) {
  out << fmt::format("{:>3} {} {}\n", row["device"].get<int>(), table.what(row),
                     row.contains("unavailable") ? "cannot: " + row["unavailable"].get<std::string>()
                                                 : table.numbers(row))
      << std::flush;  // so that the row appears even if the next part crashes
}

void print_introduction(std::ostream& out, const dispatch::DevicePool& pool,
                        const std::vector<int>& positions, bool emulated) {
  if (emulated) out << "Emulated GPUs: these times say nothing about the speed of any GPU.\n";
  for (const int position : positions) {
    const auto& device = *pool.devices()[static_cast<std::size_t>(position)];
    out << fmt::format("GPU {}: {}, {}\n", position, device.name(), device.detail());
  }
  out << "\nMedians; first: the first of all, with everything cold. call: of the host's time for a launch; "
         "device: from\none launch to the next, all queued before the first begins; round trip: a launch (of "
         "a kernel or a\ngraph) and the wait for its end; make: recording and instantiating the "
         "graph.\nlate: the host's time from launch to the end of the wait, less the kernel's: polling "
         "(with\na deadline, as all engines do), and in the driver. GB/s: bytes read and written where both "
         "are in the\ndevice's memory. Surfaces: both, at +/- the isovalue; find: counting and measuring; "
         "whole: from the field\nin host memory to meshes in host memory; triangles per second and part of "
         "the bound: of find and write; bound:\nthe bytes that these must move, at the measured bandwidth. "
         "Kernels on volumes: by the device's clock. File to surfaces: from the orbital's\ncoefficients to both surfaces counted on the GPU.\n\n";
}

void bench(Context& context, const Options& options) {
  const auto pool = gpu::make_device_pool();
  const auto positions = gpu_positions(*pool, options.devices);
  const bool emulated = any_emulated(*pool, positions);
  auto rows = Json::array();
  const Table* table = nullptr;
  const auto tell = [&](Json row) {
    if (options.json) {
      rows.push_back(std::move(row));
    } else {
      print_row(context.out, *table, row);
    }
  };
  std::vector<Measurements> gpus;
  for (const int position : positions)
    gpus.emplace_back(pool, position, options, emulated, context.progress, tell);
  if (!options.json) print_introduction(context.out, *pool, positions, emulated);
  for (const Table& each : tables) {
    table = &each;
    if (!options.json) table->print_header(context.out);
    for (auto& gpu : gpus) (gpu.*table->measure)();
  }
  if (options.json) print(context.out, rows);
}

}  // namespace

void add_bench_gpu_parts(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<Options>();
  auto& parts = add_verb(
      bench_command, "gpu",
      "Time the parts of all GPU engines: launches, waits, copies, memory, multiply-adds, surfaces.");
  add_option(parts, context, &options->file,
             commands::path(
                 "FILE",
                 "File whose field (or HOMO) the surfaces are extracted from; without one, a synthetic field")
                 .optional());
  add_option(
      parts, context, &options->isovalue,
      commands::number("isovalue", "Isovalue of the surfaces; 0: a tenth of the field's greatest magnitude")
          .at_least(0));
  add_option(parts, context, &options->devices, devices_argument());
  add_flag(parts, "json", options->json, "Print JSON");
  options->labs = &context.labs;
  on_call(parts, context, [options, &context] { bench(context, *options); });
}

}  // namespace isolume::batch
