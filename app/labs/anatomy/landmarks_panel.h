#pragma once

#include <QWidget>
#include <string>
#include <vector>

class QLabel;
class QPushButton;
class QTableWidget;

namespace isolume::labs::anatomy {

struct LandmarkRow {
  std::string name;
  double before_mm = 0, now_mm = 0;  ///< distances by the headers, and by the present map
};

/// The landmark pairs with their distances.
class LandmarksPanel final : public QWidget {
  Q_OBJECT
 public:
  LandmarksPanel();
  void show_landmarks(std::vector<LandmarkRow> rows);

 Q_SIGNALS:
  void asked(const std::string& command);
  /// A hand has named, chosen or removed the pair with this number, from 1.
  void named(int number, const std::string& name);
  void chosen(int number);
  void removal_asked(int number);

 private:
  QLabel* text_;
  QTableWidget* table_;
  QPushButton *remove_, *save_;
  std::vector<LandmarkRow> rows_;
};

}  // namespace isolume::labs::anatomy
