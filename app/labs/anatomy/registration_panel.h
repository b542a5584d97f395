#pragma once

#include <QWidget>
#include <memory>

#include "core/anatomy/alignment.h"

class QLabel;

namespace isolume::fields {
class Chart;
}

namespace isolume::labs::anatomy {

/// The numbers of a registration and the course of its mismatch.
class RegistrationPanel final : public QWidget {
 public:
  /// `masks`: rows of the masks; taken.
  explicit RegistrationPanel(QWidget* masks);
  /// What has been found of the linear map; the deformation comes after it. Null: there is nothing yet.
  void show_placement(const std::shared_ptr<const isolume::anatomy::Placement>& placement);
  void show_alignment(const std::shared_ptr<const isolume::anatomy::Alignment>& alignment);

 private:
  QLabel* linear_;
  QLabel* deformation_;
  fields::Chart* chart_;
};

}  // namespace isolume::labs::anatomy
