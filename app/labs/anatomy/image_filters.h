#pragma once

#include <QObject>
#include <QPointer>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "app/labs/anatomy/choices.h"
#include "app/labs/anatomy/filtered_pair.h"
#include "app/labs/anatomy/filters_panel.h"
#include "app/workbench/contract/lab.h"
#include "core/graph/node.h"

namespace isolume::labs::anatomy {

/// The filters of a lab's two images: their parameters, panel and commands, and the pair with them applied.
class ImageFilters final : public QObject {
  Q_OBJECT
 public:
  using PairPointer = std::shared_ptr<const isolume::anatomy::Pair>;

  /// `window` gives what dialogs belong to; `taken` gets each new pair.
  ImageFilters(workbench::LabContext& context, graph::Graph& graph, std::function<QWidget*()> window,
               std::function<void(const PairPointer& pair)> taken);

  parameters::ParameterSet& parameters() { return set_; }
  /// Throws Error for a text that is no chain of filters, and changes nothing.
  void set(std::string_view key, const parameters::Value& value);
  FiltersPanel* make_panel();
  /// Another pair, without filters: images that stay open keep theirs.
  void open(const PairPointer& pair);
  /// The images as they were read; null: there are none.
  const PairPointer& opened() const { return opened_; }
  /// Names of the filters of both images, without their parameters.
  std::string names() const;
  /// Calls `then` when the filters of both images have been applied.
  void when_applied(std::function<void()> then);

 private:
  using Side = FiltersPanel::Side;
  using ImageNode = graph::Node<FilterInputs, FilteredImage>;

  std::string& text_of(Side side) { return side == Side::moving ? texts_.moving : texts_.fixed; }
  ImageNode& node_of(Side side) { return side == Side::moving ? moving_ : fixed_; }
  /// Whether an image is open and has filters.
  bool is_filtered(Side side);
  ImageNode::Declaration declaration(Side side);
  std::optional<FilteredPairInputs> pair_inputs();
  void show();
  void report(Side side, const FilteredImage* filtered);
  void bind_commands();
  void set_text(Side side, const std::string& text);
  void save(Side side, const std::filesystem::path& path);

  workbench::LabContext& context_;
  std::function<QWidget*()> window_;
  std::function<void(const PairPointer&)> taken_;
  PairPointer opened_, pair_;
  FilterTexts texts_;
  parameters::StructParameters<FilterTexts> set_{filter_schema(), texts_};
  QPointer<FiltersPanel> panel_;
  ImageNode fixed_, moving_;
  graph::Node<FilteredPairInputs, isolume::anatomy::Pair> both_;
};

}  // namespace isolume::labs::anatomy
