#pragma once

#include <QDialog>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace isolume::workbench {

/// What `file.export-image` needs besides the path.
struct ImageExport {
  int width = 1920;   ///< pixels
  int height = 1440;  ///< pixels
  bool transparent = false;
  int dpi = 300;
};

/// Reads "PATH [WIDTHxHEIGHT] [transparent] [DPI]" after the path. Throws Error that says what is allowed.
ImageExport parse_image_export(std::span<const std::string> words);

/// Asks for path, size, transparency and resolution, and begins with those of the last time; `accept` gets
/// the arguments of `file.export-image`.
class ExportImageDialog : public QDialog {
  Q_OBJECT
 public:
  ExportImageDialog(std::function<void(std::vector<std::string> arguments)> accept, QWidget* parent);

 private:
  std::vector<std::string> arguments() const;
  void remember() const;
  void browse();
  void show_print_size();

  QLineEdit* path_;
  QSpinBox* width_;
  QSpinBox* height_;
  QSpinBox* dpi_;
  QCheckBox* transparent_;
  QLabel* print_size_;
};

}  // namespace isolume::workbench
