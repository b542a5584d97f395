#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include <vtkSmartPointer.h>

class vtkImageData;
class vtkRenderWindow;
class vtkRenderer;

namespace isolume::scene {

struct ImageOptions {
  int width = 1280;  ///< pixels
  int height = 960;
  bool transparent = false;
  int dpi = 300;  ///< resolution for the PNG's pHYs chunk
};

/// Pixels per point of texts and lines in a picture of this height.
double picture_pixel_scale(int height);

/// Renders a renderer's scene without any window or display (EGL surfaceless, or the window system's if EGL
/// is missing). Large pictures are rendered in parts, so that memory grows with the picture alone. Throws
/// Error if no OpenGL 3.3 context can be created, with the attempts made.
vtkSmartPointer<vtkImageData> render_offscreen(vtkRenderer& renderer, const ImageOptions& options);

/// Joins two images of the same height and number of channels.
vtkSmartPointer<vtkImageData> side_by_side(vtkImageData& left, vtkImageData& right);

/// Red, green and blue of each pixel, the top row first, without gaps; alpha is left out.
std::vector<std::uint8_t> rgb_from_top(vtkImageData& image);

/// Writes RGB(A) as PNG with its resolution, completely or not at all.
void write_png(vtkImageData& image, int dpi, const std::filesystem::path& path);

/// Structural similarity (mean SSIM of luminance, 8x8 windows) of two RGB(A) images of one size: 1 for equal
/// images.
double structural_similarity(vtkImageData& a, vtkImageData& b);

}  // namespace isolume::scene
