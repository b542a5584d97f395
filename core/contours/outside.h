#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/contours/contour.h"

namespace isolume::contours {

inline constexpr const char* no_contour_remark = "There is no contour for this image in the file.";

/// Contours that were left out or changed for one reason, and their labels.
class ContourTally {
 public:
  void add(const std::string& label);
  std::size_t count() const { return count_; }
  /// "3 contours of Liver, Spleen"
  std::string text() const;

 private:
  std::size_t count_ = 0;
  std::vector<std::string> labels_;
  std::set<std::string> seen_;
};

/// Contours of a file that lie partly or wholly beyond the edges of their slices, for remarks.
class OutsideTally {
 public:
  /// `points`: in pixels of the slice. False if they are so far away that no file of contours can hold them.
  bool add(const Polyline& points, const images::SlicePlane& plane, bool closed, const std::string& label);
  void report(Remarks& remarks) const;

 private:
  ContourTally partly_, wholly_, far_;
};

/// Names those labels of `set` in a remark that have closed contours but, as `on_grid`, cover no pixel of the grid.
/// `what`: "Labels".
void remark_on_labels_without_pixels(const ContourSet& set, const ContourSet& on_grid,
                                     const images::Geometry& geometry, std::string_view what,
                                     Remarks& remarks);

}  // namespace isolume::contours
