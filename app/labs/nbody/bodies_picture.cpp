#include "app/labs/nbody/bodies_picture.h"

#include <algorithm>
#include <cmath>

#include <vtkRenderer.h>

#include "app/scene/points_prop.h"

namespace isolume::labs::nbody {
namespace {

class InRenderer {
 public:
  InRenderer(vtkRenderer& renderer, vtkSmartPointer<scene::PointsProp> prop)
      : renderer_(renderer), prop_(std::move(prop)) {
    renderer_.AddViewProp(prop_);
  }
  ~InRenderer() { renderer_.RemoveViewProp(prop_); }
  InRenderer(const InRenderer&) = delete;
  InRenderer& operator=(const InRenderer&) = delete;

 private:
  vtkRenderer& renderer_;
  vtkSmartPointer<scene::PointsProp> prop_;
};

}  // namespace

BodiesPicture::BodiesPicture(vtkRenderer& renderer)
    : renderer_(renderer), prop_(vtkSmartPointer<scene::PointsProp>::New()) {
  renderer_.SetBackground(0, 0, 0);
  renderer_.AddViewProp(prop_);
}

BodiesPicture::~BodiesPicture() {
  renderer_.RemoveViewProp(prop_);
}

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
                         const bodies::BodiesLook& look) {
  auto drawn = bodies::drawn_bodies(*frame, look);
  if (!extent_) {
    extent_ = extent_of(*frame, drawn);
    const double radius = extent_->radius;
    prop_->set_bounds({-radius, radius, -radius, radius, -radius, radius});
  }
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
  prop_->set_points(points_);
}

std::shared_ptr<const void> BodiesPicture::copy_into(vtkRenderer& renderer) const {
  renderer.SetBackground(0, 0, 0);
  auto prop = vtkSmartPointer<scene::PointsProp>::New();
  prop->set_points(points_);
  if (extent_) {
    std::array<double, 6> bounds{};
    std::copy_n(prop_->GetBounds(), bounds.size(), bounds.begin());
    prop->set_bounds(bounds);
  }
  return std::make_shared<InRenderer>(renderer, std::move(prop));
}

}  // namespace isolume::labs::nbody
