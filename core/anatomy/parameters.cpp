#include "core/anatomy/parameters.h"

#include "core/anatomy/flow_parameters.h"
#include "core/volumes/resize.h"

namespace isolume::anatomy {

std::string_view name_of(Metric metric) {
  switch (metric) {
    case Metric::correlation:
      return "1 - mean squared correlation";
    case Metric::mutual_information:
      return "minus mutual information";
    case Metric::squares:
      break;
  }
  return "root mean square difference";
}

const parameters::Schema<FluidParameters>& fluid_schema() {
  using parameters::field;
  using P = FluidParameters;
  static const parameters::Schema<P> schema{std::vector<parameters::Field<P>>{
      field("smoothness", &P::smoothness_mm, "Smoothness")
          .unit("mm")
          .range(0, 100)
          .usual(1, 30)
          .group("Registration")
          .help("Length over which a force moves its surroundings, the square root of alpha / gamma in the "
                "literature."),
      field("smoothing", &P::smoothing, "Smoothing",
            {{"helmholtz", "Helmholtz (exact)"}, {"gaussian", "Gaussian (recursive)"}})
          .group("Registration")
          .help(
              "Operator that makes a velocity of the force. The Gaussian has the same effect on long waves."),
      field("compressibility", &P::compressibility, "Compressibility")
          .range(0, 10)
          .only_when("smoothing", {"helmholtz"})
          .group("Registration")
          .help("Weight of grad div relative to the Laplacian, beta / alpha in the literature; 0 treats the "
                "axes independently."),
      field("metric", &P::metric, "Metric",
            {{"squares", "Square difference"}, {"correlation", "Local correlation"}})
          .group("Registration")
          .help("How the difference of the images is measured. The square difference suits images of one "
                "kind and brightness; the local correlation those with different contrast, or with shading."),
      field("window", &P::window, "Correlation window")
          .unit("voxels")
          .range(1, 20)
          .usual(1.5, 6)
          .only_when("metric", {"correlation"})
          .group("Registration")
          .help("Standard deviation of the Gaussian window about each voxel, in voxels of the level."),
      field("largest-step", &P::largest_step, "Largest step")
          .unit("voxels")
          .range(0.01, 1)
          .group("Registration")
          .help("Longest step of a voxel in the first iteration of a level, which sets the step size of the "
                "level."),
      field("levels", &P::levels, "Levels")
          .range(1, 8)
          .group("Registration")
          .help("Number of resolutions, each with half of the voxels of the next along each axis."),
      field("iterations", &P::iterations, "Iterations")
          .range(0, 10000)
          .usual(0, 300)
          .group("Registration")
          .help("Iterations at the coarsest level. Each finer level has half of them."),
      field("intensities", &P::intensities, "Intensities",
            {{"range", "Map the range of each image to 0 to 1"}, {"kept", "Compare values as they are"}})
          .group("Registration")
          .help("How values of the two images are made comparable.")}};
  return schema;
}

namespace {

parameters::Field<DeformationParameters> metric_of_images() {
  return parameters::field("metric", static_cast<Metric DeformationParameters::*>(&FluidParameters::metric),
                           "Metric",
                           {{"squares", "Square difference"},
                            {"correlation", "Local correlation"},
                            {"mutual-information", "Mutual information"}})
      .group("Registration")
      .help(
          "How the difference of the images is measured. The square difference suits images of one kind and "
          "brightness; the local correlation those with different contrast, or with shading; mutual information "
          "those of any two kinds, such as CT and MR.");
}

}  // namespace

const parameters::Schema<DeformationParameters>& deformation_schema() {
  using parameters::field;
  using P = DeformationParameters;
  static const parameters::Schema<P> schema = [] {
    std::vector<parameters::Field<P>> fields{
        field("model", &P::model, "Model",
              {{"fluid", "Greedy fluid"},
               {"b-spline", "B-spline"},
               {"lddmm", "Geodesic flow (LDDMM)"},
               {"demons", "Log-demons"}})
            .group("Registration")
            .help(
                "How the deformation is described. Greedy fluid: small steps, composed. B-spline: splines "
                "between control points, for small smooth maps. Geodesic flow: the shortest way between the "
                "images, with a distance. Log-demons: the flow of one velocity, symmetric in both images."),
        field("control-spacing", &P::control_spacing_mm, "Control point spacing")
            .unit("mm")
            .range(1, 200)
            .usual(4, 40)
            .only_when("model", {"b-spline"})
            .group("Registration")
            .help("Largest distance of control points at the finest level. Each coarser level has twice as "
                  "much."),
        field("bending", &P::bending, "Bending weight")
            .unit("mm²")
            .range(0, 1000)
            .usual(0, 0.1)
            .only_when("model", {"b-spline"})
            .group("Registration")
            .help("Weight of the mean square of second derivatives of the displacement, relative to that of "
                  "differences in ranges of values.")};
    for (auto& each : flow_fields<P>("the images")) fields.push_back(std::move(each));
    fields.push_back(
        field("velocity-smoothness", &P::velocity_smoothness_mm, "Velocity smoothness")
            .unit("mm")
            .range(0, 100)
            .usual(0, 5)
            .only_when("model", {"demons"})
            .group("Registration")
            .help("Standard deviation of the Gaussian that smooths the velocity after each step."));
    fields.push_back(
        field("landmark-weight", &P::landmark_weight, "Landmark weight")
            .range(0, 1000)
            .usual(0, 10)
            .only_when("model", {"fluid", "b-spline", "demons"})
            .group("Registration")
            .help("Weight of the landmarks' distances in the deformation. At 1, a distance of 1 mm counts as "
                  "much as a difference of a tenth of the range of values."));
    for (const auto& each : fluid_schema().fields()) {
      if (each.description.key ==
          "metric") {  // of two images, it has more choices than of an image and a mean
        fields.push_back(metric_of_images());
        continue;
      }
      fields.push_back({each.description, each.get, each.set});
      parameters::Description& added = fields.back().description;
      const bool is_of_fluid = added.key == "smoothness" || added.key == "smoothing";
      if (is_of_fluid) added.relevant_when = {"model", {"fluid", "lddmm", "demons"}};
    }
    fields.push_back(field("engine", &P::engine, "Engine")
                         .only_when("model", {"fluid"})
                         .group("Registration")
                         .help("The engine that computes fluid registrations. Best takes a GPU where it is "
                               "faster and can compute the metric and the smoothing, and else the CPU."));
    return parameters::Schema<P>(std::move(fields));
  }();
  return schema;
}

std::vector<Level> levels_of(const volumes::Counts& finest, const FluidParameters& parameters) {
  std::vector<Level> levels;
  int iterations = parameters.iterations;
  for (const volumes::Counts& counts : volumes::pyramid(finest, parameters.levels)) {
    levels.push_back({counts, iterations});
    iterations = (iterations + 1) / 2;
  }
  return levels;
}

}  // namespace isolume::anatomy
