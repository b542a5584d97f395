#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/images/volume.h"
#include "core/jobs/progress.h"
#include "core/livewire/cost_grid.h"
#include "core/parameters/schema.h"

namespace isolume::livewire {

enum class CostModel {
  features,  ///< weighted sum of features; Mortensen and Barrett, Graph. Models Image Process. 60, 349 (1998)
  thesis,    ///< inverse linear ramp of the gradient alone (Baggio, ITA 2007, eq. 2.9 and 2.10), four
             ///< neighbours
};
enum class GradientFilter { sobel, gaussian };
enum class NeighbourChoice { four, eight };

/// What makes an edge attractive to the wire. Everything is computed from the stored values (in the volume's unit, as
/// floats), independent of the display window. Weights are relative: the sum of weight times feature is divided by
/// the sum of the weights. A feature is 0 where the wire is attracted and 1 where it is repelled.
struct CostParameters {
  CostModel model = CostModel::features;
  GradientFilter filter = GradientFilter::gaussian;
  double sigma_px = 1.0;  ///< of the Gaussian derivative and of the Laplacian of Gaussian
  NeighbourChoice neighbours = NeighbourChoice::eight;
  double gradient_weight =
      0.43;  ///< 1 - |grad| / its maximum (the 99.9th percentile, so that one bright pixel does not dominate)
  /// The maximum is that of a neighbourhood of about this radius in pixels, but at least a fifth of the whole
  /// slice's, since lower values would be noise: a faint edge is followed like a clear one where there is no clearer
  /// one nearby. 0: the whole slice's everywhere.
  double gradient_reach_px = 24;
  double zero_crossing_weight = 0.43;  ///< 0 where the Laplacian of Gaussian changes sign, 1 elsewhere
  /// Sign changes on gradients below this part of what counts as 1 are likely noise: they count in proportion
  /// to their gradient (zero crossings judged by gradient: Clark, IEEE PAMI 11, 43 (1989)).
  double zero_crossing_threshold = 0.1;
  double direction_weight =
      0.14;  ///< deviation from the edge's direction (eq. 4 of the same paper); requires arc costs
  double inside_weight = 0;  ///< intensity left of the path, |I - inside_value| / inside_tolerance up to 1
  double inside_value = 0, inside_tolerance = 100;
  double outside_weight = 0;  ///< the same to the right of it
  double outside_value = 0, outside_tolerance = 100;
  double trained_weight = 0;  ///< similarity to the last accepted pieces; see Training

  bool operator==(const CostParameters&) const = default;
};
const parameters::Schema<CostParameters>& cost_schema();

/// Feature images of one slice, x fastest, kept for display layers and for snapping. `gradient` is in
/// units of the image per pixel.
struct Features {
  int width = 0, height = 0;
  FieldValues gradient, gradient_x, gradient_y;
  FieldValues laplacian;     ///< of Gaussian
  float gradient_scale = 1;  ///< the gradient that counts as 1
};
Features compute_features(const images::SliceImage& slice, const CostParameters& parameters,
                          const jobs::Progress& progress = {});

/// Learns the appearance of the edge from accepted pieces: smoothed histograms of gradient magnitude and of the
/// intensities on both sides; cost = 1 - frequency of the value relative to the most frequent one.
class Training {
 public:
  /// Replaces what was learnt. `path` in the order of travel; its last `most_recent_px` pixels are used.
  void learn(const images::SliceImage& slice, const Features& features, const std::vector<Pixel>& path,
             int most_recent_px = 200);
  bool empty() const { return gradient_.frequency.empty(); }
  /// 0 to 1.
  float cost(float gradient, float left, float right) const;

 private:
  struct Histogram {
    float low = 0, high = 1;
    std::vector<float> frequency;  ///< of equal bins from low to high; the largest is 1
    float cost(float value) const;
  };
  static Histogram histogram(const std::vector<float>& samples, float least_width);
  Histogram gradient_, left_, right_;
};

/// Mean intensities of the two pixels to the left and to the right of the step from `from` in `direction`, next to
/// its two ends; y grows downwards. The slice's border is repeated outwards.
struct Sides {
  float left = 0, right = 0;
};
Sides sides_of_step(const images::SliceImage& slice, Pixel from, int direction);

/// Builds the graph. Node costs are used unless direction, inside, outside or trained weights require arc costs.
CostGrid make_costs(const images::SliceImage& slice, const Features& features,
                    const CostParameters& parameters, const Training* training = nullptr,
                    const jobs::Progress& progress = {});

}  // namespace isolume::livewire
