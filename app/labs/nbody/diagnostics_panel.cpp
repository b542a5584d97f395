#include "app/labs/nbody/diagnostics_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QListView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/fields/chart.h"
#include "app/fields/chart_svg.h"
#include "core/nbody/diagnostics_table.h"

namespace isolume::labs::nbody {

using isolume::nbody::Diagnostics;
using isolume::nbody::NBodyFrame;

/// Which systems have a quantity.
enum class Told { of_all, alone, in_a_box };

/// One line of the table, one curve of the chart. Numbers are in the units that make G = 1, unless another is named.
struct DiagnosticsPanel::Quantity {
  QString name, unit;
  double (*value)(const NBodyFrame& frame, const NBodyFrame& first);
  Told told = Told::of_all;

  bool is_of(const NBodyFrame& frame) const {
    return told == Told::of_all || (told == Told::in_a_box) == frame.diagnostics->expansion.has_value();
  }
};

const std::vector<DiagnosticsPanel::Quantity>& DiagnosticsPanel::quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> made{
        {tr("Energy error"), tr("relative"),
         [](const NBodyFrame& frame, const NBodyFrame& first) {
           return isolume::nbody::energy_error(*frame.diagnostics, *first.diagnostics);
         }},
        {tr("Scale factor"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->expansion->scale_factor;
         },
         Told::in_a_box},
        {tr("Redshift"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->expansion->redshift(); },
         Told::in_a_box},
        {tr("Kinetic energy"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->kinetic; }},
        {tr("Potential energy"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->potential; }},
        {tr("Virial ratio 2 K / |W|"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->virial_ratio(); },
         Told::alone},
        {tr("Momentum"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->momentum.norm(); }},
        {tr("Angular momentum"),
         {},
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->angular_momentum.norm();
         },
         Told::alone},
        {tr("Time of a step"), tr("ms"),
         [](const NBodyFrame& frame, const NBodyFrame&) {
           const auto& each = frame.seconds;
           return 1e3 * (each.forces.sort + each.forces.tree + each.forces.sums + each.integration);
         }},
        {tr("Time of a step's sums"), tr("ms"),
         [](const NBodyFrame& frame, const NBodyFrame&) { return 1e3 * frame.seconds.forces.sums; }},
        {tr("Time of a step's tree"), tr("ms"), [](const NBodyFrame& frame, const NBodyFrame&) {
           return 1e3 * (frame.seconds.forces.sort + frame.seconds.forces.tree);
         }}};
    constexpr std::array radius{
        +[](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->lagrangian_radii[0]; },
        +[](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->lagrangian_radii[1]; },
        +[](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->lagrangian_radii[2]; },
        +[](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->lagrangian_radii[3]; },
        +[](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->lagrangian_radii[4]; }};
    for (std::size_t i = 0; i < radius.size(); ++i) {
      made.push_back({tr("Radius of %1 % of the mass").arg(100 * Diagnostics::mass_fractions[i]),
                      {},
                      radius[i],
                      Told::alone});
    }
    return made;
  }();
  return all;
}

DiagnosticsPanel::DiagnosticsPanel(QWidget* parent)
    : QWidget(parent), choice_(new QComboBox), chart_(new fields::Chart), table_(new QTreeWidget) {
  setObjectName(QStringLiteral("nbody.diagnostics"));
  choice_->setAccessibleName(tr("Curve"));
  for (const auto& each : quantities()) choice_->addItem(each.name);
  chart_->setAccessibleName(tr("How it has run since the start"));
  table_->setAccessibleName(tr("Values at the moment that is shown"));
  table_->setRootIsDecorated(false);
  table_->setHeaderLabels({tr("Quantity (G = 1)"), tr("Value"), tr("Unit")});
  for (const auto& each : quantities()) new QTreeWidgetItem(table_, {each.name, {}, each.unit});
  new QTreeWidgetItem(table_, {tr("Force error, 99 % of bodies below"), {}, tr("relative")});
  table_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  auto* column = new QVBoxLayout(this);
  column->addWidget(choice_);
  column->addWidget(chart_, 1);
  column->addWidget(table_, 1);
  connect(choice_, &QComboBox::currentIndexChanged, this, &DiagnosticsPanel::refresh);
  connect(table_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
    const int row = table_->indexOfTopLevelItem(item);
    if (row < choice_->count()) choice_->setCurrentIndex(row);
  });
  refresh();
}

void DiagnosticsPanel::add(const NBodyFrame& frame) {
  if (!frame.diagnostics || rows_.contains(frame.step)) return;
  NBodyFrame row;
  row.step = frame.step;
  row.time = frame.time;
  row.diagnostics = frame.diagnostics;
  row.seconds = frame.seconds;
  if (rows_.empty()) offer_what_is_of(row);
  rows_.emplace(frame.step, std::move(row));
}

/// A comoving box has no centre for bodies to be bound to or to turn about, and others do not expand.
void DiagnosticsPanel::offer_what_is_of(const NBodyFrame& first) {
  auto* list = qobject_cast<QListView*>(choice_->view());
  for (int i = 0; i < choice_->count(); ++i) {
    const bool hidden = !quantities()[static_cast<std::size_t>(i)].is_of(first);
    list->setRowHidden(i, hidden);
    table_->topLevelItem(i)->setHidden(hidden);
    if (hidden && choice_->currentIndex() == i) choice_->setCurrentIndex(0);
  }
}

void DiagnosticsPanel::set_force_error(double p99) {
  force_error_ = p99;
  refresh();
}

void DiagnosticsPanel::show(std::int64_t step) {
  shown_ = step;
  refresh();
}

void DiagnosticsPanel::forget_after(std::int64_t step) {
  rows_.erase(rows_.upper_bound(step), rows_.end());
  refresh();
}

void DiagnosticsPanel::clear() {
  rows_.clear();
  force_error_.reset();
  refresh();
}

void DiagnosticsPanel::write(const std::filesystem::path& path) const {
  isolume::nbody::DiagnosticsTable table(path);
  for (const auto& [step, row] : rows_) table.add(row);
  table.finish();
}

void DiagnosticsPanel::write_figure(const std::filesystem::path& path) {
  plot();
  fields::write_svg(*chart_, path);
}

void DiagnosticsPanel::plot() {
  if (rows_.empty()) return chart_->set_empty(tr("Nothing has been computed yet."));
  const NBodyFrame& first = rows_.begin()->second;
  const auto& quantity = quantities()[static_cast<std::size_t>(choice_->currentIndex())];
  if (!quantity.is_of(first)) return chart_->set_empty(tr("These bodies have no such quantity."));
  fields::Chart::Data curve;
  curve.low = static_cast<double>(rows_.begin()->first);
  curve.high = std::max(curve.low + 1, static_cast<double>(rows_.rbegin()->first));
  // At equal steps; a moment that was passed over has the value before it.
  std::int64_t next = rows_.begin()->first;
  double value = 0;
  for (const auto& [step, row] : rows_) {
    for (; next < step; ++next) curve.values.push_back(value);
    value = quantity.value(row, first);
    curve.values.push_back(value);
    next = step + 1;
  }
  if (curve.values.size() == 1) curve.values.push_back(value);
  curve.x_name = tr("Step");
  curve.y_name = quantity.name;
  curve.y_unit = quantity.unit;
  curve.marks = {static_cast<double>(shown_)};
  chart_->set_data(std::move(curve));
}

void DiagnosticsPanel::refresh() {
  if (!isVisible()) return;
  plot();
  if (rows_.empty()) return;
  const NBodyFrame& first = rows_.begin()->second;
  const auto found = rows_.find(shown_);
  for (int i = 0; i < choice_->count(); ++i) {
    const Quantity& quantity = quantities()[static_cast<std::size_t>(i)];
    const bool told = found != rows_.end() && quantity.is_of(first);
    table_->topLevelItem(i)->setText(
        1, told ? QString::number(quantity.value(found->second, first), 'g', 5) : QString());
  }
  table_->topLevelItem(choice_->count())
      ->setText(1, force_error_ ? QString::number(*force_error_, 'g', 2) : QString());
}

}  // namespace isolume::labs::nbody
