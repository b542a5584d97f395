#pragma once

#include <QDialog>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace isolume::workbench {

/// Parses "WIDTHxHEIGHT". Throws Error with the allowed sizes.
std::pair<int, int> parse_image_size(const std::string& text);

/// Asks for path, size, transparency and resolution, with the last ones as defaults; `accept` receives the
/// arguments of `file.export-image`.
class ExportImageDialog : public QDialog {
  Q_OBJECT
 public:
  /// `name`: the suggested name of the image, without suffix.
  ExportImageDialog(std::function<void(std::vector<std::string> arguments)> accept, const QString& name,
                    QWidget* parent);

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
