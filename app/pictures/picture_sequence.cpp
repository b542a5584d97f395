#include "app/pictures/picture_sequence.h"

#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "app/pictures/png_file.h"
#include "core/base/error.h"

namespace isolume::pictures {
namespace {

namespace fs = std::filesystem;

/// The texts before and after the number, and its minimum number of digits.
struct Numbering {
  std::string before, after;
  int digits = 1;
};

/// Parses "%d" or "%04d"; empty if the name has no placeholder or another one.
std::optional<Numbering> numbering_of(const std::string& name) {
  const std::size_t start = name.find('%');
  if (start == std::string::npos) return std::nullopt;
  const std::size_t end = name.find_first_not_of("0123456789", start + 1);
  if (end == std::string::npos || name[end] != 'd' || name.find('%', end) != std::string::npos)
    return std::nullopt;
  const std::string digits = name.substr(start + 1, end - start - 1);
  constexpr std::size_t most_digits = 2;  // in the width of the placeholder: 0 and a digit
  if (digits.size() > most_digits || (!digits.empty() && digits.front() != '0')) return std::nullopt;
  return Numbering{name.substr(0, start), name.substr(end + 1), digits.empty() ? 1 : std::stoi("0" + digits)};
}

/// An existing picture of such a name, whatever its number; empty if there is none.
fs::path found_in(const fs::path& folder, const Numbering& name) {
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    const std::string found = it->path().filename().string();
    if (found.size() <= name.before.size() + name.after.size()) continue;
    if (!found.starts_with(name.before) || !found.ends_with(name.after)) continue;
    const std::string number =
        found.substr(name.before.size(), found.size() - name.before.size() - name.after.size());
    if (number.find_first_not_of("0123456789") == std::string::npos) return it->path();
  }
  return {};
}

void refuse_to_mix(const fs::path& found) {
  throw Error(fmt::format(
      "{} is there already. Choose another folder or name, so that two movies do not mix.", found.string()));
}

}  // namespace

bool holds_number(const fs::path& path) {
  return numbering_of(path.filename().string()).has_value();
}

fs::path numbered(const fs::path& path, std::int64_t number) {
  const Numbering name = numbering_of(path.filename().string()).value();
  return path.parent_path() / fmt::format("{}{:0{}}{}", name.before, number, name.digits, name.after);
}

PictureSequence::PictureSequence(const fs::path& path, int width, int height)
    : path_(path), width_(width), height_(height) {
  const fs::path folder = fs::absolute(path).parent_path();
  const fs::path older = found_in(folder, numbering_of(path.filename().string()).value());
  if (!older.empty()) refuse_to_mix(older);
  std::error_code failed;
  made_folder_ = fs::create_directory(folder, failed);
  waiting_ = folder / fmt::format(".{}-frames", ::getpid());
  if (!failed) fs::create_directory(waiting_, failed);
  if (failed) {
    throw Error(
        fmt::format("{}: pictures cannot be written here ({}). Choose a folder that you may write to.",
                    folder.string(), failed.message()));
  }
}

PictureSequence::~PictureSequence() {
  std::error_code ignored;
  fs::remove_all(waiting_, ignored);
  if (made_folder_ && !finished_) fs::remove(waiting_.parent_path(), ignored);
}

void PictureSequence::add(std::span<const std::uint8_t> rgb) {
  write_png({.bytes = rgb, .width = width_, .height = height_},
            waiting_ / numbered(path_, count_).filename());
  ++count_;
}

/// Moves all pictures to their target, or none.
void PictureSequence::finish() {
  std::error_code failed, ignored;
  for (std::int64_t i = 0; i < count_; ++i) {  // a file may have appeared since the start
    if (fs::exists(fs::symlink_status(numbered(path_, i), ignored))) refuse_to_mix(numbered(path_, i));
  }
  for (std::int64_t i = 0; i < count_; ++i) {
    const fs::path target = numbered(path_, i);
    fs::rename(waiting_ / target.filename(), target, failed);
    if (!failed) continue;
    while (--i >= 0) fs::rename(numbered(path_, i), waiting_ / numbered(path_, i).filename(), ignored);
    throw Error(fmt::format("{}: could not be written ({}). Choose a folder that you may write to.",
                            target.string(), failed.message()));
  }
  fs::remove(waiting_, ignored);
  finished_ = true;
}

}  // namespace isolume::pictures
