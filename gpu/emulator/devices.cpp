#include "gpu/emulator/devices.h"

#include <array>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "gpu/emulator/machine.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {
namespace {

constexpr double slow = 0.25;
constexpr std::array known_generations = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};

[[noreturn]] void refuse(std::string_view word, std::string_view expected) {
  throw Error(fmt::format("ISOLUME_EMULATED_DEVICES: {} is not understood: expected {}.",
                          isolume::quoted(word), expected));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

int counted(std::string_view word, std::string_view text) {
  const auto n = parse_number<int>(text);
  if (!n || *n < 1) refuse(word, "a number from 1 after the @");
  return *n;
}

void read_generation(std::string_view word, DeviceSpecification& device) {
  const auto generation = parse_number<int>(word.substr(2));
  for (const int known : known_generations) {
    if (generation != known) continue;
    device.compute_major = known / 10;
    device.compute_minor = known % 10;
    return;
  }
  refuse(word, fmt::format("one of the generations sm{}", fmt::join(known_generations, ", sm")));
}

void read_memory(std::string_view word, DeviceSpecification& device) {
  const bool gibi = word.ends_with("GiB");
  const auto amount = parse_number<double>(word.substr(0, word.size() - 3));
  const double bytes = amount.value_or(0) * (gibi ? 1073741824.0 : 1048576.0);
  if (!(bytes >= 1048576.0) || bytes > static_cast<double>(memory::slice_bytes) / 4) {
    refuse(word, "memory from 1MiB to 64GiB");
  }
  device.memory_bytes = static_cast<std::size_t>(bytes);
}

void read_word(std::string_view word, DeviceSpecification& device) {
  const std::size_t at = word.find('@');
  const std::string_view before = word.substr(0, at);
  if (word == "slow") {
    device.speed = slow;
  } else if (word == "fast") {
    device.speed = 1;
  } else if (word == "nopeer") {
    device.has_peers = false;
  } else if (word == "nocode") {
    device.has_code = false;
  } else if (word.starts_with("speed=")) {
    const auto speed = parse_number<double>(word.substr(6));
    if (!speed || !(*speed > 0) || *speed > 1) refuse(word, "a speed above 0 and up to 1");
    device.speed = *speed;
  } else if (word.starts_with("sm")) {
    read_generation(word, device);
  } else if (word.ends_with("GiB") || word.ends_with("MiB")) {
    read_memory(word, device);
  } else if (at != std::string_view::npos && before == "fails") {
    device.fails_at_launch = counted(word, word.substr(at + 1));
  } else if (at != std::string_view::npos && before == "hangs") {
    device.hangs_at_launch = counted(word, word.substr(at + 1));
  } else if (at != std::string_view::npos && before == "oom") {
    device.fails_at_allocation = counted(word, word.substr(at + 1));
  } else {
    refuse(word, "Nx, smNN, 8GiB, 512MiB, slow, fast, speed=0.5, fails@N, hangs@N, oom@N, nopeer or nocode");
  }
}

/// Parses "4x"; empty for other words.
std::optional<int> read_count(std::string_view word) {
  if (word.size() < 2 || !word.ends_with('x')) return {};
  const auto count = parse_number<int>(word.substr(0, word.size() - 1));
  if (count && (*count < 1 || *count > memory::largest_device_count)) {
    refuse(word, fmt::format("1 to {} devices", memory::largest_device_count));
  }
  return count;
}

template <class T>
struct Choice {
  std::string_view word;
  T value;
  bool has_seed;
};
/// Parses "word", or "word=7" for words with a seed.
template <class T>
T parse_choice(const char* variable, std::string_view text, std::initializer_list<Choice<T>> choices,
               unsigned& seed) {
  const std::size_t equals = text.find('=');
  std::vector<std::string> known;
  for (const auto& choice : choices) {
    known.emplace_back(choice.word);
    if (choice.has_seed) known.push_back(std::string(choice.word) + "=SEED");
    if (text == choice.word) return choice.value;
    if (!choice.has_seed || equals == std::string_view::npos || text.substr(0, equals) != choice.word)
      continue;
    if (const auto read = parse_number<unsigned>(text.substr(equals + 1))) {
      seed = *read;
      return choice.value;
    }
  }
  throw Error(fmt::format("{}: {} is not understood: expected one of {}.", variable, isolume::quoted(text),
                          fmt::join(known, ", ")));
}

void check(const std::vector<DeviceSpecification>& devices) {
  if (devices.size() > static_cast<std::size_t>(memory::largest_device_count)) {
    throw Error(fmt::format("ISOLUME_EMULATED_DEVICES: {} devices are more than {}. Ask for fewer.",
                            devices.size(), memory::largest_device_count));
  }
}

}  // namespace

std::vector<DeviceSpecification> parse_devices(std::string_view text) {
  std::vector<DeviceSpecification> devices;
  if (text.find_first_not_of(" \t") == std::string_view::npos) return devices;
  for (const std::string_view group : split(text, ",")) {
    DeviceSpecification device;
    int count = 1;
    bool first = true;
    for (const std::string_view word : split(group, " \t")) {
      if (word.empty()) continue;
      const auto read = first ? read_count(word) : std::nullopt;
      first = false;
      if (read) {
        count = *read;
      } else {
        read_word(word, device);
      }
    }
    if (first) refuse(group, "a device between commas, such as \"1x sm90 8GiB\"");
    devices.insert(devices.end(), static_cast<std::size_t>(count), device);
  }
  check(devices);
  return devices;
}

Options parse_options(const char* streams, const char* blocks, const char* conflicts) {
  Options options;
  if (streams != nullptr) {
    options.streams = parse_choice<StreamOrder>("ISOLUME_EMULATED_STREAMS", streams,
                                                {{"eager", StreamOrder::eager, false},
                                                 {"delayed", StreamOrder::delayed, false},
                                                 {"shuffled", StreamOrder::shuffled, true}},
                                                options.stream_seed);
  }
  if (blocks != nullptr) {
    options.blocks = parse_choice<BlockOrder>("ISOLUME_EMULATED_BLOCKS", blocks,
                                              {{"in-order", BlockOrder::in_order, false},
                                               {"shuffled", BlockOrder::shuffled, true},
                                               {"interleaved", BlockOrder::interleaved, true}},
                                              options.block_seed);
  }
  if (conflicts != nullptr) {
    unsigned no_seed = 0;
    options.conflicts = parse_choice<bool>("ISOLUME_EMULATED_CONFLICTS", conflicts,
                                           {{"on", true, false}, {"off", false, false}}, no_seed);
  }
  return options;
}

Options options_of_environment() {
  return parse_options(std::getenv("ISOLUME_EMULATED_STREAMS"), std::getenv("ISOLUME_EMULATED_BLOCKS"),
                       std::getenv("ISOLUME_EMULATED_CONFLICTS"));
}

Options with_streams(StreamOrder streams, unsigned seed) {
  Options options = options_of_environment();
  options.streams = streams;
  options.stream_seed = seed;
  return options;
}

void set_devices(const std::vector<DeviceSpecification>& devices, Options options) {
  check(devices);
  Machine& all = machine();
  Machine::Lock lock(all.mutex);
  all.replace(devices, options, lock);
}

void set_devices(std::string_view text, Options options) {
  set_devices(parse_devices(text), options);
}

MemoryUse memory_use(int device) {
  const auto use = memory::usage(device);
  return {use.bytes, use.allocations};
}

MemoryUse pinned_memory_use() {
  return memory_use(memory::host);
}

int launch_count(int device) {
  Machine& all = machine();
  const Machine::Lock lock(all.mutex);
  return all.devices.at(static_cast<std::size_t>(device))->launches;
}

}  // namespace isolume::gpu::emulator
