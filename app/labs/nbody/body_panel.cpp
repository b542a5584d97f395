#include "app/labs/nbody/body_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <array>

namespace isolume::labs::nbody {
namespace {

QString number(double value) {
  return QString::number(value, 'g', 5);
}

struct Row {
  const char* key;
  QString name, unit;
};

/// Units are those that make G = 1: of length, mass and time.
std::vector<Row> rows() {
  return {{"id", BodyPanel::tr("Number"), {}},
          {"origin", BodyPanel::tr("Origin"), {}},
          {"mass", BodyPanel::tr("Mass"), BodyPanel::tr("mass")},
          {"position", BodyPanel::tr("Position x, y, z"), BodyPanel::tr("length")},
          {"velocity", BodyPanel::tr("Velocity x, y, z"), BodyPanel::tr("length/time")},
          {"speed", BodyPanel::tr("Speed"), BodyPanel::tr("length/time")},
          {"potential", BodyPanel::tr("Potential"), BodyPanel::tr("length²/time²")},
          {"kinetic_energy", BodyPanel::tr("Kinetic energy"), BodyPanel::tr("mass · length²/time²")},
          {"potential_energy", BodyPanel::tr("Potential energy"), BodyPanel::tr("mass · length²/time²")},
          {"energy", BodyPanel::tr("Energy"), BodyPanel::tr("mass · length²/time²")}};
}

/// Beside sums over all bodies in double precision.
std::vector<Row> force_rows() {
  return {{"acceleration", BodyPanel::tr("Acceleration x, y, z"), BodyPanel::tr("length/time²")},
          {"exact_acceleration", BodyPanel::tr("Exact acceleration"), BodyPanel::tr("length/time²")},
          {"exact_potential", BodyPanel::tr("Exact potential"), BodyPanel::tr("length²/time²")},
          {"force_error", BodyPanel::tr("Force error"), BodyPanel::tr("relative")},
          {"step", BodyPanel::tr("Forces of step"), {}}};
}

std::vector<Row> probe_rows() {
  std::vector<Row> all{{"place", BodyPanel::tr("Probe x, y, z"), BodyPanel::tr("length")},
                       {"potential", BodyPanel::tr("Potential"), BodyPanel::tr("length²/time²")}};
  const auto forces = force_rows();
  all.insert(all.end(), forces.begin(), forces.end());
  return all;
}

QString text_of(const nlohmann::json& value) {
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (value.is_number_unsigned()) return QString::number(value.get<qulonglong>());
  if (value.is_number_integer()) return QString::number(value.get<qlonglong>());
  if (value.is_number()) return number(value.get<double>());
  QStringList parts;
  for (const auto& each : value) parts += number(each.get<double>());
  return parts.join(QStringLiteral(",  "));
}

/// From the line `first` on; null: they are empty.
void fill(QTreeWidget& table, const std::vector<Row>& rows, int first, const nlohmann::json& values) {
  for (const Row& each : rows)
    table.topLevelItem(first++)->setText(1, values.is_null() ? QString() : text_of(values.at(each.key)));
}

QTreeWidget* table_of(const QString& name, const std::vector<Row>& rows) {
  auto* table = new QTreeWidget;
  table->setAccessibleName(name);
  table->setRootIsDecorated(false);
  table->setHeaderLabels({BodyPanel::tr("Quantity (G = 1)"), BodyPanel::tr("Value"), BodyPanel::tr("Unit")});
  for (const Row& each : rows) new QTreeWidgetItem(table, {each.name, {}, each.unit});
  for (const int column : {0, 1, 2})
    table->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
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

BodyPanel::BodyPanel(QWidget* parent) : QWidget(parent), hint_(new QLabel) {
  setObjectName(QStringLiteral("nbody.body"));
  hint_->setText(tr("Click a body in the view, or run nbody.pick NUMBER."));
  hint_->setWordWrap(true);
  auto of_body = rows();
  for (Row& each : force_rows()) of_body.push_back(std::move(each));
  table_ = table_of(tr("The chosen body"), of_body);
  probe_table_ = table_of(tr("At the probe"), probe_rows());
  auto* page = new QVBoxLayout(this);
  page->addWidget(hint_);
  page->addWidget(table_, 2);
  page->addWidget(probe_table_, 1);
  show_reading(std::nullopt);
  show_forces(nullptr, nullptr);
}

void BodyPanel::show_reading(const std::optional<nlohmann::json>& reading) {
  hint_->setVisible(!reading);
  fill(*table_, rows(), 0, reading ? *reading : nlohmann::json());
}

void BodyPanel::show_forces(const nlohmann::json& on_body, const nlohmann::json& at_probe) {
  fill(*table_, force_rows(), static_cast<int>(rows().size()), on_body);
  fill(*probe_table_, probe_rows(), 0, at_probe);
  probe_table_->setVisible(!at_probe.is_null());
}

}  // namespace isolume::labs::nbody

#include "moc_body_panel.cpp"
