#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace isolume::pictures {

struct MovieOptions {
  int width = 1280;  ///< pixels; even numbers, but for pictures one by one
  int height = 720;
  int frames_per_second = 30;
};

/// What a movie's name makes of it: .mp4, .webm, or a PNG for each frame where the name holds the frame's number,
/// "frames/%04d.png".
enum class MovieKind { mp4, webm, png_sequence };
/// Throws Error that names the suffixes there are.
MovieKind movie_kind(const std::filesystem::path& path);
/// With what a movie of that name is encoded on this machine, for people: "VP9". Throws Error where this machine has no
/// encoder for it.
std::string codec_of(const std::filesystem::path& path);

/// Throws Error for a size, rate or name that makes no movie.
void check_movie(const std::filesystem::path& path, const MovieOptions& options);

/// What MovieWriter writes with.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void add(std::span<const std::uint8_t> rgb) = 0;
  virtual void finish() = 0;
  /// With what frames there are. Returns where they are.
  virtual std::filesystem::path finish_early() = 0;
};

/// A movie, picture by picture. It appears whole with finish(), or not at all: without finish() or finish_early() nothing is
/// left behind.
///
/// MP4 is H.264 where FFmpeg's libraries have OpenH264 (BSD), else VP9 by libvpx (BSD), which WebM always is. libx264, which
/// Debian's libraries offer, too, is not used: it is under the GPL or a paid licence. Colours are those of BT.709.
class MovieWriter {
 public:
  /// Throws Error as check_movie does, and where the file cannot be written.
  MovieWriter(const std::filesystem::path& path, const MovieOptions& options);

  /// The next frame: red, green and blue of each pixel, the top row first. Throws Error where the disk is full.
  void add(std::span<const std::uint8_t> rgb);
  /// Throws Error where there is no frame, or the disk is full.
  void finish();
  /// Keeps the frames of a movie that is ended early: pictures under their names, a video as "meeting.partial.mp4". Returns
  /// where they are; empty where there is no frame. Throws Error where the disk is full.
  std::filesystem::path finish_early();
  std::int64_t frames() const { return frames_; }

 private:
  std::filesystem::path path_;
  MovieOptions options_;
  std::unique_ptr<FrameSink> sink_;
  std::int64_t frames_ = 0;
};

}  // namespace isolume::pictures
