#include "app/labs/orbitals/orbital_table.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLineEdit>
#include <QPalette>
#include <QScrollBar>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <cmath>
#include <limits>

#include "app/workbench/contract/translated.h"
#include "app/workbench/look/table_look.h"
#include "core/base/units.h"

namespace isolume::labs::orbitals {
namespace {

QString spin_name(molecules::Spin spin) {
  return spin == molecules::Spin::alpha ? QStringLiteral("α") : QStringLiteral("β");
}

/// A real minus sign, as wide as the plus and the digits.
QString number_text(double value, int decimals) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

}  // namespace

void OrbitalModel::set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction,
                                std::size_t set) {
  beginResetModel();
  wavefunction_ = std::move(wavefunction);
  set_ = wavefunction_ && set < wavefunction_->sets.size() ? &wavefunction_->sets[set] : nullptr;
  numbers_.clear();
  members_.clear();
  frontier_labels_.clear();
  unrestricted_ = set_ != nullptr && set_->unrestricted();
  if (set_ != nullptr) {
    int alpha = 0, beta = 0;
    for (const auto& each : set_->orbitals) {
      numbers_.push_back(each.spin == molecules::Spin::alpha ? ++alpha : ++beta);
    }
    frontier_labels_ = molecules::frontier_labels(*set_);
  }
  endResetModel();
}

const molecules::Orbital& OrbitalModel::orbital(int row) const {
  return set_->orbitals[static_cast<std::size_t>(row)];
}

int OrbitalModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || set_ == nullptr ? 0 : static_cast<int>(set_->orbitals.size());
}

int OrbitalModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QString OrbitalModel::text(int row, Column column) const {
  const auto& each = orbital(row);
  switch (column) {
    case number:
      return QString::number(number_of(row));
    case spin:
      return unrestricted_ ? spin_name(each.spin) : QStringLiteral("αβ");
    case symmetry:
      return QString::fromStdString(each.symmetry);
    case energy_hartree:
      return number_text(each.energy_hartree, 5);
    case energy_ev:
      return number_text(each.energy_hartree * units::ev_per_hartree, 3);
    case occupation:
      if (!set_->occupations_known) return {};
      return number_text(each.occupation, each.occupation == std::round(each.occupation) ? 0 : 4);
    case frontier:
      return QString::fromStdString(frontier_labels_[static_cast<std::size_t>(row)]);
    case column_count:
      break;
  }
  return {};
}

QVariant OrbitalModel::sort_key(int row, Column column) const {
  const auto& each = orbital(row);
  switch (column) {
    case number:
      return number_of(row);
    case spin:
      return static_cast<int>(each.spin);
    case energy_hartree:
    case energy_ev:
    case frontier:  // HOMO-1, HOMO, LUMO, LUMO+1 is the order of the energies
      // An unknown energy must not be NaN here, which has no place in an order.
      return std::isfinite(each.energy_hartree) ? each.energy_hartree
                                                : std::numeric_limits<double>::infinity();
    case occupation:
      return each.occupation;
    default:
      return text(row, column);
  }
}

QVariant OrbitalModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<Column>(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return text(index.row(), column);
    case Qt::UserRole:
      return sort_key(index.row(), column);
    case Qt::TextAlignmentRole:
      return QVariant(column == symmetry || column == frontier || column == spin
                          ? Qt::AlignLeft | Qt::AlignVCenter
                          : Qt::AlignRight | Qt::AlignVCenter);
    case Qt::BackgroundRole: {
      if (std::ranges::find(members_, index.row()) == members_.end()) return {};
      QColor tint = QGuiApplication::palette().color(QPalette::Link);
      tint.setAlphaF(0.25F);
      return QBrush(tint);
    }
    case Qt::FontRole: {
      const auto& label = frontier_labels_[static_cast<std::size_t>(index.row())];
      if (label != "HOMO" && label != "LUMO") return {};
      QFont bold;
      bold.setBold(true);
      return bold;
    }
    default:
      return {};
  }
}

void OrbitalModel::set_members(std::vector<int> members) {
  if (members == members_) return;
  members_ = std::move(members);
  if (rowCount() > 0)
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1), {Qt::BackgroundRole});
}

QVariant OrbitalModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QString titles[] = {tr("No."),    tr("Spin"), tr("Sym."),    tr("E / Eh"),
                            tr("E / eV"), tr("Occ."), tr("Frontier")};
  const QString tips[] = {tr("Number, from 1 within the spin"),
                          tr("Spin; αβ: one orbital for both"),
                          tr("Symmetry label as in the file"),
                          tr("Orbital energy in hartree"),
                          tr("Orbital energy in electronvolts"),
                          tr("Occupation in electrons"),
                          tr("Position relative to the highest occupied orbital of its spin")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

OrbitalFilter::OrbitalFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setSortRole(Qt::UserRole);
}

void OrbitalFilter::set_text(const QString& text) {
  text_ = text.trimmed();
  text_.replace(QLatin1Char('-'), QChar(0x2212));
  invalidateFilter();
}

void OrbitalFilter::set_occupied(Occupied occupied) {
  occupied_ = occupied;
  invalidateFilter();
}

void OrbitalFilter::set_spin(std::optional<molecules::Spin> spin) {
  spin_ = spin;
  invalidateFilter();
}

bool OrbitalFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto& model = static_cast<const OrbitalModel&>(*sourceModel());
  const auto& orbital = model.orbital(row);
  if (occupied_ != Occupied::any && (orbital.occupation > least_occupation) != (occupied_ == Occupied::yes)) {
    return false;
  }
  if (spin_ && model.unrestricted() && orbital.spin != *spin_) return false;
  if (text_.isEmpty()) return true;
  bool is_number = false;
  const int number = text_.toInt(&is_number);
  if (is_number) return model.number_of(row) == number;
  for (int column = 0; column < OrbitalModel::column_count; ++column) {
    QString cell = model.index(row, column, parent).data().toString();
    cell.replace(QLatin1Char('-'), QChar(0x2212));  // "HOMO-1"
    if (cell.contains(text_, Qt::CaseInsensitive)) return true;
  }
  return false;
}

OrbitalTable::OrbitalTable(QWidget* parent)
    : QWidget(parent),
      model_(new OrbitalModel(this)),
      filter_(new OrbitalFilter(this)),
      sets_(new QComboBox),
      text_(new QLineEdit),
      occupied_(new QComboBox),
      spin_(new QComboBox),
      view_(new QTableView) {
  setObjectName(QStringLiteral("orbital-table"));
  filter_->setSourceModel(model_);

  text_->setPlaceholderText(tr("Filter: 20, homo, e1g, ..."));
  text_->setClearButtonEnabled(true);
  text_->setAccessibleName(tr("Filter orbitals by number, symmetry or label"));
  occupied_->addItems({tr("All"), tr("Occupied"), tr("Virtual")});
  occupied_->setAccessibleName(tr("Occupied or virtual orbitals"));
  spin_->addItems({tr("α and β"), tr("α"), tr("β")});
  spin_->setAccessibleName(tr("Spin of the orbitals"));
  sets_->setAccessibleName(tr("Orbital set of the file"));

  setFocusProxy(view_);
  view_->setModel(filter_);
  workbench::set_table_look(*view_);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->sortByColumn(-1, Qt::AscendingOrder);
  view_->setWordWrap(false);
  view_->horizontalHeader()->setStretchLastSection(true);
  view_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  view_->setAccessibleName(tr("Orbitals"));

  auto* filters = new QHBoxLayout;
  filters->addWidget(text_, 1);
  filters->addWidget(occupied_);
  filters->addWidget(spin_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(sets_);
  layout->addLayout(filters);
  layout->addWidget(view_, 1);
  sets_->hide();
  spin_->hide();
  size_columns();
  choose_columns();

  connect(text_, &QLineEdit::textChanged, this,
          [this](const QString& text) { change_filter([&] { filter_->set_text(text); }); });
  connect(occupied_, &QComboBox::currentIndexChanged, this, [this](int index) {
    change_filter([&] { filter_->set_occupied(static_cast<OrbitalFilter::Occupied>(index)); });
  });
  connect(spin_, &QComboBox::currentIndexChanged, this, [this](int index) {
    const auto spin = index == 1 ? molecules::Spin::alpha : molecules::Spin::beta;
    change_filter([&] { filter_->set_spin(index == 0 ? std::nullopt : std::optional(spin)); });
  });
  connect(sets_, &QComboBox::activated, this, &OrbitalTable::set_chosen_by_person);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (following_ || !current.isValid()) return;
            chosen_ = filter_->mapToSource(current).row();
            Q_EMIT orbital_chosen(chosen_);
          });
}

void OrbitalTable::set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction,
                                std::size_t set) {
  chosen_ = -1;
  following_ = true;
  fill_set_chooser(wavefunction.get(), set);
  model_->set_orbitals(std::move(wavefunction), set);
  spin_->setVisible(model_->unrestricted());
  any_symmetry_ = false;
  for (int row = 0; row < model_->rowCount() && !any_symmetry_; ++row) {
    any_symmetry_ = !model_->orbital(row).symmetry.empty();
  }
  choose_columns();
  updateGeometry();
  following_ = false;
}

void OrbitalTable::size_columns() {
  const char* const widest[] = {"99999", "Spin", "12e1g", "-99.99999", "-9999.999", "1.9999", "LUMO+999"};
  const auto metrics = view_->fontMetrics();
  constexpr int padding = 12;
  for (int column = 0; column < OrbitalModel::column_count; ++column) {
    const int header = metrics.horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString());
    widths_[column] = std::max(header, metrics.horizontalAdvance(QLatin1String(widest[column]))) + padding;
    view_->setColumnWidth(column, widths_[column]);
  }
}

bool OrbitalTable::applies(OrbitalModel::Column column) const {
  if (column == OrbitalModel::spin) return model_->unrestricted();
  return column != OrbitalModel::symmetry || any_symmetry_;
}

int OrbitalTable::width_of_columns(OrbitalModel::Column last) const {
  const auto margins = layout()->contentsMargins();
  int width = view_->verticalScrollBar()->sizeHint().width() + 2 * view_->frameWidth() + margins.left() +
              margins.right();
  for (int i = 0; i <= last; ++i) width += applies(static_cast<OrbitalModel::Column>(i)) ? widths_[i] : 0;
  return width;
}

void OrbitalTable::choose_columns() {
  for (int i = 0; i < OrbitalModel::column_count; ++i)
    view_->setColumnHidden(i, !applies(static_cast<OrbitalModel::Column>(i)));
}

QSize OrbitalTable::sizeHint() const {
  return {width_of_columns(OrbitalModel::frontier), QWidget::sizeHint().height()};
}

QSize OrbitalTable::minimumSizeHint() const {
  return {width_of_columns(OrbitalModel::energy_hartree), QWidget::minimumSizeHint().height()};
}

/// The first layout decides how many rows there are room for, so only then can the chosen one be put in the
/// middle.
void OrbitalTable::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  QTimer::singleShot(0, this,
                     [this] { view_->scrollTo(view_->currentIndex(), QAbstractItemView::PositionAtCenter); });
}

void OrbitalTable::fill_set_chooser(const molecules::Wavefunction* wavefunction, std::size_t set) {
  sets_->clear();
  if (wavefunction != nullptr) {
    for (const auto& each : wavefunction->sets) {
      sets_->addItem(tr("%1 (%n orbital(s))", "", static_cast<int>(each.orbitals.size()))
                         .arg(workbench::translated(each.name)));
    }
    sets_->setCurrentIndex(static_cast<int>(set));
  }
  sets_->setVisible(sets_->count() > 1);
}

/// The view moves on from a row that is filtered out; the picture must not follow it.
void OrbitalTable::change_filter(const std::function<void()>& change) {
  following_ = true;
  change();
  set_chosen(chosen_);
}

void OrbitalTable::set_chosen(int orbital) {
  chosen_ = orbital;
  following_ = true;
  const auto index = filter_->mapFromSource(model_->index(orbital, 0));
  if (index.isValid()) {
    view_->selectionModel()->setCurrentIndex(index,
                                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(index,
                    isVisible() ? QAbstractItemView::EnsureVisible : QAbstractItemView::PositionAtCenter);
  } else {
    view_->selectionModel()->clear();
  }
  following_ = false;
}

}  // namespace isolume::labs::orbitals

#include "moc_orbital_table.cpp"
