// GROMACS's XTC: https://manual.gromacs.org/current/reference-manual/file-formats.html#xtc. Positions are rounded to
// integers; a first atom is stored relative to the bounding box of all, those after it as small steps from it, each
// with as many bits as the steps need.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/structures/binary_file.h"
#include "core/structures/charges.h"
#include "core/structures/trajectory.h"

namespace isolume::structures {
namespace {

constexpr double angstrom_per_nanometre = 10;
constexpr bool big_endian = true;
constexpr std::uint64_t plain_head = 56, packed_head = 92;
constexpr std::int32_t most_plain_atoms = 9;  // fewer than ten atoms are stored uncompressed

/// Ranges of steps, approximately the cube roots of powers of 2; three numbers of the range at i fit into i bits.
constexpr std::array<std::uint32_t, 73> step_ranges{
    0,       0,       0,       0,       0,        0,        0,       0,       0,       8,       10,
    12,      16,      20,      25,      32,       40,       50,      64,      80,      101,     128,
    161,     203,     256,     322,     406,      512,      645,     812,     1024,    1290,    1625,
    2048,    2580,    3250,    4096,    5060,     6501,     8192,    10321,   13003,   16384,   20642,
    26007,   32768,   41285,   52015,   65536,    82570,    104031,  131072,  165140,  208063,  262144,
    330280,  416127,  524287,  660561,  832255,   1048576,  1321122, 1664510, 2097152, 2642245, 3329021,
    4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216};
constexpr int first_range = 9;

using Steps = std::array<std::int64_t, 3>;
__extension__ using Wide = unsigned __int128;

int bit_count(Wide value) {
  int bits = 0;
  for (; value > 0; value >>= 1U) ++bits;
  return bits;
}

/// Bits of a compressed frame, the highest of each byte first.
class PackedBits {
 public:
  PackedBits(const BinaryFile& file, const std::vector<unsigned char>& bytes) : file_(file), bytes_(bytes) {}

  std::uint32_t take(int count) {
    std::uint32_t value = 0;
    for (; count > 0; --count) {
      if (at_ / 8 >= bytes_.size()) file_.fail("a frame ends before its last atom");
      value = value << 1U | (bytes_[at_ / 8] >> (7 - at_ % 8) & 1U);
      ++at_;
    }
    return value;
  }
  /// Decodes three numbers below these ranges from one number of so many bits, whose lowest byte comes first.
  Steps take_three(int bits, const std::array<std::uint32_t, 3>& ranges) {
    Wide together = 0;
    for (int shift = 0; shift < bits; shift += 8)
      together |= static_cast<Wide>(take(std::min(8, bits - shift))) << static_cast<unsigned>(shift);
    Steps numbers{};
    for (const std::size_t i : {2U, 1U}) {
      numbers[i] = static_cast<std::int64_t>(together % ranges[i]);
      together /= ranges[i];
    }
    numbers[0] = static_cast<std::int64_t>(together & 0xFFFFFFFFU);
    return numbers;
  }

 private:
  const BinaryFile& file_;
  const std::vector<unsigned char>& bytes_;
  std::size_t at_ = 0;
};

/// Decodes the positions of one frame as integers.
class Unpacking {
 public:
  Unpacking(const BinaryFile& file, const unsigned char* head, const std::vector<unsigned char>& bytes,
            std::size_t atoms)
      : file_(file), bits_(file, bytes), atoms_(atoms) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      low_[axis] = whole_at(head + 60 + 4 * axis, big_endian);
      const std::int64_t high = whole_at(head + 72 + 4 * axis, big_endian);
      if (high < low_[axis] || high - low_[axis] >= 0xFFFFFFFFL)
        file.fail("a frame has no box about its atoms");
      ranges_[axis] = static_cast<std::uint32_t>(high - low_[axis] + 1);
    }
    small_ = whole_at(head + 84, big_endian);
    check_small();
    // Where a range does not fit into three bytes, each number is stored separately.
    constexpr std::uint32_t three_bytes = 0xFFFFFF;
    is_wide_ = std::ranges::any_of(ranges_, [](auto range) { return range > three_bytes; });
    if (!is_wide_) first_bits_ = bit_count(static_cast<Wide>(ranges_[0]) * ranges_[1] * ranges_[2]);
  }

  /// Calls take(place) for each atom in turn.
  template <class Take>
  void run(Take take) {
    std::size_t done = 0;
    const auto put = [&](const Steps& place) {
      if (done++ == atoms_) file_.fail("a frame has more atoms than its head says");
      take(place);
    };
    int run = 0;  // three times the number of small steps after an atom; persists until it is changed
    while (done < atoms_) {
      Steps place = first(), before = place;
      int change = 0;
      if (bits_.take(1) == 1) {
        run = static_cast<int>(bits_.take(5));
        change = run % 3 - 1;
        run -= run % 3;
      }
      if (run == 0) put(place);
      for (int step = 0; step < run; step += 3) {
        place = small_step(before);
        // The first two positions are swapped, so that hydrogens of water are stored relative to the oxygen.
        if (step == 0) {
          std::swap(place, before);
          put(before);
        } else {
          before = place;
        }
        put(place);
      }
      adapt(change);
    }
  }

 private:
  static std::int64_t half(int index) { return step_ranges[static_cast<std::size_t>(index)] / 2; }
  void check_small() const {
    if (small_ < first_range || small_ >= static_cast<int>(step_ranges.size()))
      file_.fail(fmt::format("a frame has steps of an unknown size ({})", small_));
  }
  Steps first() {
    Steps place{};
    if (is_wide_) {
      for (std::size_t axis = 0; axis < 3; ++axis) place[axis] = bits_.take(bit_count(ranges_[axis]));
    } else {
      place = bits_.take_three(first_bits_, ranges_);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += low_[axis];
    return place;
  }
  Steps small_step(const Steps& from) {
    const std::uint32_t range = step_ranges[static_cast<std::size_t>(small_)];
    Steps place = bits_.take_three(small_, {range, range, range});
    for (std::size_t axis = 0; axis < 3; ++axis) place[axis] += from[axis] - half(small_);
    return place;
  }
  void adapt(int change) {
    small_ += change;
    check_small();
  }

  const BinaryFile& file_;
  PackedBits bits_;
  std::size_t atoms_;
  Steps low_{};
  std::array<std::uint32_t, 3> ranges_{};
  int small_ = 0, first_bits_ = 0;
  bool is_wide_ = false;
};

class XtcTrajectory final : public Trajectory {
 public:
  XtcTrajectory(const std::filesystem::path& path, const jobs::Progress& progress) : file_(path) {
    std::uint64_t at = 0;
    while (at < file_.size()) {
      progress.check();
      const auto bytes = frame_bytes(at);
      if (!bytes) break;
      starts_.push_back(at);
      at += *bytes;
    }
    is_cut_ = at < file_.size();
    if (starts_.empty()) file_.fail("it ends before its first frame does");
  }

  std::size_t atom_count() const override { return atoms_; }
  std::size_t frame_count() const override { return starts_.size(); }
  bool is_cut() const override { return is_cut_; }

  Frame read(std::size_t frame) override {
    Frame result;
    result.places.reserve(atoms_);
    const bool is_plain = atoms_ <= most_plain_atoms;
    const auto head = file_.read(starts_[frame], is_plain ? plain_head : packed_head);
    Eigen::Matrix3d cell;
    for (int i = 0; i < 9; ++i)
      cell(i % 3, i / 3) =
          angstrom_per_nanometre * real_at(&head[16 + 4 * static_cast<std::size_t>(i)], big_endian);
    const bool is_cell = cell.allFinite() && cell.cwiseAbs().maxCoeff() <= most_magnitude &&
                         std::abs(cell.determinant()) > 1e-6;
    if (is_cell) result.cell = cell;
    if (is_plain) {
      read_plain(frame, result);
    } else {
      read_packed(frame, head, result);
    }
    return result;
  }

 private:
  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

  /// Nothing where the file ends within the frame.
  std::optional<std::uint64_t> frame_bytes(std::uint64_t at) {
    if (!file_.has(at, plain_head)) return std::nullopt;
    const auto head = file_.read(at, plain_head);
    const std::int32_t magic = whole_at(head.data(), big_endian);
    if (magic == 2023)
      file_.fail("it is an XTC file for more than 298 million atoms (magic number 2023)",
                 "Write it with fewer atoms.");
    if (magic != 1995)
      file_.fail(fmt::format("frame {} does not begin as those of XTC files do", starts_.size() + 1),
                 "Give an XTC file of GROMACS.");
    const std::int32_t atoms = whole_at(&head[4], big_endian);
    if (atoms < 1 || whole_at(&head[52], big_endian) != atoms)
      file_.fail(fmt::format("frame {} has {} atoms", starts_.size() + 1, atoms));
    if (!starts_.empty() && static_cast<std::size_t>(atoms) != atoms_)
      file_.fail(fmt::format("frame {} has {} atoms, the one before {}", starts_.size() + 1, atoms, atoms_));
    atoms_ = static_cast<std::size_t>(atoms);
    if (atoms <= most_plain_atoms) {
      const std::uint64_t bytes = plain_head + 12 * atoms_;
      return file_.has(at, bytes) ? std::optional(bytes) : std::nullopt;
    }
    if (!file_.has(at, packed_head)) return std::nullopt;
    const std::int32_t packed = whole_at(&file_.read(at + 88, 4)[0], big_endian);
    // An atom takes at least one bit.
    if (packed < 0 || atoms_ / 8 > static_cast<std::uint64_t>(packed))
      file_.fail(fmt::format("frame {} has {} atoms in {} bytes", starts_.size() + 1, atoms, packed));
    const std::uint64_t bytes = packed_head + padded(static_cast<std::uint64_t>(packed));
    return file_.has(at, bytes) ? std::optional(bytes) : std::nullopt;
  }

  void add(std::size_t frame, const Eigen::Vector3d& nanometres, Frame& result) const {
    const Eigen::Vector3d place = angstrom_per_nanometre * nanometres;
    if (!(place.cwiseAbs().maxCoeff() <= most_magnitude))
      file_.fail(fmt::format("atom {} of frame {} is too far away", result.places.size() + 1, frame + 1));
    result.places.push_back(place);
  }
  void read_plain(std::size_t frame, Frame& result) {
    const auto bytes = file_.read(starts_[frame] + plain_head, 12 * atoms_);
    for (std::size_t i = 0; i < atoms_; ++i) {
      const unsigned char* at = &bytes[12 * i];
      add(frame, {real_at(at, big_endian), real_at(at + 4, big_endian), real_at(at + 8, big_endian)}, result);
    }
  }
  void read_packed(std::size_t frame, const std::vector<unsigned char>& head, Frame& result) {
    const double precision = real_at(&head[56], big_endian);
    if (!(precision > 0 && precision <= 1e9))
      file_.fail(fmt::format("the precision of frame {} is {}", frame + 1, precision));
    const auto packed = static_cast<std::uint64_t>(whole_at(&head[88], big_endian));
    const auto bytes = file_.read(starts_[frame] + packed_head, packed);
    Unpacking(file_, head.data(), bytes, atoms_).run([&](const Steps& steps) {
      add(frame,
          Eigen::Vector3d(static_cast<double>(steps[0]), static_cast<double>(steps[1]),
                          static_cast<double>(steps[2])) /
              precision,
          result);
    });
  }

  BinaryFile file_;
  std::size_t atoms_ = 0;
  std::vector<std::uint64_t> starts_;
  bool is_cut_ = false;
};

}  // namespace

std::unique_ptr<Trajectory> open_xtc(const std::filesystem::path& path, const jobs::Progress& progress) {
  return std::make_unique<XtcTrajectory>(path, progress);
}

}  // namespace isolume::structures
