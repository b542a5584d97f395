#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace isolume::pictures {

struct MovieOptions {
  int width = 1280;  ///< pixels; even, except for PNG sequences
  int height = 720;
  int frames_per_second = 30;
};

/// Format of a movie by its name: .mp4, .webm, or a PNG per frame if the name contains a frame number,
/// "frames/%04d.png".
enum class MovieKind { mp4, webm, png_sequence };
/// Throws Error with the known suffixes.
MovieKind movie_kind(const std::filesystem::path& path);
/// Display name of the codec for a movie of that name on this machine: "VP9". Throws Error if no encoder is
/// installed.
std::string codec_of(const std::filesystem::path& path);

/// Throws Error if size, rate or name are not possible.
void check_movie(const std::filesystem::path& path, const MovieOptions& options);

/// Interface of the formats of MovieWriter.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void add(std::span<const std::uint8_t> rgb) = 0;
  virtual void finish() = 0;
  /// Finishes with the frames so far. Returns their path.
  virtual std::filesystem::path finish_early() = 0;
};

/// Writes a movie frame by frame. The file appears only with finish() or finish_early(); otherwise nothing is
/// left behind.
///
/// MP4 is H.264 if FFmpeg's libraries have OpenH264 (BSD), otherwise VP9 by libvpx (BSD); WebM is always VP9.
/// libx264, which Debian's libraries also offer, is not used because of its licence (GPL or paid). Colours
/// are BT.709.
class MovieWriter {
 public:
  /// Throws Error as check_movie does, and if the file cannot be written.
  MovieWriter(const std::filesystem::path& path, const MovieOptions& options);

  /// Adds a frame: red, green and blue of each pixel, the top row first. Throws Error if the disk is full.
  void add(std::span<const std::uint8_t> rgb);
  /// Throws Error if there is no frame, or the disk is full.
  void finish();
  /// Keeps the frames of a movie that ends early: pictures under their names, a video as
  /// "meeting.partial.mp4". Returns their path; empty if there is no frame. Throws Error if the disk is full.
  std::filesystem::path finish_early();
  std::int64_t frames() const { return frames_; }

 private:
  std::filesystem::path path_;
  MovieOptions options_;
  std::unique_ptr<FrameSink> sink_;
  std::int64_t frames_ = 0;
};

}  // namespace isolume::pictures
