#pragma once

#include <cstdint>
#include <string_view>

#include <itkImage.h>
#include <itkProcessObject.h>

#include "core/grid/field.h"
#include "core/jobs/progress.h"

namespace isolume::filters {

/// Filters of ITK that are made from now on run on the threads of TBB's arena, with the same bits on any number of them.
void use_arena_for_itk();

/// Images as ITK's filters have them: axes along x, y and z, the first voxel at the origin, spacings in mm.
using ItkImage = itk::Image<float, 3>;
using ItkMask = itk::Image<std::uint8_t, 3>;
using ItkLabels = itk::Image<std::uint32_t, 3>;

/// A filter of ITK.
template <class Filter>
typename Filter::Pointer make_itk() {
  use_arena_for_itk();
  return Filter::New();
}

/// Sizes and spacings of a grid for an image of ITK, whose memory is not allocated.
template <class Image>
typename Image::Pointer on_grid(const grid::Grid& grid) {
  auto image = Image::New();
  typename Image::SizeType size;
  typename Image::SpacingType spacing;
  for (unsigned axis = 0; axis < 3; ++axis) {
    size[axis] = static_cast<itk::SizeValueType>(grid.dimensions[axis]);
    spacing[axis] = grid.spacing(static_cast<int>(axis));
  }
  image->SetRegions(size);
  image->SetSpacing(spacing);
  return image;
}

/// A view of the field's values, which must outlive it and are not changed.
inline ItkImage::Pointer view_of(const grid::ScalarField& field) {
  auto image = on_grid<ItkImage>(field.grid);
  // ITK has no images of const values; inputs of its filters are not written to.
  image->GetPixelContainer()->SetImportPointer(const_cast<float*>(field.values.data()), field.values.size(),
                                               false);
  return image;
}

/// The field's values, each converted by a function.
template <class Image, class Convert>
typename Image::Pointer copy_of(const grid::ScalarField& field, const Convert& convert) {
  auto image = on_grid<Image>(field.grid);
  image->Allocate();
  auto* to = image->GetBufferPointer();
  for (const float each : field.values) *to++ = convert(each);
  return image;
}

/// As floats, which hold labels up to 2^24.
template <class Image>
FieldValues values_of(const Image& image) {
  const auto* from = image.GetBufferPointer();
  return FieldValues(from, from + image.GetBufferedRegion().GetNumberOfPixels());
}

/// Runs a filter. Throws Cancelled, and Error for ITK's exceptions, with the name of our filter. `iterations`: their most,
/// for filters that report these.
void run(itk::ProcessObject& filter, std::string_view name, const jobs::Progress& progress,
         int iterations = 0);

}  // namespace isolume::filters
