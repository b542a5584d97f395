#include "core/anatomy/labels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/input_file.h"
#include "core/base/number.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"

namespace isolume::anatomy {
namespace {

namespace fs = std::filesystem;

constexpr double largest_exact_in_float32 = 1 << 24;
constexpr double largest_exact = 9007199254740992;  // 2^53

std::size_t index_of(const std::vector<std::int64_t>& values, std::int64_t label) {
  return static_cast<std::size_t>(std::ranges::lower_bound(values, label) - values.begin());
}

/// The values of all voxels as whole numbers.
std::vector<std::int64_t> whole_numbers(const images::Volume& volume, const fs::path& path) {
  std::vector<std::int64_t> result(volume.geometry.point_count());
  std::size_t others = 0, first = 0;
  double example = 0;
  images::visit_pixel_type(volume.type, [&]<class Pixel>(Pixel) {
    const Pixel* pixels = volume.pixels<Pixel>();
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double value = volume.slope * static_cast<double>(pixels[i]) + volume.intercept;
      if (std::trunc(value) == value && std::abs(value) <= largest_exact) {
        result[i] = static_cast<std::int64_t>(value);
      } else if (others++ == 0) {
        first = i;
        example = value;
      }
    }
  });
  images::require_readable(volume);
  if (others == 0) return result;
  const auto& counts = volume.geometry.dimensions;
  const auto width = static_cast<std::size_t>(counts[0]), height = static_cast<std::size_t>(counts[1]);
  throw InputError(
      path, 0,
      fmt::format("{} not a whole number, first {} in voxel ({}, {}, {}): this is not a label map",
                  counted(others, "value is", "values are"), example, first % width, first / width % height,
                  first / width / height),
      "Choose a label map, or treat it as an image.");
}

/// Different labels with their indices at all voxels. Neighbours mostly have the same label.
void take(Labels& labels, const std::vector<std::int64_t>& numbers) {
  std::unordered_set<std::int64_t> found;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i == 0 || numbers[i] != numbers[i - 1]) found.insert(numbers[i]);
  }
  labels.values.assign(found.begin(), found.end());
  std::ranges::sort(labels.values);
  labels.indices.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    labels.indices[i] = i > 0 && numbers[i] == numbers[i - 1]
                            ? labels.indices[i - 1]
                            : static_cast<std::uint32_t>(index_of(labels.values, numbers[i]));
  }
}

/// Index of the background's label, which is added if there is none.
std::uint32_t add_background(Labels& labels) {
  const std::size_t index = index_of(labels.values, 0);
  if (index < labels.values.size() && labels.values[index] == 0) return static_cast<std::uint32_t>(index);
  labels.values.insert(labels.values.begin() + static_cast<std::ptrdiff_t>(index), 0);
  for (std::uint32_t& each : labels.indices) each += each >= index ? 1 : 0;
  return static_cast<std::uint32_t>(index);
}

/// The index of the label with the greatest weight at a place of the map, which lies at most half a voxel outside.
std::uint32_t heaviest_at(const Labels& labels, const Eigen::Vector3d& place) {
  std::array<std::size_t, 3> first{}, next{};
  std::array<double, 3> fraction{};
  std::size_t stride = 1, base = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int count = labels.grid.dimensions[axis];
    const double inside = std::clamp(place[static_cast<int>(axis)], 0.0, count - 1.0);
    const int cell = std::min(static_cast<int>(inside), std::max(count - 2, 0));
    first[axis] = static_cast<std::size_t>(cell);
    fraction[axis] = inside - cell;
    next[axis] = count > 1 ? stride : 0;
    base += first[axis] * stride;
    stride *= static_cast<std::size_t>(count);
  }
  std::array<std::uint32_t, 8> found{};
  std::array<double, 8> weights{};
  std::size_t labels_found = 0;
  for (std::size_t corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::size_t at = base;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const bool is_second = (corner >> axis & 1) != 0;
      weight *= is_second ? fraction[axis] : 1 - fraction[axis];
      at += is_second ? next[axis] : 0;
    }
    const std::uint32_t label = labels.indices[at];
    std::size_t known = 0;
    while (known < labels_found && found[known] != label) ++known;
    if (known == labels_found) found[labels_found++] = label;
    weights[known] += weight;
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < labels_found; ++i) {
    if (weights[i] > weights[best] || (weights[i] == weights[best] && found[i] < found[best])) best = i;
  }
  return found[best];
}

/// Removes labels that no voxel has.
void drop_unused(Labels& labels) {
  std::vector<bool> is_used(labels.values.size());
  for (const std::uint32_t each : labels.indices) is_used[each] = true;
  std::vector<std::uint32_t> renamed(labels.values.size());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < is_used.size(); ++i) {
    renamed[i] = static_cast<std::uint32_t>(kept);
    if (is_used[i]) labels.values[kept++] = labels.values[i];
  }
  labels.values.resize(kept);
  for (std::uint32_t& each : labels.indices) each = renamed[each];
}

void require_same_grid(const Labels& first, const Labels& second) {
  if (same_positions(first.grid, second.grid)) return;
  throw Error(
      "The two label maps lie on different grids. Bring one to the grid of the other: isolume-batch anatomy "
      "warp, --labels and --like.");
}

/// Part of a grid: first index and number of points along each axis.
struct Box {
  std::array<int, 3> first{std::numeric_limits<int>::max(), std::numeric_limits<int>::max(),
                           std::numeric_limits<int>::max()};
  std::array<int, 3> last{-1, -1, -1};

  void add(const std::array<int, 3>& index) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      first[axis] = std::min(first[axis], index[axis]);
      last[axis] = std::max(last[axis], index[axis]);
    }
  }
  int count(std::size_t axis) const { return last[axis] - first[axis] + 1; }
  std::size_t points() const {
    return static_cast<std::size_t>(count(0)) * static_cast<std::size_t>(count(1)) *
           static_cast<std::size_t>(count(2));
  }
};

/// Calls `visit(voxel, index)` for all voxels of a box.
template <class Visit>
void for_voxels(const grid::Grid& grid, const Box& box, const Visit& visit) {
  const auto width = static_cast<std::size_t>(grid.dimensions[0]),
             height = static_cast<std::size_t>(grid.dimensions[1]);
  for (int k = box.first[2]; k <= box.last[2]; ++k) {
    for (int j = box.first[1]; j <= box.last[1]; ++j) {
      for (int i = box.first[0]; i <= box.last[0]; ++i) {
        visit((static_cast<std::size_t>(k) * height + static_cast<std::size_t>(j)) * width +
                  static_cast<std::size_t>(i),
              std::array<int, 3>{i, j, k});
      }
    }
  }
}

Box whole(const grid::Grid& grid) {
  Box box;
  box.first = {0, 0, 0};
  for (std::size_t axis = 0; axis < 3; ++axis) box.last[axis] = grid.dimensions[axis] - 1;
  return box;
}

/// Whether the voxels of a box are on the surface of a label.
std::vector<bool> surface_of(const Labels& labels, std::uint32_t label, const Box& box) {
  const auto& counts = labels.grid.dimensions;
  const std::array<std::size_t, 3> strides{
      1, static_cast<std::size_t>(counts[0]),
      static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1])};
  std::vector<bool> surface;
  surface.reserve(box.points());
  for_voxels(labels.grid, box, [&](std::size_t at, const std::array<int, 3>& index) {
    bool is_surface = false;
    for (std::size_t axis = 0; axis < 3 && labels.indices[at] == label; ++axis) {
      if (counts[axis] == 1) continue;  // a single slice has no surface along its normal
      is_surface = is_surface || index[axis] == 0 || index[axis] == counts[axis] - 1 ||
                   labels.indices[at - strides[axis]] != label || labels.indices[at + strides[axis]] != label;
    }
    surface.push_back(is_surface);
  });
  return surface;
}

/// Squares of distances along a line: least of values[i] + (spacing (x - i))^2 for each x, as the lower envelope of
/// parabolas: P. F. Felzenszwalb, D. P. Huttenlocher, Theory of Computing 8, 415 (2012).
class LineDistances {
 public:
  LineDistances(int count, double spacing)
      : spacing_(spacing),
        result_(static_cast<std::size_t>(count)),
        vertices_(result_.size()),
        begins_(result_.size()) {}

  /// `values`, one every `stride`, are replaced.
  void replace(double* values, std::size_t stride) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const std::size_t count = result_.size();
    std::size_t parabolas = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (values[i * stride] == infinite) continue;
      double begin = -infinite;
      while (parabolas > 0) {
        begin = crossing(values, stride, vertices_[parabolas - 1], i);
        if (begin > begins_[parabolas - 1]) break;
        --parabolas;
      }
      vertices_[parabolas] = i;
      begins_[parabolas] = parabolas == 0 ? -infinite : begin;
      ++parabolas;
    }
    if (parabolas == 0) return;
    std::size_t now = 0;
    for (std::size_t x = 0; x < count; ++x) {
      while (now + 1 < parabolas && begins_[now + 1] < static_cast<double>(x)) ++now;
      const double along = spacing_ * (static_cast<double>(x) - static_cast<double>(vertices_[now]));
      result_[x] = values[vertices_[now] * stride] + along * along;
    }
    for (std::size_t x = 0; x < count; ++x) values[x * stride] = result_[x];
  }

 private:
  /// Where the parabola at b becomes less than that at a < b.
  double crossing(const double* values, std::size_t stride, std::size_t a, std::size_t b) const {
    const double from = static_cast<double>(a), to = static_cast<double>(b);
    const double rise = (values[b * stride] - values[a * stride]) / (spacing_ * spacing_);
    return (rise + to * to - from * from) / (2 * (to - from));
  }

  double spacing_;
  std::vector<double> result_;
  std::vector<std::size_t> vertices_;
  std::vector<double> begins_;
};

/// Squares of the distances of a box's voxels to the nearest voxel of a set in it, in the unit of the spacings.
std::vector<double> squares_of_distances(const std::vector<bool>& set, const Box& box,
                                         const Eigen::Vector3d& spacing) {
  std::vector<double> squares(set.size());
  std::ranges::transform(set, squares.begin(),
                         [](bool is_in) { return is_in ? 0 : std::numeric_limits<double>::infinity(); });
  std::size_t stride = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto count = static_cast<std::size_t>(box.count(axis));
    LineDistances line(box.count(axis), spacing[static_cast<int>(axis)]);
    for (std::size_t at = 0; at < squares.size(); ++at) {
      if (at / stride % count == 0) line.replace(squares.data() + at, stride);
    }
    stride *= count;
  }
  return squares;
}

/// Ascending distances from the voxels of one surface to the nearest of the other.
std::vector<double> distances(const std::vector<bool>& from, const std::vector<bool>& to, const Box& box,
                              const Eigen::Vector3d& spacing) {
  const std::vector<double> squares = squares_of_distances(to, box, spacing);
  std::vector<double> result;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i]) result.push_back(std::sqrt(squares[i]));
  }
  std::ranges::sort(result);
  return result;
}

/// Linear between the two nearest of the sorted numbers.
double percentile(const std::vector<double>& sorted, double percent) {
  const double place = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto first = static_cast<std::size_t>(place);
  const std::size_t second = std::min(first + 1, sorted.size() - 1);
  return sorted[first] + (place - static_cast<double>(first)) * (sorted[second] - sorted[first]);
}

/// The boxes of all labels, by index.
std::vector<Box> boxes_of(const Labels& labels) {
  std::vector<Box> boxes(labels.values.size());
  for_voxels(labels.grid, whole(labels.grid),
             [&](std::size_t at, const std::array<int, 3>& index) { boxes[labels.indices[at]].add(index); });
  return boxes;
}

struct Word {
  std::string text;
  bool is_quoted = false;
  bool follows_blanks = false;  ///< and nothing else that separates
};

/// The words of a line; what is in quotes is one word.
std::vector<Word> words_of(const std::string& line) {
  std::vector<Word> words;
  constexpr std::string_view between = " \t\r,;";
  std::size_t end = 0;
  for (std::size_t at = line.find_first_not_of(between); at != std::string::npos;) {
    const bool is_quoted = line[at] == '"';
    const bool follows_blanks = line.find_first_not_of(' ', end) == at;
    const std::size_t begin = at + (is_quoted ? 1 : 0);
    end = std::min(is_quoted ? line.find('"', begin) : line.find_first_of(between, begin), line.size());
    words.push_back({line.substr(begin, end - begin), is_quoted, follows_blanks});
    if (is_quoted) end = std::min(end + 1, line.size());
    at = line.find_first_not_of(between, end);
  }
  return words;
}

/// What is in quotes, or the words behind the number as far as blanks join them: "White matter". A number ends it.
std::optional<std::string> name_in(const std::vector<Word>& words) {
  if (const auto quoted = std::ranges::find_if(words, &Word::is_quoted); quoted != words.end())
    return quoted->text;
  if (words.size() < 2) return std::nullopt;
  std::string name = words[1].text;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (!words[i].follows_blanks || parse_number<double>(words[i].text)) break;
    name += ' ' + words[i].text;
  }
  return name;
}

}  // namespace

Labels read_labels(const fs::path& path, const jobs::Progress& progress) {
  const images::Document document =
      images::read_image(path, {.series_uid = {}, .mentions_others = false}, progress);
  const images::Volume& volume = document.volume;
  Labels labels{
      .grid = volume.geometry, .values = {}, .indices = {}, .type = volume.type, .remarks = document.remarks};
  if (document.time.has_several()) {
    labels.remarks.dropped(
        fmt::format("It has {} volumes, and the first one is used.", document.time.count()),
        static_cast<std::size_t>(document.time.count() - 1));
  }
  if (labels.grid.unit != grid::LengthUnit::millimetre) {
    throw InputError(
        path, 0,
        fmt::format("its lengths are in {}, and label maps are measured in mm", to_text(labels.grid.unit)),
        "Convert it to mm.");
  }
  take(labels, whole_numbers(volume, path));
  const std::int64_t largest = std::max(std::abs(labels.values.front()), std::abs(labels.values.back()));
  if (volume.type == images::PixelType::float32 && static_cast<double>(largest) > largest_exact_in_float32) {
    labels.remarks.warn(fmt::format(
        "Its labels reach {} as float32, which holds whole numbers up to {:.0f}: others may have been "
        "rounded when the file was written. Write it with 32-bit integers.",
        largest, largest_exact_in_float32));
  }
  if (volume.slope != 1 || volume.intercept != 0) labels.type = images::PixelType::float64;
  return labels;
}

Remarks write_labels(const Labels& labels, const fs::path& path) {
  images::Volume volume;
  static_cast<grid::Grid&>(volume.geometry) = labels.grid;
  volume.type = labels.type;
  const std::shared_ptr<std::byte> memory = images::allocate_voxels(volume.geometry, volume.type);
  images::visit_pixel_type(volume.type, [&]<class Pixel>(Pixel) {
    auto* pixels = reinterpret_cast<Pixel*>(memory.get());
    for (std::size_t i = 0; i < labels.indices.size(); ++i)
      pixels[i] = static_cast<Pixel>(labels.values[labels.indices[i]]);
  });
  volume.storage = memory;
  return images::write_volume(volume, path);
}

Labels moved(const Labels& labels, const DisplacementImage& by, const jobs::Progress& progress) {
  progress.check();
  Labels from = labels;
  require_same_unit(from.grid, by.grid);
  const std::uint32_t background = add_background(from);
  const volumes::IndexMap map = index_map(from.grid, by.grid);
  const volumes::Counts& counts = by.grid.dimensions;
  Labels result{.grid = by.grid, .values = from.values, .indices = {}, .type = from.type, .remarks = {}};
  result.indices.resize(by.grid.point_count());
  const Eigen::Array3d last(from.grid.dimensions[0] - 0.5, from.grid.dimensions[1] - 0.5,
                            from.grid.dimensions[2] - 0.5);
  std::atomic<std::size_t> inside = 0;
  handover::parallel_for(tbb::blocked_range<int>(0, counts[1] * counts[2], 8), [&](const auto& part) {
    progress.check();
    std::size_t found = 0;
    for (int row = part.begin(); row != part.end(); ++row) {
      std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(counts[0]);
      for (int x = 0; x < counts[0]; ++x, ++at) {
        const Eigen::Vector3d index(x + static_cast<double>(by.field.data(0)[at]),
                                    row % counts[1] + static_cast<double>(by.field.data(1)[at]),
                                    row / counts[1] + static_cast<double>(by.field.data(2)[at]));
        const Eigen::Vector3d place = map.matrix * index + map.offset;
        const bool is_inside = (place.array() >= -0.5).all() && (place.array() <= last).all();
        found += is_inside ? 1 : 0;
        result.indices[at] = is_inside ? heaviest_at(from, place) : background;
      }
    }
    inside += found;
  });
  require_common_points(inside);
  drop_unused(result);
  return result;
}

std::vector<LabelVolume> label_volumes(const Labels& labels) {
  std::vector<std::size_t> voxels(labels.values.size());
  std::vector<std::array<std::int64_t, 3>> sums(labels.values.size());
  for_voxels(labels.grid, whole(labels.grid), [&](std::size_t at, const std::array<int, 3>& index) {
    const std::uint32_t label = labels.indices[at];
    ++voxels[label];
    for (std::size_t axis = 0; axis < 3; ++axis) sums[label][axis] += index[axis];
  });
  std::vector<LabelVolume> result;
  constexpr double cubic_mm_per_ml = 1000;
  for (std::size_t i = 0; i < voxels.size(); ++i) {
    if (labels.values[i] == 0) continue;
    const auto count = static_cast<double>(voxels[i]);
    const Eigen::Vector3d index(static_cast<double>(sums[i][0]) / count,
                                static_cast<double>(sums[i][1]) / count,
                                static_cast<double>(sums[i][2]) / count);
    result.push_back({.label = labels.values[i],
                      .voxels = voxels[i],
                      .millilitres = count * labels.grid.cell_volume() / cubic_mm_per_ml,
                      .centroid_mm = labels.grid.position(index)});
  }
  return result;
}

std::vector<LabelOverlap> label_overlaps(const Labels& first, const Labels& second) {
  require_same_grid(first, second);
  std::map<std::int64_t, LabelOverlap> found;
  const auto counts_of = [&](const Labels& labels, std::size_t LabelOverlap::*member) {
    std::vector<std::size_t> voxels(labels.values.size());
    for (const std::uint32_t each : labels.indices) ++voxels[each];
    for (std::size_t i = 0; i < voxels.size(); ++i) found[labels.values[i]].*member = voxels[i];
  };
  counts_of(first, &LabelOverlap::first);
  counts_of(second, &LabelOverlap::second);
  // Index in the second map of each label of the first one; labels that it lacks have one that does not occur.
  std::vector<std::size_t> same(first.values.size(), second.values.size()), common(first.values.size());
  for (std::size_t i = 0; i < same.size(); ++i) {
    const std::size_t at = index_of(second.values, first.values[i]);
    if (at < second.values.size() && second.values[at] == first.values[i]) same[i] = at;
  }
  for (std::size_t i = 0; i < first.indices.size(); ++i)
    common[first.indices[i]] += same[first.indices[i]] == second.indices[i] ? 1 : 0;
  for (std::size_t i = 0; i < common.size(); ++i) found[first.values[i]].common = common[i];
  std::vector<LabelOverlap> result;
  for (auto& [label, overlap] : found) {
    overlap.label = label;
    if (label != 0) result.push_back(overlap);
  }
  return result;
}

std::vector<std::optional<SurfaceDistances>> surface_distances(const Labels& first, const Labels& second,
                                                               const std::vector<LabelOverlap>& overlaps,
                                                               const jobs::Progress& progress) {
  require_same_grid(first, second);
  if (!first.grid.is_orthogonal()) {
    throw Error(
        "Distances between surfaces need a grid whose axes are at right angles. Resample the label maps to "
        "such a grid.");
  }
  const std::vector<Box> boxes[2] = {boxes_of(first), boxes_of(second)};
  std::vector<std::optional<SurfaceDistances>> result(overlaps.size());
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, overlaps.size(), 1), [&](const auto& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const LabelOverlap& overlap = overlaps[i];
      if (overlap.first == 0 || overlap.second == 0 || progress.cancelled()) continue;
      const std::size_t index[2] = {index_of(first.values, overlap.label),
                                    index_of(second.values, overlap.label)};
      Box box = boxes[0][index[0]];
      box.add(boxes[1][index[1]].first);
      box.add(boxes[1][index[1]].last);
      const auto a = surface_of(first, static_cast<std::uint32_t>(index[0]), box),
                 b = surface_of(second, static_cast<std::uint32_t>(index[1]), box);
      const Eigen::Vector3d spacing = first.grid.spacing();
      const auto there = distances(a, b, box, spacing), back = distances(b, a, box, spacing);
      const double sum =
          std::accumulate(there.begin(), there.end(), 0.0) + std::accumulate(back.begin(), back.end(), 0.0);
      result[i] = {.mean = sum / static_cast<double>(there.size() + back.size()),
                   .percentile_95 = std::max(percentile(there, 95), percentile(back, 95)),
                   .largest = std::max(there.back(), back.back())};
      progress.report(static_cast<double>(++done) / static_cast<double>(overlaps.size()), "distances");
    }
  });
  progress.check();
  return result;
}

std::map<std::int64_t, std::string> read_label_names(const fs::path& path) {
  std::ifstream file = open_input(path);
  std::map<std::int64_t, std::string> names;
  std::size_t number = 0;
  bool is_first = true;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::vector<Word> words = words_of(line);
    if (words.empty() || words.front().text.starts_with('#')) continue;
    const auto label = parse_number<std::int64_t>(words.front().text);
    if (!label && std::exchange(is_first, false)) continue;
    is_first = false;
    const std::optional<std::string> name = name_in(words);
    if (!label || !name) {
      throw InputError(path, number,
                       fmt::format("expected a label and its name, found {}", isolume::quoted(line)),
                       "Write a whole number and a name in each line.");
    }
    if (!names.emplace(*label, *name).second) {
      throw InputError(path, number, fmt::format("label {} has a second name", *label),
                       "Write each label once.");
    }
  }
  if (names.empty()) throw InputError(path, 0, "it has no names of labels", "Choose another file.");
  return names;
}

}  // namespace isolume::anatomy
