#pragma once

#include <memory>
#include <string>

#include "app/pictures/movie_writer.h"

namespace isolume::pictures {

/// Writes an MP4 or WebM file by FFmpeg's libraries.
class VideoFile final : public FrameSink {
 public:
  /// Throws Error.
  VideoFile(const std::filesystem::path& path, const MovieOptions& options);
  ~VideoFile() override;

  /// As pictures::codec_of.
  static std::string codec_of(const std::filesystem::path& path);

  void add(std::span<const std::uint8_t> rgb) override;
  void finish() override;
  std::filesystem::path finish_early() override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::pictures
