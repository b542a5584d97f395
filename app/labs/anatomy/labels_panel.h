#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/labs/anatomy/carried_labels.h"

class QLabel;
class QTableWidget;

namespace isolume::labs::anatomy {

/// The labels of the shown images: name, volume, and the overlap of those of both.
class LabelsPanel final : public QWidget {
  Q_OBJECT
 public:
  LabelsPanel();
  /// Null: there are none.
  void show_labels(const std::shared_ptr<const CarriedLabels>& labels);

 Q_SIGNALS:
  /// A row was clicked, or chosen by Enter: the centre of its label, in mm.
  void place_chosen(const Eigen::Vector3d& centre_mm);

 private:
  QLabel* text_;
  QTableWidget* table_;
  std::vector<LabelRow> rows_;
};

}  // namespace isolume::labs::anatomy
