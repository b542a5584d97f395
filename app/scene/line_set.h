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

/// Lines through places, with a colour at each of them.
struct LineSet {
  std::vector<float> places;                         ///< x, y, z of the first, x, y, z of the second ...
  std::vector<std::array<std::uint8_t, 4>> colours;  ///< red, green, blue, alpha of each
  std::vector<std::uint32_t> starts;                 ///< where each line begins

  void add(float x, float y, float z, const std::array<std::uint8_t, 4>& colour) {
    places.insert(places.end(), {x, y, z});
    colours.push_back(colour);
  }
  void begin_line() { starts.push_back(static_cast<std::uint32_t>(colours.size())); }
};

struct LineLook {
  double width_points = 1.2;
  bool translucent = true;  ///< colours have alpha
};

/// Lines in a renderer, as long as this lives. What bounds the scene does not take them into account.
class LineSetProp {
 public:
  explicit LineSetProp(vtkRenderer& renderer, const LineLook& look = {});
  ~LineSetProp();
  LineSetProp(const LineSetProp&) = delete;
  LineSetProp& operator=(const LineSetProp&) = delete;

  /// Lines as wide on paper whatever the picture's size; before each frame.
  void update(double pixel_scale);
  /// Null or empty: none.
  void set(const std::shared_ptr<const LineSet>& lines);
  bool visible() const;
  /// With a colour per point, for files; never changed again.
  vtkSmartPointer<vtkPolyData> lines() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
