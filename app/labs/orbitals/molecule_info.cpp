#include "app/labs/orbitals/molecule_info.h"

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QResizeEvent>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "app/workbench/contract/translated.h"
#include "core/base/shown_number.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::labs::orbitals {
namespace {

/// Hill order: carbon, hydrogen, then the alphabet.
QString sum_formula(const molecules::Molecule& molecule) {
  std::map<std::string, int> counts;
  for (const auto& atom : molecule.atoms)
    ++counts[std::string(molecules::element(atom.atomic_number).symbol)];
  QString text;
  const auto take = [&](const std::string& symbol) {
    const auto found = counts.find(symbol);
    if (found == counts.end()) return;
    text += QString::fromStdString(symbol);
    for (const char digit : found->second > 1 ? std::to_string(found->second) : std::string()) {
      text += QChar(0x2080 + (digit - '0'));
    }
    counts.erase(found);
  };
  if (counts.contains("C")) {
    take("C");
    take("H");
  }
  while (!counts.empty()) take(std::string(counts.begin()->first));
  return text;
}

QString shown(double value, int digits = 4) {
  return QString::fromStdString(shown_reading(value, digits));
}

QString state(const molecules::Molecule& molecule) {
  QStringList parts;
  if (molecule.charge) parts << QObject::tr("charge %1 e").arg(shown(*molecule.charge));
  if (molecule.multiplicity) parts << QObject::tr("multiplicity %1").arg(*molecule.multiplicity);
  return parts.join(QStringLiteral(", "));
}

/// To a microhartree: total energies are told apart by their differences.
QString energy_text(const molecules::Energy& energy) {
  const QString number = QString::number(energy.hartree, 'f', 6).replace(QLatin1Char('-'), QChar(0x2212));
  return energy.kind == "total" ? QObject::tr("%1 Eh").arg(number)
                                : QObject::tr("%1 Eh (%2)").arg(number, QString::fromStdString(energy.kind));
}

/// "12.34 eV", "α 10.12 eV, β 8.34 eV"; empty where no LUMO or no energies are known.
QString gap_text(const molecules::OrbitalSet& set) {
  QStringList parts;
  for (const auto spin : {molecules::Spin::alpha, molecules::Spin::beta}) {
    if (spin == molecules::Spin::beta && !set.unrestricted()) continue;
    const auto gap = molecules::frontier_gap_hartree(set, spin);
    if (!gap) continue;
    const QString name = spin == molecules::Spin::alpha ? QStringLiteral("α ") : QStringLiteral("β ");
    parts << QObject::tr("%1%2 eV").arg(set.unrestricted() ? name : QString(),
                                        shown(*gap * units::ev_per_hartree));
  }
  return parts.join(QStringLiteral(", "));
}

/// Of both spins together where the file does not tell them apart.
QString electrons(const molecules::ElectronCount& count, const molecules::OrbitalSet& set) {
  const bool together = !set.unrestricted() && set.open_shells == molecules::OpenShells::unknown;
  constexpr int digits = 6;  // of those that the overlap matrix counts
  return together ? shown(count.alpha + count.beta, digits)
                  : shown(count.alpha, digits) + " α, " + shown(count.beta, digits) + " β";
}

}  // namespace

std::string orthonormality_text(const molecules::OrthonormalityCheck& verdict) {
  if (verdict.name == "as written" && verdict.limited) return verdict.explanation;
  if (verdict.name == "as written" && verdict.proven()) {
    return QObject::tr("as written: orbitals orthonormal to %1")
        .arg(shown(verdict.worst_deviation, 2))
        .toStdString();
  }
  if (verdict.proven()) {
    return QObject::tr("corrected: %1 Orthonormal to %2 now, %3 as written.")
        .arg(QString::fromStdString(verdict.explanation), shown(verdict.worst_deviation, 2),
             shown(verdict.deviation_as_written, 2))
        .toStdString();
  }
  return fmt::format("{}: {}", verdict.name, verdict.explanation);
}

MoleculeInfo::MoleculeInfo(QWidget* parent) : QWidget(parent), rows_(new QFormLayout(this)) {
  setObjectName(QStringLiteral("molecule-info"));
  setSizePolicy(QSizePolicy::Preferred,
                QSizePolicy::Maximum);  // leave the dock's space to the panels that scroll
  setMinimumWidth(36 * fontMetrics().averageCharWidth());
  rows_->setVerticalSpacing(3);
  rows_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  rows_->setRowWrapPolicy(QFormLayout::DontWrapRows);
}

QSize MoleculeInfo::sizeHint() const {
  return {minimumWidth(), minimumHeight()};
}

void MoleculeInfo::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) fit_height();
}

/// Also where a row's text has got another height since.
bool MoleculeInfo::event(QEvent* event) {
  const bool taken = QWidget::event(event);
  if (event->type() == QEvent::LayoutRequest) fit_height();
  return taken;
}

/// Docks do not ask for a height that depends on the width.
void MoleculeInfo::fit_height() {
  // Without a line that wraps, the layout has no height for a width (-1).
  const int height = rows_->heightForWidth(std::max(width(), minimumWidth()));
  setMinimumHeight(height >= 0 ? height : rows_->minimumSize().height());
  updateGeometry();
}

void MoleculeInfo::add_row(const QString& label, const QString& text) {
  auto* value = new QLabel(text);
  value->setTextFormat(Qt::PlainText);
  value->setWordWrap(true);
  value->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  rows_->addRow(label, value);
}

void MoleculeInfo::set_document(const molecules::Document& document) {
  while (rows_->rowCount() > 0) rows_->removeRow(0);
  fields_ = nullptr;
  frame_ = nullptr;
  const auto& molecule = document.molecule;
  add_row(tr("File"), QString::fromStdString(document.path.filename().string()));
  add_row(tr("Format"),
          QString::fromStdString(document.program.empty() ? document.format
                                                          : tr("%1, by %2")
                                                                .arg(QString::fromStdString(document.format),
                                                                     QString::fromStdString(document.program))
                                                                .toStdString()));
  add_row(tr("Molecule"),
          tr("%1, %n atom(s)", "", static_cast<int>(molecule.atoms.size())).arg(sum_formula(molecule)));
  if (molecule.charge || molecule.multiplicity) add_row(tr("State"), state(molecule));
  if (document.energy) add_row(tr("Energy"), energy_text(*document.energy));
  if (document.dipole_debye) add_row(tr("Dipole"), tr("%1 D").arg(shown(document.dipole_debye->norm())));
  if (document.wavefunction) describe_wavefunction(document);
  if (!document.fields.empty() && !document.wavefunction) {
    fields_ = new QComboBox;
    for (const auto& field : document.fields) fields_->addItem(QString::fromStdString(field->name));
    connect(fields_, &QComboBox::activated, this, &MoleculeInfo::field_chosen);
    rows_->addRow(tr("Field"), fields_);
  }
  if (!document.frames.empty()) {
    frame_ = new QSpinBox;
    const int count = 1 + static_cast<int>(document.frames.size());
    frame_->setRange(1, count);
    frame_->setSuffix(tr(" of %1").arg(count));
    connect(frame_, &QSpinBox::valueChanged, this, [this](int frame) { Q_EMIT frame_chosen(frame - 1); });
    rows_->addRow(tr("Frame"), frame_);
  }
  fit_height();
}

void MoleculeInfo::describe_wavefunction(const molecules::Document& document) {
  static constexpr const char* letters = "spdfgh";
  const auto& wavefunction = *document.wavefunction;
  const auto& basis = wavefunction.basis;
  add_row(tr("Basis"), tr("%1, %2, up to %3")
                           .arg(tr("%n function(s)", "", basis.function_count()),
                                tr("%n shell(s)", "", static_cast<int>(basis.shells.size())))
                           .arg(QLatin1Char(letters[std::clamp(basis.max_angular_momentum(), 0, 5)])));
  const auto& set = wavefunction.sets.front();
  add_row(tr("Orbitals"), tr("%1, %2, %3")
                              .arg(set.orbitals.size())
                              .arg(workbench::translated(set.name))
                              .arg(set.unrestricted() ? tr("unrestricted") : tr("restricted")));
  if (const QString gap = gap_text(set); !gap.isEmpty()) add_row(tr("HOMO–LUMO gap"), gap);
  const QString occupied = electrons(molecules::electrons_from_occupations(set), set);
  const QString integrated = electrons(document.electrons_from_overlap, set);
  add_row(tr("Electrons"),
          occupied == integrated
              ? occupied
              : tr("%1 by occupations, but %2 by the overlap matrix").arg(occupied, integrated));
  add_row(tr("Check"), QString::fromStdString(orthonormality_text(document.orthonormality)));
}

void MoleculeInfo::set_chosen_field(int field) {
  if (fields_ != nullptr) fields_->setCurrentIndex(field);
}

void MoleculeInfo::set_frame(int frame) {
  if (frame_ == nullptr) return;
  const QSignalBlocker quiet(frame_);
  frame_->setValue(frame + 1);
}

}  // namespace isolume::labs::orbitals

#include "moc_molecule_info.cpp"
