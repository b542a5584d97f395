#pragma once

#include <string>
#include <vector>

#include "app/pictures/movie_writer.h"

namespace isolume::pictures {

/// Whether the file's name holds a place for one number, as printf has it: "%04d.png".
bool holds_number(const std::filesystem::path& path);
/// The name of frame `number`. The path holds a place for it.
std::filesystem::path numbered(const std::filesystem::path& path, std::int64_t number);

/// A PNG for each frame, numbered from 0 on. They lie in a folder of their own beside their places until finish().
class PictureSequence final : public FrameSink {
 public:
  /// Makes the folder where it is not there. Throws Error where a picture of that name is there already, whatever its number,
  /// as an older sequence would mix with this one.
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
