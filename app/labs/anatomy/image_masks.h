#pragma once

#include <QObject>
#include <QPointer>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>

#include <nlohmann/json.hpp>

#include "app/slices/label_layer.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/lab.h"
#include "core/anatomy/alignment.h"
#include "core/anatomy/mask.h"
#include "core/graph/node.h"

class QLabel;
class QPushButton;

namespace isolume::labs::anatomy {

/// Where the masks of two images lie on the fixed one.
struct MaskInputs {
  isolume::anatomy::MaskPair masks;
  std::shared_ptr<const isolume::anatomy::Pair> pair;
  std::shared_ptr<const isolume::anatomy::Placement> placement;  ///< null: by the headers
  std::shared_ptr<const isolume::anatomy::Alignment> alignment;  ///< null: without a deformation
  bool operator==(const MaskInputs&) const = default;
};
/// Voxels of the fixed image that are not compared, as a label of its grid.
std::shared_ptr<const slices::LabelMap> outside_of(const MaskInputs& inputs, const jobs::Progress& progress);

/// The masks of a lab's two images: commands, rows of a panel, and what is drawn over the slices, which are dimmed outside of
/// them.
class ImageMasks final : public QObject {
  Q_OBJECT
 public:
  /// `place` gives what is shown now, and no masks.
  ImageMasks(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
             std::function<MaskInputs()> place);

  const isolume::anatomy::MaskPair& masks() const { return masks_; }
  QWidget* make_rows();
  /// Another pair of images; masks stay with their image.
  void open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair);
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);
  /// How dark slices are outside of the masks, 0 to 1.
  void set_dimming(double dimming);
  slices::SliceView::Overlay over_picture() const;

 Q_SIGNALS:
  void changed();

 private:
  enum Side { fixed, moving };
  static constexpr std::array both_sides{fixed, moving};
  static Side side_of(const std::string& image) { return image == "fixed" ? fixed : moving; }
  static const char* name_of(Side side) { return side == fixed ? "fixed" : "moving"; }
  std::shared_ptr<const isolume::anatomy::Mask>& mask_of(Side side) {
    return side == fixed ? masks_.fixed : masks_.moving;
  }

  void bind_commands();
  void read(Side side, const std::filesystem::path& path);
  void show();

  workbench::LabContext& context_;
  graph::Graph& graph_;
  QPointer<slices::LinkedSlices> views_;
  std::function<MaskInputs()> place_;
  isolume::anatomy::MaskPair masks_;
  struct Row {
    QPointer<QLabel> file;
    QPointer<QPushButton> remove;
  };
  std::array<Row, 2> rows_;
  slices::LabelLayer outside_;
  graph::Node<MaskInputs, slices::LabelMap> outside_map_;
};

}  // namespace isolume::labs::anatomy
