#pragma once

#include <QWidget>
#include <array>
#include <string>
#include <vector>

#include "core/filters/chain.h"

class QComboBox;
class QLabel;
class QListWidget;
class QToolButton;

namespace isolume::workbench {
class ParameterPanel;
}

namespace isolume::labs::anatomy {

/// Texts of all filters and their parameters, for translators.
std::vector<parameters::Description> described_filters();

/// The filters of both images: lists in which they are added, moved and removed, and the parameters of the chosen filter.
class FiltersPanel final : public QWidget {
  Q_OBJECT
 public:
  enum class Side { moving, fixed };

  FiltersPanel();
  /// The filters that an image has; `text` as filters::parse_chain reads it.
  void show_filters(Side side, const std::string& text);
  /// The least spacing of an image's voxels in mm, below which a radius is too short.
  void show_spacing(Side side, double spacing_mm) {
    spacings_mm_[static_cast<std::size_t>(side)] = spacing_mm;
  }
  /// What the filters reported, or why they are not applied.
  void show_report(Side side, const QString& text);
  /// The image whose filters are shown.
  Side side() const;

 Q_SIGNALS:
  /// A hand has changed the filters of an image.
  void changed(isolume::labs::anatomy::FiltersPanel::Side side, const std::string& text);
  /// Changes in between are one step: a slider is dragged.
  void gesture_begun();
  void gesture_ended();
  void open_asked(isolume::labs::anatomy::FiltersPanel::Side side);
  void save_asked(isolume::labs::anatomy::FiltersPanel::Side side);

 private:
  filters::Chain& chain() { return chains_[static_cast<std::size_t>(side())]; }
  /// The chosen filter's number; -1: none.
  int chosen() const;
  void add(const std::string& name);
  void remove();
  void move(int from, int to);
  bool set(const std::string& key, const std::string& value);
  void report_change(int chosen);
  /// Fills the list again, and chooses a filter of it.
  void show_list(int chosen);
  void show_chosen();
  QToolButton* add_button(const char* name, const QString& text, const QString& tip);

  std::array<filters::Chain, 2> chains_;
  std::array<QString, 2> reports_;
  std::array<double, 2> spacings_mm_{};
  QComboBox* image_;
  QListWidget* list_;
  QToolButton *add_ = nullptr, *remove_ = nullptr, *up_ = nullptr, *down_ = nullptr, *save_ = nullptr;
  QLabel* report_;
  workbench::ParameterPanel* parameters_;
};

}  // namespace isolume::labs::anatomy
