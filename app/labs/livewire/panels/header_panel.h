#pragma once

#include <QWidget>
#include <vector>

#include "core/dicom/data/header.h"

class QCheckBox;
class QLineEdit;
class QPlainTextEdit;
class QTreeWidget;

namespace isolume::labs::livewire {

class Workspace;

/// The DICOM header of the series' first file. What says who the patient is, is hidden until somebody wants
/// to see it.
class HeaderPanel : public QWidget {
  Q_OBJECT
 public:
  explicit HeaderPanel(Workspace& workspace);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void read();
  void fill();
  void fit_columns();

  Workspace& workspace_;
  std::vector<dicom::HeaderEntry> entries_;
  QLineEdit* filter_;
  QCheckBox* hide_;
  QTreeWidget* table_;
  QPlainTextEdit* chosen_;  ///< all of the chosen row, of which the table may cut off a part
};

}  // namespace isolume::labs::livewire
