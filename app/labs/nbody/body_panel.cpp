#include "app/labs/nbody/body_panel.h"

#include <QAbstractItemDelegate>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>
#include <utility>

#include "app/labs/nbody/unit_words.h"

namespace isolume::labs::nbody {
namespace {

struct Row {
  const char* key;
  QString name;
  Dimension dimension;
};

constexpr int mass_row = 2;

std::vector<Row> rows() {
  return {{"id", BodyPanel::tr("Number"), Dimension::none},
          {"origin", BodyPanel::tr("Name"), Dimension::none},
          {"mass", BodyPanel::tr("Mass"), Dimension::mass},
          {"position", BodyPanel::tr("Position x, y, z"), Dimension::length},
          {"velocity", BodyPanel::tr("Velocity x, y, z"), Dimension::speed},
          {"speed", BodyPanel::tr("Speed"), Dimension::speed},
          {"potential", BodyPanel::tr("Potential"), Dimension::potential},
          {"kinetic_energy", BodyPanel::tr("Kinetic energy"), Dimension::energy},
          {"potential_energy", BodyPanel::tr("Potential energy"), Dimension::energy},
          {"energy", BodyPanel::tr("Energy"), Dimension::energy}};
}

/// Beside sums over all bodies in double precision.
std::vector<Row> force_rows() {
  return {{"acceleration", BodyPanel::tr("Acceleration x, y, z"), Dimension::acceleration},
          {"exact_acceleration", BodyPanel::tr("Exact acceleration"), Dimension::acceleration},
          {"exact_potential", BodyPanel::tr("Exact potential"), Dimension::potential},
          {"force_error", BodyPanel::tr("Force error"), Dimension::relative},
          {"step", BodyPanel::tr("Forces at step"), Dimension::none}};
}

/// Two bodies alone would follow this orbit.
std::vector<Row> orbit_rows() {
  return {{"about", BodyPanel::tr("Orbit about"), Dimension::none},
          {"semi_major_axis", BodyPanel::tr("Semi-major axis"), Dimension::length},
          {"eccentricity", BodyPanel::tr("Eccentricity"), Dimension::none},
          {"inclination", BodyPanel::tr("Inclination"), Dimension::degrees},
          {"ascending_node", BodyPanel::tr("Longitude of ascending node"), Dimension::degrees},
          {"argument_of_pericentre", BodyPanel::tr("Argument of pericentre"), Dimension::degrees},
          {"true_anomaly", BodyPanel::tr("True anomaly"), Dimension::degrees},
          {"mean_anomaly", BodyPanel::tr("Mean anomaly"), Dimension::degrees},
          {"period", BodyPanel::tr("Period"), Dimension::time},
          {"pericentre", BodyPanel::tr("Pericentre distance"), Dimension::length},
          {"apocentre", BodyPanel::tr("Apocentre distance"), Dimension::length}};
}

/// What has no number in words.
nlohmann::json in_words(nlohmann::json orbit) {
  if (orbit.is_null()) return orbit;
  const std::string unbound = (orbit.at("kind") == "hyperbola" ? BodyPanel::tr("none: hyperbolic, unbound")
                                                               : BodyPanel::tr("none: parabolic, unbound"))
                                  .toStdString();
  for (const char* key : {"period", "apocentre", "semi_major_axis"}) {
    if (orbit.at(key).is_null()) orbit[key] = unbound;
  }
  for (const char* key : {"inclination", "ascending_node", "argument_of_pericentre", "mean_anomaly"}) {
    if (orbit.at(key).is_null()) orbit[key] = BodyPanel::tr("undefined: radial orbit").toStdString();
  }
  if (!orbit.at("about_origin").is_null()) {
    orbit["about"] = BodyPanel::tr("%1 (%2)")
                         .arg(QString::fromStdString(orbit.at("about_origin").get<std::string>()),
                              QString::fromStdString(orbit.at("about").get<std::string>()))
                         .toStdString();
  } else {
    orbit["about"] = BodyPanel::tr("barycentre of all other bodies").toStdString();
  }
  return orbit;
}

std::vector<Row> probe_rows() {
  std::vector<Row> all{{"place", BodyPanel::tr("Probe x, y, z"), Dimension::length},
                       {"potential", BodyPanel::tr("Potential"), Dimension::potential}};
  const auto forces = force_rows();
  all.insert(all.end(), forces.begin(), forces.end());
  return all;
}

QString text_of(const nlohmann::json& value, Dimension dimension,
                const std::optional<isolume::nbody::Units>& units) {
  if (value.is_string()) return in_lines(QString::fromStdString(value.get<std::string>()));
  if (value.is_number_unsigned()) return QString::number(value.get<qulonglong>());
  if (value.is_number_integer()) return QString::number(value.get<qlonglong>());
  if (value.is_number()) return shown_text(in_units(value.get<double>(), dimension, units));
  QStringList parts;
  for (const auto& each : value) parts += shown_text(in_units(each.get<double>(), dimension, units));
  return parts.join(QChar::LineFeed);  // so that the column of units stays in sight
}

/// From the line `first` on; null: they are empty.
void fill(QTreeWidget& table, const std::vector<Row>& rows, int first, const nlohmann::json& values,
          const std::optional<isolume::nbody::Units>& units) {
  table.headerItem()->setText(0, quantity_heading(units));
  for (const Row& each : rows) {
    QTreeWidgetItem& item = *table.topLevelItem(first++);
    item.setText(1, values.is_null() ? QString() : text_of(values.at(each.key), each.dimension, units));
    item.setText(2, in_lines(unit_words(each.dimension, units)));
  }
}

QTreeWidget* table_of(const QString& name, const std::vector<Row>& rows) {
  auto* table = new QTreeWidget;
  table->setAccessibleName(name);
  table->setRootIsDecorated(false);
  table->setHeaderLabels({quantity_heading({}), BodyPanel::tr("Value"), BodyPanel::tr("Unit")});
  for (const Row& each : rows) {
    auto* item = new QTreeWidgetItem(table, {each.name, {}, in_lines(unit_words(each.dimension, {}))});
    for (const int column : {0, 1, 2}) item->setTextAlignment(column, Qt::AlignLeft | Qt::AlignTop);
  }
  fit_columns(*table);
  return table;
}

}  // namespace

nlohmann::json reading_of(const isolume::nbody::NBodyFrame& frame, std::size_t number) {
  // A few numbers, which need not bring all others from a device.
  const auto row = static_cast<std::uint32_t>(number);
  const auto one_of = [&](const dispatch::LazyValues& values) { return values.at(std::array{row})[0]; };
  const auto at = [&](const dispatch::LazyValues& values, const Eigen::Vector3d& origin) {
    const auto found = values.at(std::array{3 * row, 3 * row + 1, 3 * row + 2});
    return std::array{found[0] + origin.x(), found[1] + origin.y(), found[2] + origin.z()};
  };
  const double mass = frame.labels->mass[number], speed = one_of(frame.speeds),
               potential = one_of(frame.potentials);
  const double kinetic = mass * speed * speed / 2;
  nlohmann::json reading{{"id", frame.labels->id[number]},
                         {"origin", frame.labels->origins[frame.labels->origin[number]]},
                         {"mass", mass},
                         {"position", at(frame.positions, frame.centre)},
                         {"velocity", at(frame.velocities, Eigen::Vector3d::Zero())},
                         {"speed", speed},
                         {"potential", potential},
                         {"kinetic_energy", kinetic},
                         {"potential_energy", mass * potential},
                         {"energy", kinetic + mass * potential},
                         {"step", frame.step},
                         {"time", frame.time}};
  if (frame.labels->box) reading["scale_factor"] = frame.scale_factor();
  return reading;
}

BodyPanel::BodyPanel(Run run, QWidget* parent)
    : QWidget(parent), run_(std::move(run)), hint_(new QLabel), delete_(new QPushButton(tr("Delete body"))) {
  setObjectName(QStringLiteral("nbody.body"));
  hint_->setText(tr("Click a body in the view, or run nbody.pick NUMBER."));
  hint_->setWordWrap(true);
  auto of_body = rows();
  for (Row& each : force_rows()) of_body.push_back(std::move(each));
  for (Row& each : orbit_rows()) of_body.push_back(std::move(each));
  table_ = table_of(tr("The chosen body"), of_body);
  probe_table_ = table_of(tr("At the probe"), probe_rows());
  delete_->setObjectName(QStringLiteral("nbody.delete-body.button"));
  delete_->setToolTip(tr("Removes the chosen body at the shown step."));
  connect(delete_, &QPushButton::clicked, this, [this] { run_("nbody.delete-body", {}); });
  // Only the value of the mass is edited in its place.
  QTreeWidgetItem* const mass = table_->topLevelItem(mass_row);
  mass->setFlags(mass->flags() | Qt::ItemIsEditable);
  mass->setToolTip(1, tr("Double-click to change the mass at the shown step."));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  connect(table_, &QTreeWidget::itemDoubleClicked, this, [this, mass](QTreeWidgetItem* item, int column) {
    if (item == mass && column == 1 && reading_) table_->editItem(mass, 1);
  });
  connect(table_->itemDelegate(), &QAbstractItemDelegate::commitData, this,
          [this, mass] { take_mass(mass->text(1)); });
  auto* page = new QVBoxLayout(this);
  page->addWidget(hint_);
  page->addWidget(table_, 2);
  page->addWidget(delete_, 0, Qt::AlignLeft);
  page->addWidget(probe_table_, 1);
  show_reading(std::nullopt);
  show_forces(nullptr, nullptr);
}

/// What was shown is that of other bodies.
void BodyPanel::set_units(const std::optional<isolume::nbody::Units>& units) {
  units_ = units;
  show_reading(std::nullopt);
  show_forces(nullptr, nullptr);
}

void BodyPanel::show_reading(const std::optional<nlohmann::json>& reading) {
  reading_ = reading;
  hint_->setVisible(!reading);
  delete_->setVisible(reading.has_value());
  fill(*table_, rows(), 0, reading ? *reading : nlohmann::json(), units_);
}

/// Commands take the document's unit. A refused text gives way to the mass.
void BodyPanel::take_mass(const QString& typed) {
  if (!reading_) return;
  QString text = QString(typed).trimmed().replace(QChar(0x2212), QLatin1Char('-'));
  QString before = text_of(reading_->at("mass"), Dimension::mass, units_);
  const bool same = text == before.replace(QChar(0x2212), QLatin1Char('-'));
  bool is_number = false;
  if (const double mass = text.toDouble(&is_number); is_number && units_)
    text = QString::number(mass / mass_unit(*units_).size, 'g', 17);
  if (same || !run_("nbody.change-body", {text.toStdString()})) show_reading(reading_);
}

void BodyPanel::show_forces(const nlohmann::json& on_body, const nlohmann::json& at_probe) {
  const int first = static_cast<int>(rows().size());
  fill(*table_, force_rows(), first, on_body, units_);
  fill(*table_, orbit_rows(), first + static_cast<int>(force_rows().size()),
       on_body.is_null() ? on_body : in_words(on_body.at("orbit")), units_);
  fill(*probe_table_, probe_rows(), 0, at_probe, units_);
  probe_table_->setVisible(!at_probe.is_null());
}

/// Units are read at once, without a wider panel.
QSize BodyPanel::sizeHint() const {
  return QWidget::sizeHint().expandedTo(
      {full_width(*table_) + layout()->contentsMargins().left() + layout()->contentsMargins().right(), 0});
}

}  // namespace isolume::labs::nbody

#include "moc_body_panel.cpp"
