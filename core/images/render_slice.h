#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/images/document.h"
#include "core/images/volume.h"

namespace isolume::images {

/// How a slice lies in a picture, its axes parallel to the slice's: column c shows the slice's x (its y where
/// `transposed`) first_column + c * column_step, row r shows the other one at first_row + r * row_step.
/// Picture pixels have their centres at whole numbers; negative steps flip.
struct PictureMap {
  int width = 0, height = 0;
  bool transposed = false;
  double first_column = 0, column_step = 1;
  double first_row = 0, row_step = 1;
  bool operator==(const PictureMap&) const = default;
};

enum class Interpolation { nearest, linear };

/// Opaque 0xffRRGGBB pixels, `stride` of them from one row to the next.
struct Canvas {
  std::uint32_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;
};

/// Draws the slice as grey levels: value -> 255 ((value - centre) / width + 1/2), clamped and rounded (VOI
/// LUT function LINEAR_EXACT, DICOM PS3.3 C.11.2.1.3.2); 255 less that where low values are meant to be bright. Of colours, red,
/// green and blue are drawn so, each by itself. Pixels of the picture that lie off the slice or show
/// NaN get `background`. Takes time by the picture's size, not the slice's; uses all threads. Throws Error
/// where the slice lies outside the volume.
void render_slice(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
                  Interpolation interpolation, Canvas picture, std::uint32_t background = 0xff000000U);

/// How a map of numbers is laid over a slice.
struct LayerStyle {
  double low = 0, high = 1;  ///< the values of the first and the last colour; beyond them these colours
  double opacity = 0.6;      ///< 0 to 1
  double shown_up_to = std::numeric_limits<double>::infinity();  ///< larger values are left out
  double front_px = 0;    ///< width of a white line along `shown_up_to`; 0: none
  double level_step = 0;  ///< iso-contours at its multiples; 0: none
  double line_px = 1;     ///< their width; widths are in pixels of the picture
};

/// Draws numbers (`width` x `height`, x fastest) in `colours`, 0xffRRGGBB, as premultiplied 0xAARRGGBB. NaN,
/// infinite and left-out values are transparent; what of the picture lies off the slice is, too.
void render_layer(const float* values, int width, int height, const PictureMap& map,
                  Interpolation interpolation, const LayerStyle& style,
                  std::span<const std::uint32_t> colours, Canvas picture);

}  // namespace isolume::images
