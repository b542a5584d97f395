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
  int dpi = 300;  ///< written into the PNG's pHYs chunk
};

/// Renders a renderer's scene without any window or display (EGL surfaceless, or the window system's when EGL
/// is missing); a large picture part by part, so that memory grows with its own size alone. Throws Error when
/// no OpenGL 3.3 context can be made, saying what was tried.
vtkSmartPointer<vtkImageData> render_offscreen(vtkRenderer& renderer, const ImageOptions& options);

/// Two images of one height and as many channels, one beside the other.
vtkSmartPointer<vtkImageData> side_by_side(vtkImageData& left, vtkImageData& right);

/// Red, green and blue of each pixel, the top row first, without gaps; alpha is left out.
std::vector<std::uint8_t> rgb_from_top(vtkImageData& image);

/// Writes RGB(A) as PNG with its resolution, whole or not at all.
void write_png(vtkImageData& image, int dpi, const std::filesystem::path& path);

/// Structural similarity (mean SSIM of luminance, 8x8 windows) of two RGB(A) images of one size: 1 is the
/// same.
double structural_similarity(vtkImageData& a, vtkImageData& b);

}  // namespace isolume::scene
