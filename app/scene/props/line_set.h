#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

class vtkPolyData;
class vtkRenderer;
template <class T>
class vtkSmartPointer;

namespace isolume::scene {

/// Polylines with a colour at each point.
struct LineSet {
  std::vector<float> places;                         ///< x, y, z of each point in turn
  std::vector<std::array<std::uint8_t, 4>> colours;  ///< red, green, blue, alpha of each point
  std::vector<std::uint32_t> starts;                 ///< where each line begins

  void add(float x, float y, float z, const std::array<std::uint8_t, 4>& colour) {
    places.insert(places.end(), {x, y, z});
    colours.push_back(colour);
  }
  void begin_line() { starts.push_back(static_cast<std::uint32_t>(colours.size())); }
};

struct LineLook {
  double width_points = 1.2;
  bool translucent = true;   ///< whether colours have alpha
  bool on_surfaces = false;  ///< drawn in front of the surface on which they lie, in their whole width
};

/// Lines in a renderer for the lifetime of this object. They do not count for the bounds of the scene.
class LineSetProp {
 public:
  explicit LineSetProp(vtkRenderer& renderer, const LineLook& look = {});
  ~LineSetProp();
  LineSetProp(const LineSetProp&) = delete;
  LineSetProp& operator=(const LineSetProp&) = delete;

  /// Sets the line width, which is the same on paper for all picture sizes; call before each frame.
  void update(double pixel_scale);
  /// Null or empty: no lines.
  void set(const std::shared_ptr<const LineSet>& lines);
  bool visible() const;
  /// The lines with a colour per point, for files; immutable.
  vtkSmartPointer<vtkPolyData> lines() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
