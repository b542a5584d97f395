#include "core/anatomy/atlas_store.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "core/anatomy/atlas_steps.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/memory.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::size_t read_floats(const fs::path& path, std::span<const std::span<float>> parts) {
  std::ifstream file(path, std::ios::binary);
  std::size_t bytes = 0;
  for (const std::span<float> each : parts) {
    const auto size = each.size_bytes();
    file.read(reinterpret_cast<char*>(each.data()), static_cast<std::streamsize>(size));
    bytes += size;
  }
  if (!file) throw Error(fmt::format("{}: cannot be read ({}).", path.string(), std::strerror(errno)));
  return bytes;
}

std::size_t write_floats(const fs::path& path, std::span<const std::span<const float>> parts) {
  std::ofstream file(path, std::ios::binary);
  std::size_t bytes = 0;
  for (const std::span<const float> each : parts) {
    const auto size = each.size_bytes();
    file.write(reinterpret_cast<const char*>(each.data()), static_cast<std::streamsize>(size));
    bytes += size;
  }
  file.close();
  if (!file) {
    throw Error(
        fmt::format("{}: cannot be written ({}). Free space, or set TMPDIR to a folder on another disk.",
                    path.string(), std::strerror(errno)));
  }
  return bytes;
}

template <class Float, class Field>
std::vector<std::span<Float>> spans_of(Field& fields) {
  std::vector<std::span<Float>> all;
  for (auto& field : fields)
    for (auto& component : field.components) all.emplace_back(component.data(), component.size());
  return all;
}

/// What a stage did with an image.
struct Stage {
  double begin = 0, end = 0;
  std::size_t bytes = 0;
};

}  // namespace

AtlasStore::AtlasStore(std::size_t images, bool is_streamed)
    : shapes_(images),
      subjects_(is_streamed ? 0 : images),
      folder_(is_streamed ? std::make_unique<ScratchFolder>("isolume-atlas-") : nullptr) {}

fs::path AtlasStore::file(std::size_t index, const char* part) const {
  return folder_->path() / fmt::format("{}-{}", index, part);
}

std::size_t AtlasStore::read(std::size_t index, const SubjectParts& parts, AtlasSubject& subject) const {
  const Shape& shape = shapes_[index];
  std::size_t bytes = 0;
  const auto read_values = [&](bool is_read, const char* name, std::size_t size, FieldValues& values) {
    if (!is_read || size == 0) return;
    values.resize(size);
    const std::array<std::span<float>, 1> all{values};
    bytes += read_floats(file(index, name), all);
  };
  read_values(parts.compared, "compared", shape.compared, subject.compared);
  read_values(parts.image, "image", shape.image, subject.image);
  read_values(parts.warped, "warped", shape.warped, subject.warped);
  if (parts.fields && !shape.fields.empty()) {
    for (const Counts& counts : shape.fields) subject.fields.emplace_back(counts);
    bytes += read_floats(file(index, "fields"), spans_of<float>(subject.fields));
  }
  return bytes;
}

std::size_t AtlasStore::write(std::size_t index, const SubjectParts& parts,
                              const AtlasSubject& subject) const {
  std::size_t bytes = 0;
  const auto write_values = [&](bool is_written, const char* name, const FieldValues& values) {
    const std::array<std::span<const float>, 1> all{values};
    if (is_written) bytes += write_floats(file(index, name), all);
  };
  write_values(parts.compared, "compared", subject.compared);
  write_values(parts.image, "image", subject.image);
  write_values(parts.warped, "warped", subject.warped);
  if (parts.fields) bytes += write_floats(file(index, "fields"), spans_of<const float>(subject.fields));
  return bytes;
}

VectorField AtlasStore::field(std::size_t index) const {
  if (!is_streamed()) return subjects_.at(index).fields.at(0);
  AtlasSubject subject;
  read(index, {.fields = true}, subject);
  return std::move(subject.fields.at(0));
}

void AtlasStore::visit(const Pass& pass, const Visit& work, const jobs::Progress& progress) {
  if (is_streamed()) return stream(pass, work, progress);
  for (std::size_t i = 0; i < size(); ++i) {
    progress.check();
    if (pass.read_more) pass.read_more(i, subjects_[i]);
    work(i, subjects_[i]);
  }
}

void AtlasStore::stream(const Pass& pass, const Visit& work, const jobs::Progress& progress) {
  const auto start = Clock::now();
  struct Read {
    AtlasSubject subject;
    Stage stage;
  };
  const auto read_one = [&](std::size_t index) {
    Read result;
    result.stage.begin = seconds_since(start);
    result.stage.bytes = read(index, pass.reads, result.subject);
    if (pass.read_more) pass.read_more(index, result.subject);
    result.stage.end = seconds_since(start);
    return result;
  };
  const auto write_one = [&](std::size_t index, const AtlasSubject& subject) {
    Stage stage{.begin = seconds_since(start)};
    stage.bytes = write(index, pass.writes, subject);
    stage.end = seconds_since(start);
    return stage;
  };
  const SubjectParts& writes = pass.writes;
  const bool has_writes = writes.compared || writes.image || writes.warped || writes.fields;
  std::array<std::vector<Stage>, 3> stages;
  std::future<Read> next;
  std::future<Stage> written;
  if (size() > 0) next = std::async(std::launch::async, read_one, 0);
  for (std::size_t i = 0; i < size(); ++i) {
    progress.check();
    auto present = std::make_shared<Read>(next.get());
    stages[0].push_back(present->stage);
    if (i + 1 < size()) next = std::async(std::launch::async, read_one, i + 1);
    Stage worked{.begin = seconds_since(start)};
    work(i, present->subject);
    worked.end = seconds_since(start);
    stages[1].push_back(worked);
    if (!has_writes) continue;
    const AtlasSubject& subject = present->subject;
    Shape& shape = shapes_[i];
    if (writes.compared) shape.compared = subject.compared.size();
    if (writes.image) shape.image = subject.image.size();
    if (writes.warped) shape.warped = subject.warped.size();
    if (writes.fields) {
      shape.fields.clear();
      for (const VectorField& each : subject.fields) shape.fields.push_back(each.counts);
    }
    if (written.valid()) stages[2].push_back(written.get());
    written =
        std::async(std::launch::async, [&write_one, i, present] { return write_one(i, present->subject); });
  }
  if (written.valid()) stages[2].push_back(written.get());

  const double elapsed = seconds_since(start);
  std::array<double, 3> seconds{};
  dispatch::Report report;
  constexpr std::array names{"Read", "Compute", "Write"};
  for (std::size_t k = 0; k < stages.size(); ++k) {
    for (std::size_t i = 0; i < stages[k].size(); ++i) {
      const Stage& each = stages[k][i];
      seconds[k] += each.end - each.begin;
      report.timeline.push_back(
          {.device = static_cast<int>(k), .tile = i, .begin = each.begin, .end = each.end});
    }
    dispatch::Report::Share share;
    share.device = names[k];
    share.busy_seconds = seconds[k];
    report.shares.push_back(std::move(share));
  }
  report.seconds = elapsed;
  // The efficiency of the report is then the least possible time, of the longest stage, divided by the time taken.
  const auto longest = std::ranges::max_element(seconds);
  report.shares[static_cast<std::size_t>(longest - seconds.begin())].tiles = size();
  const double bound = *longest;
  times_.read += seconds[0];
  times_.work += seconds[1];
  times_.write += seconds[2];
  times_.elapsed += elapsed;
  times_.bound += bound;
  for (const Stage& each : stages[0]) times_.bytes_read += each.bytes;
  for (const Stage& each : stages[2]) times_.bytes_written += each.bytes;
  if (elapsed > timeline_.seconds) {
    report.job = "stream of images";
    report.who = "CPU";
    report.reason = fmt::format(
        "the images do not fit the memory: they are read from disk one by one, in {:.2g} s of at least {:.2g} s",
        elapsed, bound);
    timeline_ = std::move(report);
  }
}

bool is_streamed(const Counts& counts, std::size_t images, const AtlasParameters& parameters) {
  const AtlasMemory memory = atlas_memory(parameters);
  // Of each image: values, those compared, the level's, warped, and the deformation. Of all: mean, variance and their sums, steps.
  const auto bytes = [&](double resident) {
    return ((4 + memory.of_each_image) * resident + memory.of_all + 6) * sizeof(float) *
           static_cast<double>(volumes::point_count(counts));
  };
  constexpr double gigabyte = 1e9;
  const double granted = parameters.memory_gb > 0 ? parameters.memory_gb * gigabyte
                                                  : static_cast<double>(dispatch::available_memory_bytes());
  if (bytes(static_cast<double>(images)) <= granted) return false;
  constexpr double streamed = 3;  // one that is read, one that is worked on, one that is written
  if (bytes(streamed) > granted) {
    throw ResourceError(fmt::format(
        "The atlas needs {:.2g} GB for {} x {} x {} voxels even if its images are read from disk one by one; {:.2g} "
        "GB are granted. Raise the memory, or resample the first image to fewer voxels.",
        bytes(streamed) / gigabyte, counts[0], counts[1], counts[2], granted / gigabyte));
  }
  return true;
}

}  // namespace isolume::anatomy
