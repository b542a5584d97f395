// How fast the filters of core/filters are, next to ITK's and to copying memory: bench_filters [SIDE...]
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <itkBilateralImageFilter.h>
#include <itkGradientAnisotropicDiffusionImageFilter.h>
#include <itkGradientMagnitudeImageFilter.h>
#include <itkMedianImageFilter.h>
#include <itkMultiThreaderBase.h>
#include <itkSmoothingRecursiveGaussianImageFilter.h>
#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include "core/base/clock.h"
#include "core/benchmark/repeats.h"
#include "tests/core/filters/images.h"

namespace isolume::filters {
namespace {

using Image = itk::Image<float, 3>;

double milliseconds_of(const std::function<void()>& work, int least_repeats) {
  return benchmarks::time_repeats({0.2, least_repeats},
                                  [&] {
                                    const auto begin = std::chrono::steady_clock::now();
                                    work();
                                    return milliseconds_since(begin);
                                  })
      .least_ms;
}

/// Reads and writes each number once.
double copy_ms(const grid::ScalarField& image) {
  FieldValues to(image.values.size());
  const float* from = image.values.data();
  return milliseconds_of(
      [&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, to.size(), 1U << 18U), [&](const auto& part) {
          std::memcpy(to.data() + part.begin(), from + part.begin(), part.size() * sizeof(float));
        });
      },
      5);
}

struct Pair {
  const char* text;
  std::function<itk::ProcessObject::Pointer(Image* image)> itk;
};

template <class Filter>
itk::ProcessObject::Pointer made(Image* image, const std::function<void(Filter&)>& set) {
  const auto filter = Filter::New();
  filter->SetInput(image);
  set(*filter);
  return filter.GetPointer();
}

std::vector<Pair> pairs() {
  using Gaussian = itk::SmoothingRecursiveGaussianImageFilter<Image, Image>;
  using Median = itk::MedianImageFilter<Image, Image>;
  using Bilateral = itk::BilateralImageFilter<Image, Image>;
  using Diffusion = itk::GradientAnisotropicDiffusionImageFilter<Image, Image>;
  using Gradient = itk::GradientMagnitudeImageFilter<Image, Image>;
  const auto median = [](itk::SizeValueType radius) {
    return [radius](Image* image) {
      return made<Median>(image, [&](Median& filter) {
        Median::RadiusType size;
        size.Fill(radius);
        filter.SetRadius(size);
      });
    };
  };
  return {{"gaussian sigma=2",
           [](Image* image) { return made<Gaussian>(image, [](Gaussian& filter) { filter.SetSigma(2); }); }},
          {"median radius=1", median(1)},
          {"median radius=2", median(2)},
          {"median radius=3", median(3)},
          {"bilateral sigma=1.5 range=50",
           [](Image* image) {
             return made<Bilateral>(image, [](Bilateral& filter) {
               filter.SetDomainSigma(1.5);
               filter.SetRangeSigma(50);
             });
           }},
          {"diffusion iterations=5 edge=50 time-step=0.0625",
           [](Image* image) {
             return made<Diffusion>(image, [](Diffusion& filter) {
               filter.SetNumberOfIterations(5);
               filter.SetTimeStep(0.0625);
               filter.SetConductanceParameter(1);
             });
           }},
          {"gradient", [](Image* image) { return made<Gradient>(image, [](Gradient&) {}); }},
          {"total-variation lambda=0.05 iterations=10 gap=0", nullptr}};
}

void bench(int side) {
  const auto image = noise(mm_grid({side, side, side}), 255);
  const auto count = static_cast<double>(image.values.size());
  const auto bytes = 2 * sizeof(float) * count;
  const double copying = copy_ms(image);
  fmt::print("{0} x {0} x {0}, {1} threads; memcpy {2:.2f} ms, {3:.1f} GB/s\n", side,
             tbb::info::default_concurrency(), copying, 1e-6 * bytes / copying);
  const auto view = Image::New();
  view->SetRegions({static_cast<itk::SizeValueType>(side), static_cast<itk::SizeValueType>(side),
                    static_cast<itk::SizeValueType>(side)});
  view->GetPixelContainer()->SetImportPointer(const_cast<float*>(image.values.data()), image.values.size(),
                                              false);
  for (const auto& [text, make_other] : pairs()) {
    const auto filter = parse_filter(text);
    const double ours = milliseconds_of([&] { filter->apply(image); }, 3);
    fmt::print("  {:<50} {:8.1f} ms, {:6.2f} ns a voxel, {:5.1f} GB/s", text, ours, 1e6 * ours / count,
               1e-6 * bytes / ours);
    if (make_other) {
      const double theirs = milliseconds_of([&, make = make_other] { make(view)->Update(); }, 0);
      fmt::print(", ITK {:9.1f} ms: {:.1f} times", theirs, theirs / ours);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace isolume::filters

int main(int argc, char** argv) {
  std::vector<int> sides;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    int side = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), side).ec != std::errc() || side < 8 ||
        side > 1024) {
      fmt::print(stderr, "usage: bench_filters [SIDE...], sides from 8 to 1024 voxels\n");
      return 2;
    }
    sides.push_back(side);
  }
  if (sides.empty()) sides = {128, 256};
  for (const int side : sides) isolume::filters::bench(side);
}
