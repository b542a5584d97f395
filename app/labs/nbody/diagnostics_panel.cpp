#include "app/labs/nbody/diagnostics_panel.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "app/fields/chart_csv.h"
#include "app/fields/chart_figure.h"
#include "app/labs/nbody/description.h"
#include "app/labs/nbody/unit_words.h"
#include "app/workbench/contract/in_sight.h"
#include "app/workbench/contract/translated.h"
#include "core/nbody/runs/diagnostics_table.h"

namespace isolume::labs::nbody {

using isolume::nbody::Diagnostics;
using isolume::nbody::NBodyFrame;

/// Which systems have a quantity.
enum class Told { of_all, alone, in_a_box };

/// One line of the table, one curve of the chart. Values are in units that make G = 1.
struct DiagnosticsPanel::Quantity {
  QString name;
  Dimension dimension;
  double (*value)(const NBodyFrame& frame, const NBodyFrame& first);
  Told told = Told::of_all;

  bool is_of(const NBodyFrame& frame) const {
    return told == Told::of_all || (told == Told::in_a_box) == frame.diagnostics->expansion.has_value();
  }
};

const std::vector<DiagnosticsPanel::Quantity>& DiagnosticsPanel::quantities() {
  static const std::vector<Quantity> all = [] {
    std::vector<Quantity> made{
        {tr("Energy error"), Dimension::relative,
         [](const NBodyFrame& frame, const NBodyFrame& first) {
           return isolume::nbody::energy_error(*frame.diagnostics, *first.diagnostics);
         }},
        {tr("Scale factor"), Dimension::none,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->expansion->scale_factor;
         },
         Told::in_a_box},
        {tr("Redshift"), Dimension::none,
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->expansion->redshift(); },
         Told::in_a_box},
        {tr("Kinetic energy"), Dimension::energy,
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->kinetic; }},
        {tr("Potential energy"), Dimension::energy,
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->potential; }},
        {tr("Kinetic energy lost in collisions"), Dimension::energy,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->collisions.kinetic_lost;
         },
         Told::alone},
        {tr("Potential energy change in collisions"), Dimension::energy,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->collisions.potential_change();
         },
         Told::alone},
        {tr("Collisions"), Dimension::none,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return static_cast<double>(frame.diagnostics->collisions.count);
         },
         Told::alone},
        {tr("Virial ratio 2 K / |W|"), Dimension::none,
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->virial_ratio(); },
         Told::alone},
        {tr("Momentum"), Dimension::momentum,
         [](const NBodyFrame& frame, const NBodyFrame&) { return frame.diagnostics->momentum.norm(); }},
        {tr("Angular momentum"), Dimension::angular_momentum,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           return frame.diagnostics->angular_momentum.norm();
         },
         Told::alone},
        {tr("Step time"), Dimension::milliseconds,
         [](const NBodyFrame& frame, const NBodyFrame&) {
           const auto& each = frame.seconds;
           return 1e3 * (each.forces.sort + each.forces.tree + each.forces.sums + each.integration);
         }},
        {tr("Step time: force sums"), Dimension::milliseconds,
         [](const NBodyFrame& frame, const NBodyFrame&) { return 1e3 * frame.seconds.forces.sums; }},
        {tr("Step time: tree"), Dimension::milliseconds, [](const NBodyFrame& frame, const NBodyFrame&) {
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
                      Dimension::length, radius[i], Told::alone});
    }
    return made;
  }();
  return all;
}

namespace {

using isolume::nbody::SampledErrors;

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

template <class Rows, class Value>
std::map<std::int64_t, double> mapped(const Rows& rows, const Value& value) {
  std::map<std::int64_t, double> values;
  for (const auto& [step, row] : rows) values.emplace(step, value(row));
  return values;
}

QString solver_name(const std::string& key) {
  for (const auto& choice : isolume::nbody::force_schema().at("solver").description.choices) {
    if (choice.key == key) return workbench::translated(choice.label);
  }
  return QString::fromStdString(key);
}

}  // namespace

DiagnosticsPanel::DiagnosticsPanel(QWidget* parent)
    : QWidget(parent),
      counted_(tr("Step")),
      choice_(new QComboBox),
      chart_(new fields::Chart),
      words_(new QLabel),
      measure_(new QPushButton(tr("Measure the solvers"))),
      table_(new QTreeWidget) {
  setObjectName(QStringLiteral("nbody.diagnostics"));
  choice_->setAccessibleName(tr("Curve"));
  for (const auto& each : quantities()) choice_->addItem(each.name);
  choice_->addItem(tr("Step time by phase"));
  choice_->addItem(tr("Force errors"));
  choice_->addItem(tr("Solvers: time vs. number of bodies"));
  chart_->setAccessibleName(tr("Chart of the chosen quantity since the start"));
  words_->setWordWrap(true);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  measure_->setObjectName(QStringLiteral("nbody.crossover.button"));
  table_->setAccessibleName(tr("Values at the shown snapshot"));
  table_->setRootIsDecorated(false);
  table_->setHeaderLabels({quantity_heading({}), tr("Value"), tr("Unit")});
  for (const auto& each : quantities()) {
    auto* item = new QTreeWidgetItem(table_, {each.name, {}, in_lines(unit_words(each.dimension, {}))});
    for (const int column : {0, 1, 2}) item->setTextAlignment(column, Qt::AlignLeft | Qt::AlignTop);
  }
  auto* force_error = new QTreeWidgetItem(table_, {tr("Force error, 99 %"), {}, tr("relative")});
  force_error->setToolTip(0, tr("99 % of the bodies have a smaller one."));
  fit_columns(*table_);
  auto* column = new QVBoxLayout(this);
  column->addWidget(choice_);
  column->addWidget(chart_, 1);
  column->addWidget(words_);
  column->addWidget(measure_);
  column->addWidget(table_, 1);
  connect(choice_, &QComboBox::currentIndexChanged, this, &DiagnosticsPanel::refresh);
  connect(measure_, &QPushButton::clicked, this, &DiagnosticsPanel::crossover_wanted);
  connect(table_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
    const int row = table_->indexOfTopLevelItem(item);
    choice_->setCurrentIndex(row < static_cast<int>(quantities().size()) ? row : row + 1);  // force errors
  });
  refresh();
}

void DiagnosticsPanel::add_row(const NBodyFrame& frame, Rows& rows) {
  if (!frame.diagnostics) return;
  NBodyFrame row;
  row.step = frame.step;
  row.time = frame.time;
  row.options = frame.options;
  row.diagnostics = frame.diagnostics;
  row.seconds = frame.seconds;
  rows.insert_or_assign(frame.step, std::move(row));
}

/// A comoving box has no centre for bodies to be bound to or to turn about, and others do not expand.
void DiagnosticsPanel::offer_what_is_of(const NBodyFrame& first) {
  auto* list = qobject_cast<QListView*>(choice_->view());
  for (int i = 0; i < static_cast<int>(quantities().size()); ++i) {
    const bool hidden = !quantities()[static_cast<std::size_t>(i)].is_of(first);
    list->setRowHidden(i, hidden);
    table_->topLevelItem(i)->setHidden(hidden);
    if (hidden && choice_->currentIndex() == i) choice_->setCurrentIndex(0);
  }
}

void DiagnosticsPanel::add(const NBodyFrame& frame) {
  if (rows_.empty() && frame.diagnostics) offer_what_is_of(frame);
  add_row(frame, rows_);
}

void DiagnosticsPanel::add_drawing(std::int64_t step, double seconds) {
  drawing_seconds_.insert_or_assign(step, seconds);
}

void DiagnosticsPanel::add_force_error(std::int64_t step, const SampledErrors& errors) {
  force_errors_.insert_or_assign(step, errors);
  refresh();
}

std::optional<SampledErrors> DiagnosticsPanel::force_error(std::int64_t step) const {
  const auto found = force_errors_.find(step);
  return found == force_errors_.end() ? std::nullopt : std::optional(found->second);
}

void DiagnosticsPanel::clear_branch() {
  branch_rows_.clear();
  refresh();
}

void DiagnosticsPanel::add_of_branch(const NBodyFrame& frame) {
  add_row(frame, branch_rows_);
}

void DiagnosticsPanel::set_names(const QString& first, const QString& branch) {
  if (first == first_name_ && branch == branch_name_) return;
  first_name_ = first;
  branch_name_ = branch;
  refresh();
}

void DiagnosticsPanel::keep_branch() {
  if (branch_rows_.empty()) return;
  const std::int64_t begin = branch_rows_.begin()->first;
  rows_.erase(rows_.lower_bound(begin), rows_.end());
  drawing_seconds_.erase(drawing_seconds_.lower_bound(begin), drawing_seconds_.end());
  force_errors_.erase(force_errors_.lower_bound(begin), force_errors_.end());
  rows_.merge(branch_rows_);
}

void DiagnosticsPanel::set_units(const std::optional<isolume::nbody::Units>& units) {
  units_ = units;
  table_->headerItem()->setText(0, quantity_heading(units));
  refresh();
}

double DiagnosticsPanel::shown_value(const Quantity& quantity, const NBodyFrame& frame,
                                     const NBodyFrame& reference) const {
  return in_units(quantity.value(frame, reference), quantity.dimension, units_);
}

void DiagnosticsPanel::set_counted(const QString& what) {
  if (what != std::exchange(counted_, what)) refresh();
}

void DiagnosticsPanel::set_crossover(const isolume::nbody::Crossover& crossover) {
  crossover_ = crossover;
  refresh();
}

void DiagnosticsPanel::show(std::int64_t step) {
  shown_ = step;
  refresh();
}

void DiagnosticsPanel::choose(std::string_view plot) {
  const auto found = std::ranges::find(plot_names(), plot);
  choice_->setCurrentIndex(static_cast<int>(found - plot_names().begin()));
}

void DiagnosticsPanel::forget_after(std::int64_t step) {
  rows_.erase(rows_.upper_bound(step), rows_.end());
  drawing_seconds_.erase(drawing_seconds_.upper_bound(step), drawing_seconds_.end());
  force_errors_.erase(force_errors_.upper_bound(step), force_errors_.end());
  refresh();
}

void DiagnosticsPanel::forget_before(std::int64_t step) {
  rows_.erase(rows_.begin(), rows_.lower_bound(step));
  drawing_seconds_.erase(drawing_seconds_.begin(), drawing_seconds_.lower_bound(step));
  force_errors_.erase(force_errors_.begin(), force_errors_.lower_bound(step));
  refresh();
}

void DiagnosticsPanel::keep(std::int64_t first, std::int64_t last) {
  if (rows_.empty() || (rows_.begin()->first >= first && rows_.rbegin()->first <= last)) return;
  forget_before(first);
  forget_after(last);
}

void DiagnosticsPanel::clear() {
  rows_.clear();
  branch_rows_.clear();
  drawing_seconds_.clear();
  force_errors_.clear();
  refresh();
}

/// Goes through moments in their order: reference_of() each of them.
class DiagnosticsPanel::References {
 public:
  explicit References(const DiagnosticsPanel& panel) : panel_(panel) {}
  const NBodyFrame& of(const NBodyFrame& row) {
    if (found_ == nullptr || !have_one_energy(found_->options, row.options))
      found_ = panel_.reference_of(row);
    if (found_ == nullptr) found_ = &row;
    return *found_;
  }

 private:
  const DiagnosticsPanel& panel_;
  const NBodyFrame* found_ = nullptr;
};

/// The moment at which the run begins, or the first one known after it.
std::int64_t DiagnosticsPanel::start() const {
  if (rows_.empty()) return begin_;
  const auto found = rows_.lower_bound(begin_);
  return found != rows_.end() ? found->first : rows_.rbegin()->first;
}

/// Of a moment of either run: the one nearest to the start of those between that conserve the same energy; null where
/// there is none.
const NBodyFrame* DiagnosticsPanel::reference_of(const NBodyFrame& frame) const {
  const std::int64_t begin = start();
  for (const Rows* rows : {&rows_, &branch_rows_}) {
    const NBodyFrame* found = nullptr;
    const auto take = [&](const Rows::value_type& row) {
      if (!have_one_energy(row.second.options, frame.options)) return false;
      found = &row.second;
      return true;
    };
    if (frame.step < begin) {
      for (auto row = rows->lower_bound(frame.step); row != rows->end() && row->first <= begin && take(*row);)
        ++row;
    } else {
      for (auto row = rows->upper_bound(frame.step);
           row != rows->begin() && std::prev(row)->first >= begin && take(*std::prev(row));)
        --row;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::optional<DiagnosticsPanel::EnergyError> DiagnosticsPanel::energy_error(const NBodyFrame& frame) const {
  if (rows_.empty() || !frame.diagnostics) return std::nullopt;
  const NBodyFrame* found = reference_of(frame);
  const NBodyFrame& reference = found != nullptr ? *found : frame;
  const bool anew = reference.step != start();
  return EnergyError{quantities().front().value(frame, reference),
                     anew ? std::optional(reference.step) : std::nullopt};
}

void DiagnosticsPanel::write(const std::filesystem::path& path) const {
  isolume::nbody::DiagnosticsTable table(path);
  table.set_units(units_);
  const auto collide = [](const auto& row) {
    return row.second.options.collisions != isolume::nbody::Collisions::none;
  };
  if (std::ranges::any_of(rows_, collide)) table.set_collides();
  References references(*this);
  for (const auto& [step, row] : rows_) {
    table.add(step, row.time, row.options, *row.diagnostics, force_error(step),
              quantities().front().value(row, references.of(row)));
  }
  table.finish();
}

void DiagnosticsPanel::write_figure(const std::filesystem::path& path) {
  plot();
  fields::write_figure(*chart_, path);
}

void DiagnosticsPanel::write_plot(const std::filesystem::path& path) {
  plot();
  fields::write_csv(*chart_, path);
}

/// At equal steps, as far as the first run reaches; a moment that was passed over has the value before it.
std::vector<double> DiagnosticsPanel::on_steps(const std::map<std::int64_t, double>& values) const {
  std::vector<double> all;
  double value = no_value;
  auto next = values.begin();
  for (std::int64_t step = rows_.begin()->first; step <= rows_.rbegin()->first; ++step) {
    for (; next != values.end() && next->first <= step; ++next) value = next->second;
    all.push_back(value);
  }
  if (all.size() == 1) all.push_back(value);
  return all;
}

/// At the first run's steps, as its steps may be others: where they are nearest in time, if they are near.
std::map<std::int64_t, double> DiagnosticsPanel::of_branch(const Quantity& quantity) const {
  std::map<std::int64_t, double> values;
  if (branch_rows_.empty()) return values;
  References references(*this);
  for (const auto& [step, row] : rows_) {
    if (step < branch_rows_.begin()->first) references.of(row);
  }
  std::map<std::int64_t, double> of_rows;
  for (const auto& [step, row] : branch_rows_)
    of_rows.emplace(step, shown_value(quantity, row, references.of(row)));
  auto at = branch_rows_.begin();
  for (const auto& [step, row] : rows_) {
    const auto distance = [&time = row.time](const auto& each) { return std::abs(each->second.time - time); };
    for (auto next = std::next(at); next != branch_rows_.end() && distance(next) <= distance(at); ++next)
      at = next;
    const double near = 0.501 * std::max(row.options.dt, at->second.options.dt);
    if (row.time < branch_rows_.begin()->second.time - near) continue;
    values.emplace(step, distance(at) <= near ? of_rows.at(at->first) : no_value);
  }
  return values;
}

void DiagnosticsPanel::plot() {
  const auto plot = static_cast<std::size_t>(choice_->currentIndex());
  const std::size_t phases = quantities().size();
  if (plot == phases + 2) return plot_crossover();
  if (rows_.empty()) return chart_->set_empty(tr("Nothing has been computed yet."));
  if (plot == phases) return plot_phases();
  plot == phases + 1 ? plot_force_errors() : plot_quantity(quantities()[plot]);
}

fields::Chart::Data DiagnosticsPanel::against_steps() const {
  fields::Chart::Data chart;
  chart.low = static_cast<double>(rows_.begin()->first);
  chart.high = std::max(chart.low + 1, static_cast<double>(rows_.rbegin()->first));
  chart.x_name = counted_;
  chart.marks = {static_cast<double>(shown_)};
  return chart;
}

void DiagnosticsPanel::plot_quantity(const Quantity& quantity) {
  const NBodyFrame& first = rows_.begin()->second;
  if (!quantity.is_of(first))
    return chart_->set_empty(tr("This quantity is not available for these bodies."));
  auto chart = against_steps();
  References references(*this);
  chart.values = on_steps(
      mapped(rows_, [&](const NBodyFrame& row) { return shown_value(quantity, row, references.of(row)); }));
  chart.y_name = quantity.name;
  chart.y_unit = unit_words(quantity.dimension, units_);
  if (!branch_name_.isEmpty()) {
    chart.name = first_name_;
    chart.others = {{branch_name_, on_steps(of_branch(quantity))}};
  }
  chart_->set_data(std::move(chart));
}

void DiagnosticsPanel::plot_phases() {
  auto chart = against_steps();
  const auto milliseconds = [this](double (*seconds)(const isolume::nbody::StepSeconds& of)) {
    return on_steps(mapped(rows_, [=](const NBodyFrame& row) { return 1e3 * seconds(row.seconds); }));
  };
  chart.name = tr("Tree");
  chart.values = milliseconds([](const auto& each) { return each.forces.sort + each.forces.tree; });
  chart.others = {
      {tr("Forces"), milliseconds([](const auto& each) { return each.forces.sums; })},
      {tr("Integration"), milliseconds([](const auto& each) { return each.integration; })},
      {tr("Diagnostics"), milliseconds([](const auto& each) { return each.diagnostics; })},
      {tr("Drawing"), on_steps(mapped(drawing_seconds_, [](double each) { return 1e3 * each; }))}};
  chart.y_name = tr("Step time by phase");
  chart.y_unit = tr("ms");
  chart_->set_data(std::move(chart));
}

void DiagnosticsPanel::plot_force_errors() {
  if (force_errors_.empty())
    return chart_->set_empty(
        tr("Not measured yet. Force errors are measured every two seconds while the simulation plays."));
  auto chart = against_steps();
  const auto of = [this](double SampledErrors::*part) {
    return on_steps(mapped(force_errors_, [=](const SampledErrors& each) { return each.*part; }));
  };
  constexpr double least = 1e-17;  // of sums in double precision
  chart.ground = least;
  chart.name = tr("Median");
  chart.values = of(&SampledErrors::median);
  chart.others = {{tr("90 % below"), of(&SampledErrors::p90)}, {tr("99 % below"), of(&SampledErrors::p99)}};
  chart.y_name = tr("Force errors");
  chart.y_unit = tr("relative");
  chart_->set_data(std::move(chart));
}

void DiagnosticsPanel::plot_crossover() {
  if (!crossover_)
    return chart_->set_empty(
        tr("Not measured yet. The measurement takes about a minute; the simulation is paused meanwhile."));
  fields::Chart::Data chart;
  chart.x_logarithmic = true;
  chart.low = std::log10(static_cast<double>(crossover_->bodies.front()));
  chart.high = std::log10(static_cast<double>(crossover_->bodies.back()));
  constexpr double least_seconds = 1e-9;
  chart.ground = least_seconds;
  for (const auto& solver : crossover_->solvers) {
    std::vector<double> seconds;
    for (const auto& each : solver.seconds) seconds.push_back(each.value_or(no_value));
    chart.others.push_back({solver_name(solver.solver), std::move(seconds)});
  }
  chart.name = chart.others.front().name;
  chart.values = std::move(chart.others.front().values);
  chart.others.erase(chart.others.begin());
  chart.x_name = tr("Bodies");
  chart.y_name = tr("Time per evaluation of all forces");
  chart.y_unit = tr("s");
  for (const auto& each : crossover_->crossings) {
    if (each.bodies && !each.always) chart.marks.push_back(std::log10(*each.bodies));
  }
  chart_->set_data(std::move(chart));
}

/// As core says it in English.
QString DiagnosticsPanel::crossover_words() const {
  if (!crossover_) return {};
  QStringList lines{tr("Both tree codes at a relative force error of %1 (99th percentile).")
                        .arg(shown_text(crossover_->error, 3))};
  for (const auto& each : crossover_->crossings) {
    const QString faster = solver_name(each.faster), slower = solver_name(each.slower);
    if (!each.bodies) {
      lines += tr("%1 is not faster than %2 with up to %3 bodies.")
                   .arg(faster, slower)
                   .arg(crossover_->bodies.back());
    } else if (each.always) {
      lines += tr("%1 is already faster than %2 at %3 bodies, the smallest size measured.")
                   .arg(faster, slower)
                   .arg(std::lround(*each.bodies));
    } else {
      lines += tr("%1 is faster than %2 from about %3 bodies on.")
                   .arg(faster, slower)
                   .arg(std::lround(isolume::nbody::two_digits(*each.bodies)));
    }
  }
  return lines.join('\n');
}

void DiagnosticsPanel::refresh() {
  if (!workbench::in_sight(this)) return;
  plot();
  const bool of_solvers = choice_->currentIndex() == choice_->count() - 1;
  measure_->setVisible(of_solvers);
  words_->setVisible(of_solvers && crossover_);
  words_->setText(crossover_words());
  if (rows_.empty()) return;
  const NBodyFrame& first = rows_.begin()->second;
  const auto found = rows_.find(shown_);
  for (std::size_t i = 0; i < quantities().size(); ++i) {
    const Quantity& quantity = quantities()[i];
    const bool told = found != rows_.end() && quantity.is_of(first);
    table_->topLevelItem(static_cast<int>(i))
        ->setText(1, told ? shown_text(shown_value(quantity, found->second, *reference_of(found->second)))
                          : QString());
    table_->topLevelItem(static_cast<int>(i))->setText(2, in_lines(unit_words(quantity.dimension, units_)));
  }
  const auto error = found != rows_.end() ? energy_error(found->second) : std::nullopt;
  table_->topLevelItem(0)->setText(
      2, error && error->since
             ? in_lines(tr("relative, since the change of softening or bodies at step %1").arg(*error->since))
             : unit_words(Dimension::relative, units_));
  QString force_error;
  if (!force_errors_.empty()) {
    const SampledErrors& last = force_errors_.rbegin()->second;
    force_error = last.are_exact() ? tr("none: double precision") : shown_text(last.p99, 2);
  }
  table_->topLevelItem(static_cast<int>(quantities().size()))->setText(1, force_error);
}

/// Units are read at once, without a wider panel.
QSize DiagnosticsPanel::sizeHint() const {
  return QWidget::sizeHint().expandedTo(
      {full_width(*table_) + layout()->contentsMargins().left() + layout()->contentsMargins().right(), 0});
}

}  // namespace isolume::labs::nbody

#include "moc_diagnostics_panel.cpp"
