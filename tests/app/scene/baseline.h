#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPNGReader.h>

#include "app/scene/files/image.h"
#include "tests/app/pictures/likeness.h"

namespace isolume::scene {

namespace likeness = isolume::likeness;

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
