#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "core/images/document.h"
#include "core/images/volume.h"

namespace isolume::images {

/// Position of a slice in a picture with parallel axes: column c shows the slice's x (its y if `transposed`)
/// first_column + c * column_step, row r shows the other one at first_row + r * row_step. Picture pixels have their
/// centres at integers; negative steps flip.
struct PictureMap {
  int width = 0, height = 0;
  bool transposed = false;
  double first_column = 0, column_step = 1;
  double first_row = 0, row_step = 1;
  bool operator==(const PictureMap&) const = default;
};

enum class Interpolation { nearest, linear };

/// Opaque 0xffRRGGBB pixels, with `stride` pixels from one row to the next.
struct Canvas {
  std::uint32_t* pixels = nullptr;
  std::ptrdiff_t stride = 0;
};

/// Draws the slice as grey levels: value -> 255 ((value - centre) / width + 1/2), clamped and rounded (VOI LUT
/// function LINEAR_EXACT, DICOM PS3.3 C.11.2.1.3.2); 255 minus that if low values are to be bright. Red, green and
/// blue of colours are processed in the same way, separately. Pixels of the picture outside of the slice or with NaN
/// get `background`. The time depends on the picture's size, not the slice's; uses all threads. Throws Error if the
/// slice lies outside the volume.
void render_slice(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
                  Interpolation interpolation, Canvas picture, std::uint32_t background = 0xff000000U);

/// How a map of values is overlaid on a slice.
struct LayerStyle {
  double low = 0, high = 1;  ///< the values of the first and the last colour; clamped beyond
  double opacity = 0.6;      ///< 0 to 1
  double shown_up_to = std::numeric_limits<double>::infinity();  ///< larger values are transparent
  double front_px = 0;    ///< width of a white line along `shown_up_to`; 0: none
  double level_step = 0;  ///< iso-contours at its multiples; 0: none
  double line_px = 1;     ///< their width; widths are in pixels of the picture
};

/// Draws values (`width` x `height`, x fastest) in `colours`, 0xffRRGGBB, as premultiplied 0xAARRGGBB. NaN, infinite
/// and excluded values are transparent, and so is the picture outside of the slice.
void render_layer(const float* values, int width, int height, const PictureMap& map,
                  Interpolation interpolation, const LayerStyle& style,
                  std::span<const std::uint32_t> colours, Canvas picture);

}  // namespace isolume::images
