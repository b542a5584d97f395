#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/slices/label_layer.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/labels.h"

namespace isolume::labs::anatomy {

/// A label map of one of the two images, with the names of its labels where there is a file of them.
struct NamedLabels {
  std::filesystem::path path;
  isolume::anatomy::Labels labels;
  std::map<std::int64_t, std::string> names;
};
/// Names come from a text file of the same name: aal.txt or aal.nii.txt for aal.nii.gz. Throws as read_labels.
std::shared_ptr<const NamedLabels> read_named_labels(const std::filesystem::path& path,
                                                     const jobs::Progress& progress);

/// Labels of both images; null: there are none.
struct LabelSides {
  std::shared_ptr<const NamedLabels> moving, fixed;
  bool operator==(const LabelSides&) const = default;
};

struct LabelRow {
  std::int64_t label = 0;
  std::string name;  ///< may be empty
  std::uint32_t colour = 0xffffffffU;
  isolume::anatomy::LabelVolume volume;
  std::optional<double> dice;  ///< with the fixed image's label; nothing without one
};

/// What is shown of the labels of both images on the fixed image's grid, the moving one's carried by the registration.
struct CarriedLabels {
  std::shared_ptr<const slices::LabelMap> moving, fixed;  ///< null: there are none
  std::shared_ptr<const isolume::anatomy::Labels> carried;
  std::vector<LabelRow> rows;        ///< of the moving image's labels, or of the fixed one's without these
  std::vector<std::int64_t> labels;  ///< by number of colour
  std::vector<std::string> names;    ///< of these: "17 Hippocampus", or "17"
  std::optional<double> mean_dice;   ///< of the labels that both have
};
struct LabelInputs {
  std::shared_ptr<const NamedLabels> moving, fixed;  ///< null: there are none
  std::shared_ptr<const isolume::anatomy::Pair> pair;
  std::shared_ptr<const isolume::anatomy::Placement> placement;  ///< null: by the headers
  std::shared_ptr<const isolume::anatomy::Alignment> alignment;  ///< null: without a deformation
  double morph = 1;                                              ///< Comparison::morph
  bool operator==(const LabelInputs&) const = default;
};
std::shared_ptr<const CarriedLabels> carry(const LabelInputs& inputs, const jobs::Progress& progress);

}  // namespace isolume::labs::anatomy
