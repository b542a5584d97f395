#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "app/labs/anatomy/painted_regions.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace isolume::labs::anatomy {

/// The regions with their volumes.
class RegionsPanel final : public QWidget {
  Q_OBJECT
 public:
  RegionsPanel();
  /// Null: there are none.
  void show_regions(const std::shared_ptr<const PaintedRegions>& regions);
  void show_tool(RegionTool tool);

 Q_SIGNALS:
  void asked(const std::string& command);
  void tool_asked(const std::string& tool);  ///< as of the parameter "brush"

 private:
  QLabel* text_;
  QTableWidget* table_;
  QPushButton *seeds_, *labels_, *clear_, *save_;
};

}  // namespace isolume::labs::anatomy
