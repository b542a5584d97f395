#include "core/nbody/files/tipsy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/input_file.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/files/snapshot.h"

namespace isolume::nbody {
namespace {

template <class Value>
Value value_at(const char* bytes, bool swapped) {
  std::array<char, sizeof(Value)> held;
  std::memcpy(held.data(), bytes, sizeof(Value));
  if (swapped) std::ranges::reverse(held);
  return std::bit_cast<Value>(held);
}

constexpr std::size_t used_floats = 7;  // mass, position and velocity

struct TipsyKind {
  const char* name;
  std::uint64_t floats;                    ///< per body, starting with those that are used
  std::array<std::string_view, 5> others;  ///< what follows these
};
constexpr std::array tipsy_kinds{
    TipsyKind{"gas", 12, {"density", "temperature", "softening", "metals", "potential"}},
    TipsyKind{"dark matter", 9, {"softening", "potential"}},
    TipsyKind{"stars", 11, {"metals", "time of formation", "softening", "potential"}}};

struct TipsyHeader {
  double time = 0;
  std::array<std::uint64_t, tipsy_kinds.size()> counts = {};
  std::uint64_t bytes = 0;
  bool swapped = false;

  std::uint64_t count() const { return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}); }
};

/// Adds the names of those numbers of a body that are not used and not 0.
void note_unused(const TipsyKind& kind, const std::vector<char>& body, bool swapped,
                 std::vector<std::string>& unused) {
  for (std::size_t k = used_floats; k < kind.floats; ++k) {
    const std::string_view name = kind.others[k - used_floats];
    if (value_at<float>(body.data() + 4 * k, swapped) != 0 && std::ranges::find(unused, name) == unused.end())
      unused.emplace_back(name);
  }
}

/// time, bodies, dimensions, gas, dark, stars; only if consistent with the length of the file.
std::optional<TipsyHeader> header_of(const std::array<char, 28>& start, std::uint64_t file_bytes) {
  for (const bool swapped :
       {std::endian::native == std::endian::little, std::endian::native != std::endian::little}) {
    std::array<std::int32_t, 5> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = value_at<std::int32_t>(start.data() + 8 + 4 * i, swapped);
    }
    if (numbers[1] != 3 || std::ranges::any_of(numbers, [](std::int32_t each) { return each < 0; })) continue;
    TipsyHeader header{.time = value_at<double>(start.data(), swapped), .swapped = swapped};
    std::uint64_t count = 0, bytes = 0;
    for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind) {
      header.counts[kind] = static_cast<std::uint64_t>(numbers[2 + kind]);
      count += header.counts[kind];
      bytes += 4 * tipsy_kinds[kind].floats * header.counts[kind];
    }
    if (count == 0 || count != static_cast<std::uint64_t>(numbers[0])) continue;
    for (const std::uint64_t length : {28u, 32u}) {
      header.bytes = length;
      if (file_bytes == length + bytes) return header;
    }
  }
  return std::nullopt;
}

std::optional<TipsyHeader> header_of(const std::filesystem::path& path) {
  std::error_code failed;
  const std::uintmax_t bytes = std::filesystem::file_size(path, failed);
  std::array<char, 28> start = {};
  const std::string read = start_of_file(path, start.size());
  if (failed || read.size() < start.size()) return std::nullopt;
  std::ranges::copy(read, start.begin());
  return header_of(start, bytes);
}

}  // namespace

namespace {

/// Side in Mpc/h of boxes that do not state it.
constexpr double assumed_side = 100;

/// Whether bodies lie within the cube from -1/2 to 1/2 and reach its sides.
bool fills_unit_cube(const Bodies& bodies) {
  return std::ranges::all_of(std::array{&bodies.x, &bodies.y, &bodies.z}, [](const auto* axis) {
    const auto [low, high] = std::ranges::minmax(*axis);
    return low >= -0.5001 && high <= 0.5001 && high - low > 0.95;
  });
}

/// Whether the unit of length is the side of a box, that of mass from the critical density, and the time is the scale
/// factor.
bool is_comoving_box(const InitialConditions& found) {
  const double mass = std::accumulate(found.bodies.mass.begin(), found.bodies.mass.end(), 0.0);
  return found.time > 1e-3 && found.time < 1.001 && mass > 0.05 && mass < 1.001 &&
         found.bodies.size() >= 64 && fills_unit_cube(found.bodies);
}

/// The Hubble constant is sqrt(8 pi / 3) in these units, and velocities are those of comoving positions (pynbody's
/// tipsy reader).
void take_box(InitialConditions& found) {
  Bodies& bodies = found.bodies;
  const double matter = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0), a = found.time;
  found.box = ComovingBox{assumed_side, {.omega_matter = matter, .omega_lambda = 1 - matter, .hubble = 0.7}};
  const double mass = found.box->mass() / matter,
               speed = a * assumed_side / std::sqrt(8 * std::numbers::pi / 3);
  for (double& each : bodies.mass) each *= mass;
  for (auto* axis : {&bodies.x, &bodies.y, &bodies.z}) {
    for (double& each : *axis) each = wrapped((each + 0.5) * assumed_side, assumed_side);
  }
  for (auto* axis : {&bodies.vx, &bodies.vy, &bodies.vz}) {
    for (double& each : *axis) each *= speed;
  }
  found.time = std::log(a);
  found.softening = usual_softening(*found.box, bodies.size());
  found.remarks.assumed(
      fmt::format("The bodies fill a comoving box at the scale factor {:.6g} with the matter density {:.4g}. "
                  "The file does not name "
                  "its side, Lambda or h: {} Mpc/h, {:.4g} (a flat universe) and 0.7 are taken.",
                  a, matter, assumed_side, 1 - matter));
}

}  // namespace

bool is_tipsy(const std::filesystem::path& path) {
  return header_of(path).has_value();
}

InitialConditions read_tipsy(const std::filesystem::path& path, UnitsChoice units) {
  const auto header = header_of(path);
  if (!header) {
    throw InputError(path, 0, "the length of the file is not what a Tipsy header says",
                     "Write the file again with the program that made it.");
  }
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(header->bytes));
  InitialConditions found;
  found.time = header->time;
  found.origins.clear();
  Bodies& bodies = found.bodies;
  const std::array values{&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
  dispatch::require_memory(fmt::format("{} bodies", header->count()),
                           header->count() * (values.size() * sizeof(double) + 1),
                           "Read it on a machine with more memory.");
  for (auto* each : values) each->reserve(header->count());
  found.origin.reserve(header->count());
  std::vector<std::string> unused;
  for (std::size_t kind = 0; kind < tipsy_kinds.size(); ++kind) {
    if (header->counts[kind] == 0) continue;
    std::vector<char> body(4 * tipsy_kinds[kind].floats);
    for (std::uint64_t i = 0; i < header->counts[kind]; ++i) {
      if (!file.read(body.data(), static_cast<std::streamsize>(body.size()))) {
        throw InputError(path, 0, fmt::format("it ends at body {}", bodies.size() + 1),
                         "Copy the file again.");
      }
      for (std::size_t k = 0; k < values.size(); ++k) {
        values[k]->push_back(static_cast<double>(value_at<float>(body.data() + 4 * k, header->swapped)));
      }
      note_unused(tipsy_kinds[kind], body, header->swapped, unused);
    }
    require_masses(path, tipsy_kinds[kind].name,
                   std::span(bodies.mass).last(static_cast<std::size_t>(header->counts[kind])));
    found.origin.insert(found.origin.end(), header->counts[kind],
                        static_cast<std::uint8_t>(found.origins.size()));
    found.origins.emplace_back(tipsy_kinds[kind].name);
  }
  warn_of_gas(header->counts[0], found.remarks);
  if (!unused.empty()) {
    found.remarks.dropped(fmt::format("Quantities that are not used: {}.", fmt::join(unused, ", ")),
                          unused.size());
  }
  if (is_comoving_box(found)) {
    take_box(found);
    warn_of_unused_choice(units, found.remarks);
  } else {
    take_chosen_units(units, found);
  }
  return found;
}

namespace {

template <class Value>
void put_swapped(std::ostream& to, Value value) {
  auto bytes = std::bit_cast<std::array<char, sizeof(Value)>>(value);
  if constexpr (std::endian::native == std::endian::little) std::ranges::reverse(bytes);
  to.write(bytes.data(), bytes.size());
}

}  // namespace

void write_tipsy(const InitialConditions& start, const std::filesystem::path& path) {
  const Bodies& bodies = start.bodies;
  if (bodies.size() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(fmt::format("{}: Tipsy files hold up to 2147483647 bodies, not {}. Write HDF5.",
                            path.string(), bodies.size()));
  }
  const auto count = static_cast<std::int32_t>(bodies.size());
  AtomicFile file(path);
  std::ostream& to = file.stream();
  put_swapped(to, start.time);
  for (const std::int32_t number : {count, 3, 0, count, 0, 0}) put_swapped(to, number);  // padding
  const std::array values{&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (const auto* each : values) put_swapped(to, each->empty() ? 0.0f : static_cast<float>((*each)[i]));
    put_swapped(to, static_cast<float>(start.softening));
    put_swapped(to, 0.0f);  // the potential
  }
  file.commit();
}

}  // namespace isolume::nbody
