#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <png.h>

#include "app/pictures/png_file.h"
#include "app/pictures/similarity.h"

namespace isolume::test {

/// Red, green and blue of each pixel, the top row first.
struct Picture {
  int width = 0, height = 0;
  std::vector<unsigned char> rgb;
};

/// Empty where it cannot be read.
inline Picture read_png(const std::filesystem::path& path) {
  Picture picture;
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&image, path.c_str()) == 0) return picture;
  image.format = PNG_FORMAT_RGB;
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  picture.width = static_cast<int>(image.width);
  picture.height = static_cast<int>(image.height);
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0) picture.rgb.clear();
  return picture;
}

/// Its first columns.
inline Picture left_part(const Picture& picture, int width) {
  Picture part{width, picture.height, {}};
  for (int y = 0; y < picture.height; ++y) {
    const auto row = picture.rgb.begin() + std::ptrdiff_t{3} * y * picture.width;
    part.rgb.insert(part.rgb.end(), row, row + std::ptrdiff_t{3} * width);
  }
  return part;
}

inline std::vector<double> luminance_of(const Picture& picture) {
  std::vector<double> grey;
  for (std::size_t i = 0; i < picture.rgb.size(); i += 3)
    grey.push_back(pictures::luminance(picture.rgb[i], picture.rgb[i + 1], picture.rgb[i + 2]));
  return grey;
}

/// Compares a picture with tests/references/images/NAME.png, which a person has looked at, as scene::expect_like_baseline
/// does, without VTK. When they differ, the new picture is left in the temporary folder, to be looked at and, where it is
/// right, to become the baseline.
inline void expect_like_baseline(const Picture& picture, const std::string& name, double least_similarity) {
  const auto path = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "images" / (name + ".png");
  const Picture baseline = read_png(path);
  double similarity = 0;
  if (baseline.width == picture.width && baseline.height == picture.height && picture.width > 0)
    similarity = pictures::structural_similarity(luminance_of(picture), luminance_of(baseline), picture.width,
                                                 picture.height);
  if (similarity >= least_similarity) return;
  const auto found = std::filesystem::temp_directory_path() / (name + "-found.png");
  if (picture.width > 0)
    pictures::write_png({.bytes = picture.rgb, .width = picture.width, .height = picture.height}, found);
  ADD_FAILURE() << "similarity " << similarity << ", at least " << least_similarity << " expected: compare "
                << found << " with " << path;
}

}  // namespace isolume::test
