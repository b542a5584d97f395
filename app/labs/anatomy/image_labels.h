#pragma once

#include <QObject>
#include <QPointer>
#include <array>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include <nlohmann/json.hpp>

#include "app/labs/anatomy/carried_labels.h"
#include "app/labs/anatomy/labels_panel.h"
#include "app/labs/anatomy/overlays.h"
#include "app/slices/linked_slices.h"
#include "app/workbench/contract/lab.h"
#include "core/graph/node.h"

namespace isolume::labs::anatomy {

/// The labels of a lab's two images, which the registration carries from the moving to the fixed one: commands, panel, and
/// what is drawn over the slices.
class ImageLabels final : public QObject {
  Q_OBJECT
 public:
  enum class Side { moving, fixed };

  using PairPointer = std::shared_ptr<const isolume::anatomy::Pair>;

  /// `pair` gives the present one, and `place` what is shown of it, without labels: nothing while what is shown stays.
  /// `when_aligned` calls a function when the registration has been found.
  ImageLabels(workbench::LabContext& context, graph::Graph& graph, slices::LinkedSlices& views,
              Overlays& overlays, std::function<PairPointer()> pair,
              std::function<std::optional<LabelInputs>()> place,
              std::function<void(std::function<void()>)> when_aligned);

  LabelsPanel* make_panel();  ///< once
  /// Another pair of images; labels stay with their image.
  void open(const isolume::anatomy::Pair* before, const isolume::anatomy::Pair& pair);
  void take(Side side, std::shared_ptr<const NamedLabels> labels);
  nlohmann::json state() const;
  void restore(const nlohmann::json& state);
  bool has_both() const { return moving_ != nullptr && fixed_ != nullptr; }
  LabelSides sides() const { return {moving_, fixed_}; }
  bool empty() const { return moving_ == nullptr && fixed_ == nullptr; }
  bool are_settled() const { return carried_.settled(); }
  /// Calls `then` when the labels have been carried as far as the registration is, at once where there are none.
  void when_carried(std::function<void()> then);

 Q_SIGNALS:
  /// Other labels are drawn.
  void changed();
  /// A row of the panel was chosen.
  void place_chosen(const Eigen::Vector3d& centre_mm);

 private:
  static constexpr std::array both_sides{Side::moving, Side::fixed};
  std::shared_ptr<const NamedLabels>& labels_of(Side side) { return side == Side::moving ? moving_ : fixed_; }
  void bind_commands();
  void read(Side side, const std::filesystem::path& path);
  void save(const std::filesystem::path& path);
  void show();

  workbench::LabContext& context_;
  graph::Graph& graph_;
  QPointer<slices::LinkedSlices> views_;
  Overlays& overlays_;
  std::function<PairPointer()> pair_;
  std::function<std::optional<LabelInputs>()> place_;
  std::function<void(std::function<void()>)> when_aligned_;
  std::shared_ptr<const NamedLabels> moving_, fixed_;  ///< null: there are none
  QPointer<LabelsPanel> panel_;
  graph::Node<LabelInputs, CarriedLabels> carried_;
};

}  // namespace isolume::labs::anatomy
