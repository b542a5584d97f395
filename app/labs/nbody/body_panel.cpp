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

QString text_of(const nlohmann::json& value) {
  if (value.is_string()) return QString::fromStdString(value.get<std::string>());
  if (value.is_number_integer()) return QString::number(value.get<qulonglong>());
  if (value.is_number()) return number(value.get<double>());
  QStringList parts;
  for (const auto& each : value) parts += number(each.get<double>());
  return parts.join(QStringLiteral(",  "));
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

BodyPanel::BodyPanel(QWidget* parent) : QWidget(parent), hint_(new QLabel), table_(new QTreeWidget) {
  setObjectName(QStringLiteral("nbody.body"));
  hint_->setText(tr("Click a body in the view, or run nbody.pick NUMBER."));
  hint_->setWordWrap(true);
  table_->setAccessibleName(tr("The chosen body"));
  table_->setRootIsDecorated(false);
  table_->setHeaderLabels({tr("Quantity (G = 1)"), tr("Value"), tr("Unit")});
  for (const Row& each : rows()) new QTreeWidgetItem(table_, {each.name, {}, each.unit});
  for (const int column : {0, 1, 2})
    table_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  auto* page = new QVBoxLayout(this);
  page->addWidget(hint_);
  page->addWidget(table_, 1);
  show_reading(std::nullopt);
}

void BodyPanel::show_reading(const std::optional<nlohmann::json>& reading) {
  hint_->setVisible(!reading);
  const auto all = rows();
  for (std::size_t i = 0; i < all.size(); ++i) {
    table_->topLevelItem(static_cast<int>(i))
        ->setText(1, reading ? text_of(reading->at(all[i].key)) : QString());
  }
}

}  // namespace isolume::labs::nbody

#include "moc_body_panel.cpp"
