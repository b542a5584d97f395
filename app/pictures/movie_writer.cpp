#include "app/pictures/movie_writer.h"

#include <fmt/format.h>

#include "app/pictures/movie_limits.h"
#include "app/pictures/picture_sequence.h"
#include "app/pictures/video_file.h"
#include "core/base/error.h"
#include "core/base/suffix.h"

namespace isolume::pictures {
namespace {

std::unique_ptr<FrameSink> make_sink(const std::filesystem::path& path, const MovieOptions& options) {
  if (movie_kind(path) == MovieKind::png_sequence)
    return std::make_unique<PictureSequence>(path, options.width, options.height);
  return std::make_unique<VideoFile>(path, options);
}

}  // namespace

MovieKind movie_kind(const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (suffix == ".mp4") return MovieKind::mp4;
  if (suffix == ".webm") return MovieKind::webm;
  if (suffix == ".png" && holds_number(path)) return MovieKind::png_sequence;
  throw Error(fmt::format(
      "{}: This is not a movie file name. Use .mp4, .webm, or %04d.png for one picture per frame.",
      path.string()));
}

std::string codec_of(const std::filesystem::path& path) {
  return movie_kind(path) == MovieKind::png_sequence ? "PNG" : VideoFile::codec_of(path);
}

void check_movie(const std::filesystem::path& path, const MovieOptions& options) {
  const auto [width, height, rate] = options;
  if (width < 2 || height < 2 || width > largest_movie_side || height > largest_movie_side) {
    throw Error(fmt::format("A movie of {} × {} pixels cannot be made. Give each side 2 to {} pixels.", width,
                            height, largest_movie_side));
  }
  if (rate < 1 || rate > highest_movie_rate)
    throw Error(fmt::format("{} frames per second is not possible. Give 1 to {}.", rate, highest_movie_rate));
  if (movie_kind(path) == MovieKind::png_sequence || (width % 2 == 0 && height % 2 == 0)) return;
  throw Error(
      fmt::format("Width and height must be even, because each 2 × 2 block of pixels shares its colour. "
                  "Use {} × {} instead of {} × {}.",
                  width / 2 * 2, height / 2 * 2, width, height));
}

MovieWriter::MovieWriter(const std::filesystem::path& path, const MovieOptions& options)
    : path_(path), options_(options) {
  check_movie(path, options);
  sink_ = make_sink(path, options);
}

void MovieWriter::add(std::span<const std::uint8_t> rgb) {
  const auto wanted =
      std::size_t{3} * static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.height);
  if (rgb.size() != wanted) {
    throw Error(fmt::format("{}: frame {} has {} bytes where {} × {} pixels have {}.", path_.string(),
                            frames_, rgb.size(), options_.width, options_.height, wanted));
  }
  sink_->add(rgb);
  ++frames_;
}

void MovieWriter::finish() {
  if (frames_ == 0) throw Error(fmt::format("{}: a movie without a frame is not written.", path_.string()));
  sink_->finish();
}

std::filesystem::path MovieWriter::finish_early() {
  return frames_ > 0 ? sink_->finish_early() : std::filesystem::path();
}

}  // namespace isolume::pictures
