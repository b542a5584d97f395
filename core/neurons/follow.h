#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/neurons/patch.h"
#include "core/neurons/ribbon.h"

namespace isolume::neurons {

/// A position within a neuron, which a person gives, in the unit of the grid.
struct Mark {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  /// Of a small outline around it, `largest_mark_radius` at most; 0: the membrane is searched.
  double radius = 0;
  bool operator==(const Mark&) const = default;
};
/// The marks of one neuron: the first one is where it begins; each other one corrects the slices from its own on, away
/// from the first.
using Marks = std::vector<Mark>;

/// The inside of a neuron in one slice, in the unit of the grid.
struct Section {
  int slice = 0;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< centroid
  double area = 0;
  double radius = 0;      ///< of a circular fibre that is cut at the slope of the centre line
  double confidence = 0;  ///< part of the outline with a membrane, 0 to 1
};

struct Neuron {
  int axis = 2;                     ///< of the grid, across the slices
  std::vector<Section> sections;    ///< ascending slices
  std::vector<std::size_t> voxels;  ///< inside, ascending
  double length = 0;                ///< of the centre line, smoothed by (1 2 1) / 4
  double mean_width = 0;            ///< twice the mean radius along the centre line
  double volume = 0;
  std::vector<std::string> ends;  ///< why it was followed no farther: "slice 41: ..."
};

struct Followed {
  std::vector<Neuron> neurons;  ///< of each of the marks
  Remarks remarks;              ///< gaps, and neurons that were ended where they meet others
};

/// Follows neurons slice by slice in both directions. The position in the next slice comes from a translation of the
/// surroundings (normalised cross-correlation, first wide and then narrow), the outline from an active ribbon (see
/// `settle`) that begins with that of the slice before. A neuron ends where it leaves the image, where less than half
/// of its outline has a membrane, where its area changes more than 2.5-fold against the slices before, or where the
/// next slice shows something else; the reason is in `ends`. Where two neurons come to share more than a third of a section,
/// the later one is ended with a remark. Neurons and directions run on several threads with the same bits.
///
/// `numbers` has those of the neurons in texts, where they are a part of several; empty: they are all, from 1.
///
/// Throws Error for values that are not finite, for a stack of a single slice, for marks outside of the image or with
/// too large a radius, and for a single neuron whose first mark has a membrane along less than three quarters of its
/// outline; Cancelled. Of several neurons, such a one has no sections, and a remark.
Followed follow(const Stack& stack, const std::vector<Marks>& marks, const RibbonParameters& parameters,
                const jobs::Progress& progress = {}, const std::vector<std::size_t>& numbers = {});

/// Half of the diagonal of a slice across the axis, in the unit of the grid.
double largest_mark_radius(const grid::Grid& grid, int axis);

/// A number of each voxel: 0, or that of its neuron from 1.
std::vector<std::uint32_t> numbers_of(const Stack& stack, const std::vector<Neuron>& neurons);

/// A length with its unit: "12.3 µm" below 1 mm; other units as they are.
std::string length_text(double length, grid::LengthUnit unit);

/// {"sections", "first_slice", "last_slice", "least_confidence", "length_mm", "mean_width_mm", "volume_mm3", "voxels",
/// "ends"}. The unit of the grid is that of the names.
nlohmann::ordered_json json_of(const Neuron& neuron, grid::LengthUnit unit);

}  // namespace isolume::neurons
