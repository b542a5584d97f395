#pragma once

#include <string>
#include <vector>

#include "app/pictures/movie_writer.h"

namespace isolume::pictures {

/// Whether the file's name contains one printf placeholder for a number: "%04d.png".
bool holds_number(const std::filesystem::path& path);
/// Name of frame `number`; the path must contain a placeholder.
std::filesystem::path numbered(const std::filesystem::path& path, std::int64_t number);

/// Writes a PNG for each frame, numbered from 0. Until finish() they are in a temporary folder next to their
/// target.
class PictureSequence final : public FrameSink {
 public:
  /// Creates the folder if needed. Throws Error if a picture of that name exists, whatever its number, so
  /// that two sequences cannot mix.
  PictureSequence(const std::filesystem::path& path, int width, int height);
  ~PictureSequence() override;

  void add(std::span<const std::uint8_t> rgb) override;
  void finish() override;
  std::filesystem::path finish_early() override {
    finish();
    return path_;
  }

 private:
  std::filesystem::path path_, waiting_;
  int width_, height_;
  std::int64_t count_ = 0;
  bool made_folder_ = false, finished_ = false;
};

}  // namespace isolume::pictures
