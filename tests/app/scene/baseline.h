#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include "app/scene/image.h"

namespace isolume::scene {

/// How alike two pictures must be, as structural similarity, in words.
namespace likeness {
inline constexpr double exact = 1 - 1e-9;    ///< the same pixels
inline constexpr double not_visible = 0.99;  ///< rounding, another font renderer
inline constexpr double small = 0.95;        ///< another OpenGL driver: rims and highlights differ by a shade
inline constexpr double comparable = 0.85;   ///< the same scene drawn by other means
}  // namespace likeness

inline vtkSmartPointer<vtkImageData> read_png(const std::filesystem::path& path) {
  vtkNew<vtkPNGReader> reader;
  reader->SetFileName(path.c_str());
  reader->Update();
  return reader->GetOutput();
}

/// Compares a picture with tests/references/images/NAME.png, which a person has looked at. When they differ,
/// the new picture is left in the temporary folder, to be looked at and, where it is right, to become the
/// baseline.
inline void expect_like_baseline(vtkImageData& picture, const std::string& name, double least_similarity) {
  const auto baseline = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "images" / (name + ".png");
  double similarity = 0;
  if (std::filesystem::exists(baseline)) similarity = structural_similarity(picture, *read_png(baseline));
  if (similarity >= least_similarity) return;
  const auto found = std::filesystem::temp_directory_path() / (name + "-found.png");
  write_png(picture, 72, found);
  ADD_FAILURE() << "similarity " << similarity << ", at least " << least_similarity << " expected: compare "
                << found << " with " << baseline;
}

}  // namespace isolume::scene
