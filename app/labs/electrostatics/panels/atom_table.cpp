#include "app/labs/electrostatics/panels/atom_table.h"

#include <QObject>
#include <string_view>
#include <utility>

#include "core/molecules/element.h"

namespace isolume::labs::electrostatics {
namespace {

QString with_unit(const QString& symbol, const QString& unit) {
  return unit.isEmpty() ? symbol : symbol + '\n' + unit;
}

QString symbol_of(int atomic_number) {
  const std::string_view symbol = molecules::element(atomic_number).symbol;
  return QString::fromUtf8(symbol.data(), static_cast<int>(symbol.size()));
}

}  // namespace

TableRows rows_of(std::shared_ptr<const std::vector<science::WavefunctionAtom>> atoms, const QString& unit) {
  enum Column { number, element, mulliken, loewdin, fitted, potential };
  TableRows rows;
  const QString charge = QStringLiteral("−9.999");
  rows.columns = {{QObject::tr("Atom"), QObject::tr("Number of the atom in the file"), 0, {}},
                  {QObject::tr("Element"), QObject::tr("Element"), -1, {}},
                  {QObject::tr("Mulliken\ne"), QObject::tr("Mulliken charge"), 3, charge},
                  {QObject::tr("Löwdin\ne"), QObject::tr("Löwdin charge"), 3, charge},
                  {QObject::tr("Fitted\ne"),
                   QObject::tr("Charge fitted to the exact potential around the molecule"), 3, charge},
                  {with_unit(QObject::tr("V"), unit),
                   QObject::tr("Exact potential at the nucleus from the electrons and all other nuclei"), 4,
                   QStringLiteral("−99.99")}};
  rows.count = static_cast<int>(atoms->size());
  rows.words = [atoms](int row, int) {
    return symbol_of((*atoms)[static_cast<std::size_t>(row)].atomic_number);
  };
  rows.order = [atoms](int row, int) {
    return static_cast<double>((*atoms)[static_cast<std::size_t>(row)].atomic_number);
  };
  rows.number = [atoms](int row, int column) {
    const auto& atom = (*atoms)[static_cast<std::size_t>(row)];
    switch (column) {
      case number:
        return row + 1.0;
      case mulliken:
        return atom.mulliken;
      case loewdin:
        return atom.loewdin;
      case fitted:
        return atom.fitted;
      default:
        return atom.potential;
    }
  };
  return rows;
}

TableRows rows_of(std::shared_ptr<const AtomPotentials> atoms, const QString& unit) {
  enum Column { number, name, residue, charge, radius, potential, energy };
  TableRows rows;
  rows.columns = {
      {QObject::tr("Atom"), QObject::tr("Number of the atom in the file"), 0, QStringLiteral("99999")},
      {QObject::tr("Name"), QObject::tr("Name of the atom in its residue"), -1, {}},
      {QObject::tr("Residue"), QObject::tr("Name, chain and number"), -1, {}},
      {QObject::tr("q\ne"), QObject::tr("Charge"), 3, QStringLiteral("−9.999")},
      {QObject::tr("r\nÅ"), QObject::tr("Radius"), 2, QStringLiteral("9.99")},
      {with_unit(QObject::tr("V"), unit),
       QObject::tr("Potential at the atom from all other charges and the solvent reaction field"), 2,
       QStringLiteral("−99.99")},
      {QObject::tr("E\nkJ/mol"), QObject::tr("Charge times that potential"), 1, QStringLiteral("−999.9")}};
  rows.count = static_cast<int>(atoms->potential.size());
  rows.words = [atoms](int row, int column) {
    const auto i = static_cast<std::size_t>(row);
    const auto& molecule = *atoms->molecule;
    if (column == residue)
      return QString::fromStdString(molecule.residues.all[molecule.residues.of_atom[i]].name);
    const auto& labels = molecule.charges.labels;
    return i < labels.size() ? QString::fromStdString(labels[i].atom) : QString();
  };
  rows.number = [atoms](int row, int column) {
    const auto i = static_cast<std::size_t>(row);
    const auto& charges = atoms->molecule->charges;
    switch (column) {
      case number:
        return row + 1.0;
      case charge:
        return charges.charge[i];
      case radius:
        return charges.radius[i];
      case potential:
        return atoms->potential[i];
      default:
        return atoms->kj_per_mol_of_unit * charges.charge[i] * atoms->potential[i];
    }
  };
  return rows;
}

}  // namespace isolume::labs::electrostatics
