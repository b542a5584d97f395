#pragma once

#include <QDialog>
#include <functional>
#include <string>
#include <vector>

#include "app/workbench/exports/movie_request.h"

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace isolume::workbench {

/// Asks for the subject, length, size and rate of a movie, with the last size and rate as defaults; `accept`
/// receives the arguments of `file.export-movie`.
class ExportMovieDialog final : public QDialog {
  Q_OBJECT
 public:
  /// `name`: the suggested name of the movie, without suffix.
  ExportMovieDialog(Lab& lab, std::function<void(std::vector<std::string> arguments)> accept,
                    const QString& name, QWidget* parent);

 private:
  void fill_choices();
  void lay_out(std::function<void(std::vector<std::string> arguments)> accept);
  void choose();
  void choose_parameter();
  void tell();
  void remember() const;
  void browse();
  MovieRequest request() const;
  std::string over() const;

  Lab& lab_;
  QLineEdit* path_;
  QComboBox* over_;
  QComboBox* parameter_;
  QDoubleSpinBox* from_;
  QDoubleSpinBox* to_;
  QDoubleSpinBox* seconds_;
  QSpinBox* rate_;
  QSpinBox* width_;
  QSpinBox* height_;
  QLabel* summary_;
  QPushButton* save_ = nullptr;
  QFormLayout* form_;
};

}  // namespace isolume::workbench
