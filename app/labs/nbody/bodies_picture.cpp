#include "app/labs/nbody/bodies_picture.h"

#include <algorithm>
#include <cmath>

#include <vtkCallbackCommand.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>

#include "app/scene/colour_bar.h"
#include "app/scene/colour_map.h"
#include "app/scene/points_prop.h"

namespace isolume::labs::nbody {

/// The bodies, and the bar of what their colours tell.
class BodiesPicture::Shown {
 public:
  explicit Shown(vtkRenderer& renderer) : renderer_(renderer), bar_(renderer) {
    renderer_.SetBackground(0, 0, 0);
    renderer_.AddViewProp(prop_);
    bar_.set_colour({1, 1, 1});
    bar_.set_visible(false);
    start_of_frame_->SetClientData(this);
    start_of_frame_->SetCallback([](vtkObject*, unsigned long, void* shown, void*) {
      auto* self = static_cast<Shown*>(shown);
      self->bar_.update(self->renderer_.GetRenderWindow()->GetDPI() / 72.0);
    });
    renderer_.AddObserver(vtkCommand::StartEvent, start_of_frame_);
  }
  ~Shown() {
    renderer_.RemoveObserver(start_of_frame_);
    renderer_.RemoveViewProp(prop_);
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  void set(const std::shared_ptr<const scene::LightPoints>& points, const std::string& quantity,
           double radius) {
    prop_->set_points(points);
    prop_->set_bounds({-radius, radius, -radius, radius, -radius, radius});
    bar_.set_visible(!points->distinct);
    if (points->distinct) return;
    const auto [low, high] = points->range;
    if (points->logarithmic) {
      colours_ = scene::logarithmic_map(low, high);
    } else {
      colours_ = scene::sequential_map(1);
      colours_->SetTableRange(low, high);
    }
    bar_.set_meaning(*colours_, quantity, "G = 1");
  }

 private:
  vtkRenderer& renderer_;
  vtkNew<scene::PointsProp> prop_;
  scene::ColourBar bar_;
  vtkSmartPointer<vtkLookupTable> colours_;
  vtkNew<vtkCallbackCommand> start_of_frame_;
};

BodiesPicture::BodiesPicture(vtkRenderer& renderer) : shown_(std::make_unique<Shown>(renderer)) {}

BodiesPicture::~BodiesPicture() = default;

BodiesPicture::Extent BodiesPicture::extent_of(const isolume::nbody::NBodyFrame& frame,
                                               const bodies::DrawnBodies& drawn) const {
  const Eigen::Map<const Eigen::Matrix3Xf> places(drawn.positions.data(), 3,
                                                  static_cast<Eigen::Index>(drawn.masses.size()));
  if (places.cols() == 0) return {frame.centre, 1};
  const Eigen::Vector3f middle = places.rowwise().mean();
  Eigen::VectorXf distances = (places.colwise() - middle).colwise().norm();
  float* ninth = distances.data() + distances.size() * 9 / 10;
  std::nth_element(distances.data(), ninth, distances.data() + distances.size());
  return {frame.centre + middle.cast<double>(), std::max(1.2 * *ninth, 1e-6)};
}

void BodiesPicture::show(const std::shared_ptr<const isolume::nbody::NBodyFrame>& frame,
                         const bodies::BodiesLook& look, const std::string& quantity) {
  auto drawn = bodies::drawn_bodies(*frame, look);
  if (!extent_) extent_ = extent_of(*frame, drawn);
  auto points = std::make_shared<scene::LightPoints>();
  points->positions = std::move(drawn.positions);
  const Eigen::Vector3f shift = (frame->centre - extent_->middle).cast<float>();
  Eigen::Map<Eigen::Matrix3Xf>(points->positions.data(), 3, static_cast<Eigen::Index>(drawn.masses.size()))
      .colwise() += shift;
  points->masses = std::move(drawn.masses);
  points->values = std::move(drawn.values);
  points->range = drawn.range;
  points->logarithmic = drawn.logarithmic;
  points->distinct = drawn.distinct;
  // Parts of the area and the height that are seen at first, for brightness and size 1.
  constexpr double light = 0.05, size = 0.002, usual_count = 50000;
  const double height = 2.5 * extent_->radius;
  points->luminosity = static_cast<float>(light * look.brightness * height * height);
  points->radius = static_cast<float>(
      size * look.size * height *
      std::cbrt(usual_count / std::max<double>(1, static_cast<double>(points->masses.size()))));
  points->exposure = static_cast<float>(look.exposure);
  points_ = std::move(points);
  quantity_ = quantity;
  shown_->set(points_, quantity_, extent_->radius);
}

std::shared_ptr<const void> BodiesPicture::copy_into(vtkRenderer& renderer) const {
  auto copy = std::make_shared<Shown>(renderer);
  copy->set(points_, quantity_, extent_ ? extent_->radius : 1);
  return copy;
}

}  // namespace isolume::labs::nbody
