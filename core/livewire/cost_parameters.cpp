#include "core/livewire/costs.h"

namespace isolume::livewire {

const parameters::Schema<CostParameters>& cost_schema() {
  using P = CostParameters;
  using parameters::field;
  static const parameters::Schema<P> schema({
      field("cost", &P::model, "Cost",
            {{"features", "Edge features"}, {"thesis", "Inverse gradient (four neighbours)"}})
          .group("Cost")
          .help("What makes a path cheap: a weighted sum of edge features, or the gradient alone, as a "
                "linear ramp, in four directions."),
      field("gradient-filter", &P::filter, "Gradient", {{"sobel", "Sobel"}, {"gaussian", "Gaussian"}})
          .group("Cost")
          .help("How the gradient is measured: Sobel's 3 × 3 pixels, or the derivative of a Gaussian, which "
                "is less sensitive to noise."),
      field("sigma", &P::sigma_px, "Edge scale")
          .unit("px")
          .range(0.3, 10)
          .usual(0.5, 4)
          .group("Cost")
          .help("Standard deviation of the Gaussian used to find edges; larger for noisy images and blurred "
                "edges."),
      field("neighbours", &P::neighbours, "Neighbours", {{"4", "4"}, {"8", "8"}})
          .group("Cost")
          .only_when("cost", {"features"})
          .help("Whether the wire may go diagonally (8) or not (4)."),
      field("gradient-weight", &P::gradient_weight, "Gradient magnitude")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("How strongly large gradients attract the wire."),
      field("gradient-reach", &P::gradient_reach_px, "Gradient within")
          .unit("px")
          .range(0, 1000)
          .usual(0, 64)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Gradients are judged by the strongest one within this distance, so that faint edges count "
                "where none is clearer; 0: by the strongest of the whole slice."),
      field("zero-crossing-weight", &P::zero_crossing_weight, "Zero crossing")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("How strongly the wire keeps to the middle of an edge, where the Laplacian of Gaussian "
                "changes sign."),
      field("zero-crossing-threshold", &P::zero_crossing_threshold, "Zero crossing from")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Fraction of the strongest gradient above which a sign change counts in full; weaker ones, "
                "mostly noise, count in proportion."),
      field("direction-weight", &P::direction_weight, "Direction")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("How strongly the wire avoids turning away from the direction of the edge."),
      field("inside-weight", &P::inside_weight, "Left side")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("How strongly the wire keeps the wanted intensity on its left."),
      field("inside-value", &P::inside_value, "Left intensity")
          .usual(-1000, 3000)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Wanted intensity on the left, in the image's unit."),
      field("inside-tolerance", &P::inside_tolerance, "Left tolerance")
          .range(1e-6, 1e9)
          .usual(1, 1000)
          .logarithmic()
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Difference from the wanted intensity on the left that costs the full weight."),
      field("outside-weight", &P::outside_weight, "Right side")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("How strongly the wire keeps the wanted intensity on its right."),
      field("outside-value", &P::outside_value, "Right intensity")
          .usual(-1000, 3000)
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Wanted intensity on the right, in the image's unit."),
      field("outside-tolerance", &P::outside_tolerance, "Right tolerance")
          .range(1e-6, 1e9)
          .usual(1, 1000)
          .logarithmic()
          .group("Weights")
          .only_when("cost", {"features"})
          .help("Difference from the wanted intensity on the right that costs the full weight."),
      field("trained-weight", &P::trained_weight, "Trained")
          .range(0, 1)
          .group("Weights")
          .only_when("cost", {"features"})
          .help(
              "How strongly the wire keeps to edges that look like the last accepted pieces of the contour."),
  });
  return schema;
}

}  // namespace isolume::livewire
