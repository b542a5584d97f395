#pragma once

#include <QWidget>
#include <memory>

#include "core/molecules/document.h"

class QComboBox;
class QFormLayout;
class QSpinBox;

namespace isolume::labs::orbitals {

/// What the file holds: format, program, atoms, basis, electrons and the verdict on its orbitals; with a
/// chooser where it holds several fields or frames.
class MoleculeInfo final : public QWidget {
  Q_OBJECT
 public:
  explicit MoleculeInfo(QWidget* parent = nullptr);
  void set_document(const molecules::Document& document);
  void set_chosen_field(int field);
  /// Counts from 0.
  void set_frame(int frame);

  /// Exactly as high as the wrapped lines need.
  QSize sizeHint() const override;

 Q_SIGNALS:
  void field_chosen(int field);
  void frame_chosen(int frame);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fit_height();
  void add_row(const QString& label, const QString& text);
  void describe_wavefunction(const molecules::Document& document);

  QFormLayout* rows_;
  QComboBox* fields_ = nullptr;
  QSpinBox* frame_ = nullptr;
};

/// "as written: orthonormal to 3e-8", "corrected: the contraction coefficients ...", or the warning of an unproven file.
std::string orthonormality_text(const molecules::OrthonormalityCheck& verdict);

}  // namespace isolume::labs::orbitals
