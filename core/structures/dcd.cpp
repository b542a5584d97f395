// DCD as written by CHARMM, NAMD and X-PLOR: Fortran records, each between two words with its length.
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/structures/binary_file.h"
#include "core/structures/charges.h"
#include "core/structures/trajectory.h"

namespace isolume::structures {
namespace {

constexpr std::uint64_t marker = 4;  // bytes of each record marker

class DcdTrajectory final : public Trajectory {
 public:
  explicit DcdTrajectory(const std::filesystem::path& path) : file_(path), name_(path.filename().string()) {
    read_header();
  }

  std::size_t atom_count() const override { return atoms_; }
  std::size_t frame_count() const override { return frames_; }
  bool is_cut() const override { return (file_.size() - first_frame_) % frame_bytes_ != 0; }

  Remarks remarks() const override {
    Remarks found;
    if (stated_frames_ != 0 && static_cast<std::size_t>(stated_frames_) != frames_)
      found.warn(fmt::format("{}: the header states {} frames, but the file holds {}, which are used.", name_,
                             stated_frames_, frames_));
    return found;
  }

  Frame read(std::size_t frame) override {
    std::uint64_t at = first_frame_ + frame * frame_bytes_;
    Frame result;
    if (has_cell_) result.cell = cell_from(record(at, cell_bytes));
    result.places.resize(atoms_);
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const auto bytes = record(at, sizeof(float) * atoms_);
      for (std::size_t i = 0; i < atoms_; ++i) {
        const double value = real_at(&bytes[4 * i], big_endian_);
        if (!(std::abs(value) <= most_magnitude))
          file_.fail(fmt::format("atom {} of frame {} is at {}", i + 1, frame + 1, value));
        result.places[i][axis] = value;
      }
    }
    return result;
  }

 private:
  static constexpr std::uint64_t cell_bytes = 48;

  /// Reads the record of that length at a position, which is advanced past it.
  std::vector<unsigned char> record(std::uint64_t& at, std::uint64_t length) {
    const auto bytes = file_.read(at, length + 2 * marker);
    if (word_at(bytes.data(), big_endian_) != length ||
        word_at(&bytes[length + marker], big_endian_) != length)
      file_.fail(fmt::format("at byte {} there is no record of {} bytes", at, length));
    at += length + 2 * marker;
    return {bytes.begin() + marker, bytes.end() - marker};
  }
  /// The same for any length.
  std::vector<unsigned char> record(std::uint64_t& at) {
    return record(at, word_at(file_.read(at, marker).data(), big_endian_));
  }

  void read_header() {
    constexpr std::uint32_t control_bytes = 84;
    const auto first = file_.read(0, marker);
    big_endian_ = word_at(first.data(), true) == control_bytes;
    if (word_at(first.data(), big_endian_) != control_bytes)
      file_.fail("it does not begin as DCD files do", "Give a DCD file of CHARMM, NAMD or X-PLOR.");
    std::uint64_t at = 0;
    const auto control = record(at, control_bytes);
    if (std::string_view(reinterpret_cast<const char*>(control.data()), 4) != "CORD")
      file_.fail("it has no coordinates (CORD)", "Give a DCD file of coordinates.");
    const auto word = [&](std::size_t number) { return whole_at(&control[4 * number], big_endian_); };
    stated_frames_ = word(1);           // 0 where the writer did not add it at the end
    const bool charmm = word(20) != 0;  // X-PLOR has no version there
    if (word(9) != 0)
      file_.fail(fmt::format("{} of its atoms are fixed and written once", word(9)),
                 "Write all atoms in each frame.");
    has_cell_ = charmm && word(11) != 0;
    const bool has_fourth = charmm && word(12) != 0;
    record(at);  // titles
    const auto count = record(at, 4);
    const std::int32_t atoms = whole_at(count.data(), big_endian_);
    if (atoms < 1) file_.fail(fmt::format("it has {} atoms", atoms));
    atoms_ = static_cast<std::size_t>(atoms);
    first_frame_ = at;
    frame_bytes_ = (has_cell_ ? cell_bytes + 2 * marker : 0) +
                   (has_fourth ? 4U : 3U) * (sizeof(float) * static_cast<std::uint64_t>(atoms_) + 2 * marker);
    frames_ = (file_.size() - first_frame_) / frame_bytes_;
    if (frames_ == 0) file_.fail(fmt::format("it ends before its first frame of {} atoms does", atoms_));
  }

  /// A, gamma, B, beta, alpha, C; angles in degrees, or their cosines.
  std::optional<Eigen::Matrix3d> cell_from(const std::vector<unsigned char>& bytes) const {
    std::array<double, 6> numbers{};
    for (std::size_t i = 0; i < 6; ++i) numbers[i] = long_real_at(&bytes[8 * i], big_endian_);
    const auto degrees = [](double angle) {
      if (angle == 0) return 90.0;
      return std::abs(angle) <= 1 ? std::acos(angle) * 180 / std::numbers::pi : angle;
    };
    const auto& [a, gamma, b, beta, alpha, c] = numbers;
    return cell_of({a, b, c}, {degrees(alpha), degrees(beta), degrees(gamma)});
  }

  BinaryFile file_;
  std::string name_;
  bool big_endian_ = false, has_cell_ = false;
  std::size_t atoms_ = 0, frames_ = 0;
  std::int64_t stated_frames_ = 0;
  std::uint64_t first_frame_ = 0, frame_bytes_ = 1;
};

}  // namespace

std::unique_ptr<Trajectory> open_dcd(const std::filesystem::path& path) {
  return std::make_unique<DcdTrajectory>(path);
}

}  // namespace isolume::structures
