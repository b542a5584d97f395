#include "app/scene/files/image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkObject.h>
#include <vtkPointData.h>
#include <vtkProp.h>
#include <vtkPropCollection.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>

#include "app/opengl/egl_context.h"
#include "app/pictures/png_file.h"
#include "app/pictures/similarity.h"
#include "app/scene/drawing/gl_start.h"
#include "core/base/error.h"

namespace isolume::scene {
namespace {

constexpr int largest_side = 16384;
/// Each pixel is the mean of 2x2 rendered ones, as long as at most this many are rendered.
constexpr double most_rendered_pixels = 48e6;
/// Larger pictures are rendered in parts of about this size: OpenGL needs some 70 bytes for each rendered
/// pixel (layers of colour and depth).
constexpr double most_pixels_at_once = 6e6;
/// Text and lines have their nominal size in points in a picture of this height and grow with larger ones.
constexpr double nominal_height = 720;
constexpr double nominal_aspect = 4.0 / 3.0;

void check(const ImageOptions& options) {
  if (options.width < 1 || options.height < 1 || options.width > largest_side ||
      options.height > largest_side) {
    throw Error(fmt::format("An image of {} × {} pixels cannot be made; each side must lie between 1 and {}.",
                            options.width, options.height, largest_side));
  }
}

int supersampling(const ImageOptions& options) {
  return 4.0 * options.width * options.height <= most_rendered_pixels &&
                 2 * std::max(options.width, options.height) <= largest_side
             ? 2
             : 1;
}

/// Temporary changes of a renderer for one picture, reverted at the end.
class PictureSettings {
 public:
  PictureSettings(vtkRenderer& renderer, const ImageOptions& options, double fitted_aspect)
      : renderer_(renderer),
        alpha_(renderer.GetBackgroundAlpha()),
        fxaa_(renderer.GetUseFXAA()),
        transparent_(options.transparent) {
    renderer.SetUseFXAA(supersampling(options) == 1);
    auto* camera = renderer.GetActiveCamera();
    view_angle_ = camera->GetViewAngle();
    parallel_scale_ = camera->GetParallelScale();
    renderer.GetBackground(background_.data());
    if (transparent_) {
      // On black, the result is colour times alpha.
      renderer.SetBackground(0, 0, 0);
      renderer.SetBackgroundAlpha(0);
    }
    // A picture narrower than the fitted one shows more above and below, not less at the sides.
    const double narrower = fitted_aspect * options.height / options.width;
    if (narrower > 1) {
      constexpr double half_degree = 3.14159265358979323846 / 360;
      camera->SetViewAngle(std::atan(std::tan(view_angle_ * half_degree) * narrower) / half_degree);
      camera->SetParallelScale(parallel_scale_ * narrower);
    }
  }
  ~PictureSettings() {
    renderer_.SetUseFXAA(fxaa_);
    renderer_.GetActiveCamera()->SetViewAngle(view_angle_);
    renderer_.GetActiveCamera()->SetParallelScale(parallel_scale_);
    if (!transparent_) return;
    renderer_.SetBackground(background_.data());
    renderer_.SetBackgroundAlpha(alpha_);
  }
  PictureSettings(const PictureSettings&) = delete;
  PictureSettings& operator=(const PictureSettings&) = delete;

 private:
  vtkRenderer& renderer_;
  std::array<double, 3> background_{};
  double alpha_;
  double view_angle_;
  double parallel_scale_;
  bool fxaa_;
  bool transparent_;
};

std::uint8_t rounded(double value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5, 0.0, 255.0));
}

/// A picture is `count` x `count` tiles of this size in pixels; the last ones may extend beyond it.
struct Tiling {
  int count, width, height;
  int factor;  ///< each pixel is the mean of factor x factor rendered ones
};

Tiling tiling(const ImageOptions& options) {
  Tiling tiles{};
  tiles.factor = supersampling(options);
  const double pixels = static_cast<double>(tiles.factor) * tiles.factor * options.width * options.height;
  tiles.count = static_cast<int>(std::ceil(std::sqrt(pixels / most_pixels_at_once)));
  tiles.width = (options.width + tiles.count - 1) / tiles.count;
  tiles.height = (options.height + tiles.count - 1) / tiles.count;
  return tiles;
}

/// Averages `factor` x `factor` pixels of colour times alpha, and writes this tile's part of the picture as
/// RGB, or as RGBA with straight alpha.
void reduce(const std::uint8_t* pixels, const Tiling& tiles, int column, int row, vtkImageData& image) {
  const int channels = image.GetNumberOfScalarComponents();
  const bool transparent = channels == 4;
  const int left = column * tiles.width;
  const int bottom = row * tiles.height;
  const int width = std::min(tiles.width, image.GetDimensions()[0] - left);
  const int height = std::min(tiles.height, image.GetDimensions()[1] - bottom);
  const double share = 1.0 / (tiles.factor * tiles.factor);
  for (int y = 0; y < height; ++y) {
    auto* out = static_cast<std::uint8_t*>(image.GetScalarPointer(left, bottom + y, 0));
    for (int x = 0; x < width; ++x, out += channels) {
      std::array<int, 4> sum{};
      for (int v = 0; v < tiles.factor; ++v) {
        const auto start = static_cast<std::size_t>(y * tiles.factor + v) * tiles.width + x;
        for (int u = 0; u < tiles.factor; ++u) {
          const auto* pixel = pixels + 4 * (start * tiles.factor + u);
          for (int c = 0; c < 4; ++c) sum[c] += pixel[c];
        }
      }
      const double alpha = sum[3] * share;
      const double straight = transparent && alpha > 0 ? 255 / alpha : 1.0;
      for (int c = 0; c < 3; ++c) out[c] = rounded(sum[c] * share * straight);
      if (transparent) out[3] = rounded(alpha);
    }
  }
}

/// For its lifetime only objects in space, or only overlays (texts, bars), are drawn.
class OnlySome {
 public:
  OnlySome(vtkRenderer& renderer, bool in_space) {
    auto* props = renderer.GetViewProps();
    vtkCollectionSimpleIterator place;
    props->InitTraversal(place);
    while (auto* prop = props->GetNextProp(place)) {
      if (prop->GetVisibility() && in_space == prop->IsA("vtkActor2D")) hidden_.emplace_back(prop);
    }
    for (const auto& prop : hidden_) prop->VisibilityOff();
  }
  ~OnlySome() {
    for (const auto& prop : hidden_) prop->VisibilityOn();
  }
  OnlySome(const OnlySome&) = delete;
  OnlySome& operator=(const OnlySome&) = delete;

 private:
  std::vector<vtkSmartPointer<vtkProp>> hidden_;
};

/// The projection of the whole picture, magnified to one tile.
vtkSmartPointer<vtkMatrix4x4> projection_of_tile(vtkMatrix4x4& whole, int count, int column, int row) {
  vtkNew<vtkMatrix4x4> magnify;
  magnify->SetElement(0, 0, count);
  magnify->SetElement(1, 1, count);
  magnify->SetElement(0, 3, count - 1 - 2 * column);
  magnify->SetElement(1, 3, count - 1 - 2 * row);
  auto result = vtkSmartPointer<vtkMatrix4x4>::New();
  vtkMatrix4x4::Multiply4x4(magnify, &whole, result);
  return result;
}

/// VTK's tiles apply to overlays, but not to the camera. Two passes are therefore needed: the scene with a
/// camera that sees the tile alone, and on top the overlays with one that sees the whole picture.
void render_tile(vtkRenderWindow& window, vtkRenderer& renderer, vtkMatrix4x4& whole, const Tiling& tiles,
                 int column, int row) {
  const double n = tiles.count;
  window.SetTileViewport(column / n, row / n, (column + 1) / n, (row + 1) / n);
  auto* camera = renderer.GetActiveCamera();
  camera->SetExplicitProjectionTransformMatrix(projection_of_tile(whole, tiles.count, column, row));
  camera->UseExplicitProjectionTransformMatrixOn();
  {
    const OnlySome scene(renderer, true);
    window.Render();
  }
  camera->UseExplicitProjectionTransformMatrixOff();
  const bool fxaa = renderer.GetUseFXAA();
  const bool peeling = renderer.GetUseDepthPeeling();
  renderer.UseFXAAOff();
  renderer.UseDepthPeelingOff();
  renderer.PreserveColorBufferOn();
  {
    const OnlySome upon(renderer, false);
    window.Render();
  }
  renderer.PreserveColorBufferOff();
  renderer.SetUseDepthPeeling(peeling);
  renderer.SetUseFXAA(fxaa);
}

void render_tiles(vtkRenderWindow& window, vtkRenderer& renderer, const Tiling& tiles,
                  const std::function<void(int column, int row)>& take) {
  if (tiles.count == 1) {
    window.Render();
    return take(0, 0);
  }
  const int scale = tiles.count;
  window.SetTileScale(scale, scale);
  // The handlers of this event adapt objects to the camera and the picture's size, and may move the camera.
  renderer.InvokeEvent(vtkCommand::StartEvent);
  renderer.ResetCameraClippingRange();
  vtkNew<vtkMatrix4x4> whole;
  whole->DeepCopy(renderer.GetActiveCamera()->GetProjectionTransformMatrix(
      static_cast<double>(tiles.width) / tiles.height, -1, 1));
  const auto restore = [&] {
    renderer.GetActiveCamera()->UseExplicitProjectionTransformMatrixOff();
    window.SetTileScale(1, 1);
    window.SetTileViewport(0, 0, 1, 1);
  };
  try {
    for (int row = 0; row < scale; ++row) {
      for (int column = 0; column < scale; ++column) {
        render_tile(window, renderer, *whole, tiles, column, row);
        take(column, row);
      }
    }
    restore();
  } catch (...) {
    restore();
    throw;
  }
}

vtkSmartPointer<vtkImageData> render_all(vtkRenderWindow& window, vtkRenderer& renderer,
                                         const ImageOptions& options) {
  const Tiling tiles = tiling(options);
  const int width = tiles.width * tiles.factor;
  const int height = tiles.height * tiles.factor;
  window.SetSize(width, height);
  window.SetDPI(static_cast<int>(std::lround(72 * tiles.factor * picture_pixel_scale(options.height))));
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(options.width, options.height, 1);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, options.transparent ? 4 : 3);
  vtkNew<vtkUnsignedCharArray> pixels;
  render_tiles(window, renderer, tiles, [&](int column, int row) {
    window.GetRGBACharPixelData(0, 0, width - 1, height - 1, /*front=*/0, pixels);
    if (pixels->GetNumberOfTuples() != vtkIdType{width} * height) {
      throw Error(
          fmt::format("The picture of {} × {} pixels could not be read back from OpenGL. Try a smaller size.",
                      options.width, options.height));
    }
    reduce(pixels->GetPointer(0), tiles, column, row, *image);
  });
  return image;
}

/// Renders in the renderer's own window, with its context, at another size; afterwards the window is
/// repainted.
vtkSmartPointer<vtkImageData> render_in_own_window(vtkRenderWindow& window, vtkRenderer& renderer,
                                                   const ImageOptions& options) {
  window.MakeCurrent();
  const std::array<int, 2> size{window.GetSize()[0], window.GetSize()[1]};
  const int dpi = window.GetDPI();
  const int alpha_planes = window.GetAlphaBitPlanes();
  const auto restore = [&] {
    window.SetAlphaBitPlanes(alpha_planes);
    window.SetDPI(dpi);
    window.SetSize(size[0], size[1]);
  };
  try {
    window.SetAlphaBitPlanes(1);
    auto image = render_all(window, renderer, options);
    restore();
    return image;
  } catch (...) {
    restore();
    throw;
  }
}

vtkSmartPointer<vtkImageData> render_in(vtkRenderWindow& window, vtkRenderer& renderer,
                                        const ImageOptions& options) {
  window.SetAlphaBitPlanes(1);
  window.SetMultiSamples(0);
  window.AddRenderer(&renderer);
  try {
    auto image = render_all(window, renderer, options);
    window.RemoveRenderer(&renderer);
    return image;
  } catch (...) {
    window.RemoveRenderer(&renderer);
    throw;
  }
}

vtkSmartPointer<vtkImageData> render_by_egl(vtkRenderer& renderer, const ImageOptions& options) {
  const opengl::EglContext context;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  use_foreign_context(*window);
  window->SetSize(options.width, options.height);
  start_gl(*window);
  auto image = render_in(*window, renderer, options);
  window->Finalize();
  return image;
}

/// Suppresses VTK's own messages on standard error.
bool supports_opengl(vtkRenderWindow& window) {
  const int warns = vtkObject::GetGlobalWarningDisplay();
  vtkObject::GlobalWarningDisplayOff();
  const bool supports = window.SupportsOpenGL() != 0;
  vtkObject::SetGlobalWarningDisplay(warns);
  return supports;
}

/// Runs on a separate thread: a thread has one current context, and the caller's may belong to the window
/// system.
vtkSmartPointer<vtkImageData> render_elsewhere(vtkRenderer& renderer, const ImageOptions& options) {
  vtkSmartPointer<vtkImageData> image;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      // VTK itself would end the program if there is no display, or one whose OpenGL is too old.
      std::exception_ptr without_egl;
      try {
        image = render_by_egl(renderer, options);
      } catch (const Error&) {
        without_egl = std::current_exception();
      }
      if (without_egl != nullptr) {
        if (std::getenv("DISPLAY") == nullptr) std::rethrow_exception(without_egl);
        const auto window = vtkSmartPointer<vtkRenderWindow>::New();
        window->SetOffScreenRendering(1);
        if (!supports_opengl(*window)) std::rethrow_exception(without_egl);
        image = render_in(*window, renderer, options);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
  return image;
}

bool can_render(vtkRenderWindow* window) {
  auto* generic = vtkGenericOpenGLRenderWindow::SafeDownCast(window);
  return generic != nullptr && generic->GetReadyForRendering();
}

}  // namespace

double picture_pixel_scale(int height) {
  return std::max(1.0, height / nominal_height);
}

vtkSmartPointer<vtkImageData> render_offscreen(vtkRenderer& renderer, const ImageOptions& options) {
  check(options);
  vtkSmartPointer<vtkRenderWindow> window = renderer.GetRenderWindow();
  const bool sized = window != nullptr && window->GetSize()[0] > 0 && window->GetSize()[1] > 0;
  const double fitted_aspect =
      sized ? static_cast<double>(window->GetSize()[0]) / window->GetSize()[1] : nominal_aspect;
  const PictureSettings settings(renderer, options, fitted_aspect);
  if (can_render(window)) return render_in_own_window(*window, renderer, options);
  const vtkSmartPointer<vtkRenderer> kept = &renderer;
  if (window != nullptr) window->RemoveRenderer(&renderer);
  const auto give_back = [&] {
    if (window != nullptr) window->AddRenderer(&renderer);
  };
  try {
    auto image = render_elsewhere(renderer, options);
    give_back();
    return image;
  } catch (...) {
    give_back();
    throw;
  }
}

vtkSmartPointer<vtkImageData> side_by_side(vtkImageData& left, vtkImageData& right) {
  const std::array<vtkImageData*, 2> parts{&left, &right};
  const int height = left.GetDimensions()[1], channels = left.GetNumberOfScalarComponents();
  auto whole = vtkSmartPointer<vtkImageData>::New();
  whole->SetDimensions(left.GetDimensions()[0] + right.GetDimensions()[0], height, 1);
  whole->AllocateScalars(VTK_UNSIGNED_CHAR, channels);
  for (int row = 0; row < height; ++row) {
    auto* to = static_cast<std::uint8_t*>(whole->GetScalarPointer(0, row, 0));
    for (vtkImageData* part : parts) {
      const auto* from = static_cast<const std::uint8_t*>(part->GetScalarPointer(0, row, 0));
      to = std::copy_n(from, part->GetDimensions()[0] * channels, to);
    }
  }
  return whole;
}

std::vector<std::uint8_t> rgb_from_top(vtkImageData& image) {
  const int width = image.GetDimensions()[0], height = image.GetDimensions()[1];
  const int channels = image.GetNumberOfScalarComponents();
  std::vector<std::uint8_t> rgb;
  rgb.reserve(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int row = height; row-- > 0;) {
    const auto* pixel = static_cast<const std::uint8_t*>(image.GetScalarPointer(0, row, 0));
    for (int x = 0; x < width; ++x, pixel += channels) rgb.insert(rgb.end(), pixel, pixel + 3);
  }
  return rgb;
}

void write_png(vtkImageData& image, int dpi, const std::filesystem::path& path) {
  const int width = image.GetDimensions()[0], height = image.GetDimensions()[1];
  const int channels = image.GetNumberOfScalarComponents();
  const auto count = static_cast<std::size_t>(image.GetNumberOfPoints()) * static_cast<std::size_t>(channels);
  pictures::write_png({.bytes = {static_cast<const std::uint8_t*>(image.GetScalarPointer()), count},
                       .width = width,
                       .height = height,
                       .first = pictures::FirstRow::bottom,
                       .fourth = channels == 4 ? pictures::FourthByte::opacity : pictures::FourthByte::none},
                      path, dpi);
}

namespace {

/// Luminance (Rec. 601), row by row; a transparent image is composed over white.
std::vector<double> luminance(vtkImageData& image) {
  const int channels = image.GetNumberOfScalarComponents();
  const auto count = static_cast<std::size_t>(image.GetNumberOfPoints());
  const auto* pixel = static_cast<const std::uint8_t*>(image.GetScalarPointer());
  std::vector<double> grey(count);
  for (std::size_t i = 0; i < count; ++i, pixel += channels) {
    const double alpha = channels == 4 ? pixel[3] / 255.0 : 1.0;
    grey[i] = alpha * pictures::luminance(pixel[0], pixel[1], pixel[2]) + (1 - alpha) * 255;
  }
  return grey;
}

}  // namespace

double structural_similarity(vtkImageData& a, vtkImageData& b) {
  const int* size = a.GetDimensions();
  if (!std::equal(size, size + 3, b.GetDimensions()) || a.GetScalarType() != VTK_UNSIGNED_CHAR ||
      b.GetScalarType() != VTK_UNSIGNED_CHAR) {
    throw Error("Two images can be compared only if both have 8-bit channels and the same size.");
  }
  return pictures::structural_similarity(luminance(a), luminance(b), size[0], size[1]);
}

}  // namespace isolume::scene
