#include "app/labs/electrostatics/panels/ligand_dialog.h"

#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QToolButton>
#include <utility>

namespace isolume::labs::electrostatics {
namespace {

enum From { no_charge, net_charge, from_file };

/// Shows a real minus sign, as everywhere, and takes the keyboard's, too.
class ChargeBox final : public QDoubleSpinBox {
 public:
  QString textFromValue(double value) const override {
    return QDoubleSpinBox::textFromValue(value).replace(QLatin1Char('-'), minus);
  }
  double valueFromText(const QString& text) const override {
    return QDoubleSpinBox::valueFromText(as_typed(text));
  }
  QValidator::State validate(QString& text, int& position) const override {
    QString typed = as_typed(text);  // a changed text would be shown
    return QDoubleSpinBox::validate(typed, position);
  }

 private:
  static constexpr QChar minus{0x2212};
  static QString as_typed(QString text) { return text.replace(minus, QLatin1Char('-')); }
};

struct Row {
  std::string name;
  QComboBox* from;
  QDoubleSpinBox* net;
  QLineEdit* path;
  QToolButton* browse;

  void show_choice() const {
    net->setEnabled(from->currentIndex() == net_charge);
    path->setEnabled(from->currentIndex() == from_file);
    browse->setEnabled(from->currentIndex() == from_file);
  }
  /// Empty where a file is wanted and none is named.
  std::string entry() const {
    if (from->currentIndex() == no_charge) return name + "=none";
    if (from->currentIndex() == net_charge) return name + "=" + QString::number(net->value()).toStdString();
    const auto text = path->text().trimmed();
    return text.isEmpty() ? std::string() : name + "=" + text.toStdString();
  }
};

Row row_of(const AskedLigand& ligand, QDialog& dialog) {
  Row row{ligand.name, new QComboBox, new ChargeBox, new QLineEdit, new QToolButton};
  const QString name = QString::fromStdString(ligand.name);
  row.from->setObjectName("from-" + name);
  row.from->addItems({QObject::tr("No charge"), QObject::tr("Net charge"), QObject::tr("File")});
  row.from->setAccessibleName(QObject::tr("Charges of %1").arg(name));
  row.net->setObjectName("net-" + name);
  row.net->setRange(-1000, 1000);
  row.net->setSuffix(QObject::tr(" e"));
  row.net->setValue(ligand.charges.net.value_or(ligand.usual_net));
  row.net->setAccessibleName(QObject::tr("Net charge of %1").arg(name));
  row.path->setObjectName("file-" + name);
  row.path->setText(QString::fromStdString(ligand.charges.file.string()));
  row.path->setMinimumWidth(30 * row.path->fontMetrics().averageCharWidth());
  row.path->setAccessibleName(QObject::tr("File with the charges of %1").arg(name));
  row.browse->setText(QObject::tr("..."));
  row.browse->setAccessibleName(QObject::tr("Choose the file"));
  row.from->setCurrentIndex(ligand.charges.net             ? net_charge
                            : !ligand.charges.file.empty() ? from_file
                                                           : no_charge);
  row.show_choice();
  QObject::connect(row.from, &QComboBox::currentIndexChanged, &dialog, [row] { row.show_choice(); });
  QObject::connect(row.browse, &QToolButton::clicked, &dialog, [row, &dialog] {
    auto* files =
        new QFileDialog(&dialog, QObject::tr("Charges of %1").arg(QString::fromStdString(row.name)));
    files->setAttribute(Qt::WA_DeleteOnClose);
    files->setFileMode(QFileDialog::ExistingFile);
    files->setNameFilter(QObject::tr("Ligands with charges (*.mol2 *.cif *.pqr)"));
    QObject::connect(files, &QFileDialog::fileSelected, row.path, &QLineEdit::setText);
    files->open();
  });
  return row;
}

}  // namespace

void ask_for_ligands(QWidget* parent, const std::vector<AskedLigand>& ligands,
                     std::function<void(const std::vector<std::string>& entries)> take) {
  auto* dialog = new QDialog(parent);
  dialog->setObjectName("ligand-dialog");
  dialog->setWindowTitle(QObject::tr("Ligand charges"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* rows = new QWidget;
  auto* grid = new QGridLayout(rows);
  std::vector<Row> made;
  for (const auto& ligand : ligands) {
    const auto& row = made.emplace_back(row_of(ligand, *dialog));
    const int at = grid->rowCount();
    const QString count = QObject::tr("%n residue(s)", "", static_cast<int>(ligand.residues)) + ", " +
                          QObject::tr("%n atom(s)", "", static_cast<int>(ligand.atoms));
    grid->addWidget(new QLabel(QString::fromStdString(ligand.name)), at, 0);
    grid->addWidget(new QLabel(count), at, 1);
    grid->addWidget(row.from, at, 2);
    grid->addWidget(row.net, at, 3);
    grid->addWidget(row.path, at, 4);
    grid->addWidget(row.browse, at, 5);
  }
  grid->setRowStretch(grid->rowCount(), 1);
  auto* scrolled = new QScrollArea;
  scrolled->setWidget(rows);
  scrolled->setWidgetResizable(true);
  scrolled->setMinimumWidth(rows->sizeHint().width() + 40);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(dialog, &QDialog::accepted, dialog, [made, take = std::move(take)] {
    std::vector<std::string> entries;
    for (const auto& row : made)
      if (auto entry = row.entry(); !entry.empty()) entries.push_back(std::move(entry));
    if (!entries.empty()) take(entries);
  });
  auto* words = new QLabel(QObject::tr(
      "The force field has no parameters for these residues. A net charge is shared out by electronegativity "
      "equalisation. Atoms of a file (mol2, CIF component, PQR) are found by name, else by elements and "
      "bonds."));
  words->setWordWrap(true);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(words);
  column->addWidget(scrolled, 1);
  column->addWidget(buttons);
  dialog->open();
}

}  // namespace isolume::labs::electrostatics
