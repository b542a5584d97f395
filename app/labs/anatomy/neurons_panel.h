#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "app/labs/anatomy/neuron_paths.h"
#include "app/labs/anatomy/neuron_tool.h"

class QLabel;
class QPushButton;
class QTableWidget;

namespace isolume::labs::anatomy {

/// The neurons with length, width and volume.
class NeuronsPanel final : public QWidget {
  Q_OBJECT
 public:
  NeuronsPanel();
  /// Null: there are none.
  void show_neurons(const std::shared_ptr<const NeuronPaths>& paths);
  void show_tool(NeuronTool tool);
  void select(int number);
  int selected() const;  ///< from 1; 0: none

 Q_SIGNALS:
  void asked(const std::string& command);
  void removal_asked(int number);
  void tool_asked(const std::string& tool);  ///< as of the parameter "neuron-tool"
  void place_chosen(const Eigen::Vector3d& centre);

 private:
  QLabel* text_;
  QTableWidget* table_;
  QPushButton *mark_, *correct_, *remove_, *save_;
  std::shared_ptr<const NeuronPaths> paths_;
};

}  // namespace isolume::labs::anatomy
