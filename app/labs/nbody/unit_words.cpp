#include "app/labs/nbody/unit_words.h"

#include <QHeaderView>
#include <QObject>
#include <QScrollBar>
#include <QTreeWidget>
#include <algorithm>

#include "core/base/shown_number.h"

namespace isolume::labs::nbody {
namespace {

using isolume::nbody::Units;

/// With the astronomers' sign, which leaves room for the other units of an energy.
QString mass_symbol(const Units& units) {
  return QString::fromStdString(pretty_unit(mass_unit(units).name));
}

}  // namespace

QString unit_words(Dimension dimension, const std::optional<Units>& units) {
  const QString mass = units ? mass_symbol(*units) : QObject::tr("mass"),
                length = units ? QString::fromStdString(length_unit(*units).name) : QObject::tr("length"),
                speed = units ? QString::fromStdString(speed_unit(*units).name) : QObject::tr("length/time"),
                squared = units ? QStringLiteral("(%1)²").arg(speed) : QObject::tr("length²/time²");
  switch (dimension) {
    case Dimension::none:
      return {};
    case Dimension::relative:
      return QObject::tr("relative");
    case Dimension::milliseconds:
      return QObject::tr("ms");
    case Dimension::mass:
      return mass;
    case Dimension::length:
      return length;
    case Dimension::speed:
      return speed;
    case Dimension::potential:
      return squared;
    case Dimension::energy:
      return QStringLiteral("%1 · %2").arg(mass, squared);
    case Dimension::momentum:
      return QStringLiteral("%1 · %2").arg(mass, speed);
    case Dimension::angular_momentum:
      return QStringLiteral("%1 · %2 · %3").arg(mass, length, speed);
    case Dimension::acceleration:
      return units ? QStringLiteral("%1/%2").arg(squared, length) : QObject::tr("length/time²");
    case Dimension::time:
      return units ? QString::fromStdString(time_unit(*units).name) : QObject::tr("time");
    case Dimension::degrees:
      return QStringLiteral("°");
  }
  return {};
}

QString in_lines(const QString& words) {
  constexpr int most_letters = 15;
  QString lines;
  for (const QString& word : words.split(QLatin1Char(' '))) {
    const auto length = lines.size() - lines.lastIndexOf(QChar::LineFeed) - 1;
    if (!lines.isEmpty()) lines += QLatin1Char(length + 1 + word.size() > most_letters ? '\n' : ' ');
    lines += word;
  }
  return lines;
}

QString shown_text(double value, int digits) {
  return QString::fromStdString(shown_reading(value, digits));
}

namespace {

constexpr int column_margins = 12;

int width_of_values(const QTreeWidget& table) {
  return table.fontMetrics().horizontalAdvance(QStringLiteral("−0.00000e-00")) + column_margins;
}

}  // namespace

void fit_columns(QTreeWidget& table) {
  table.header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  table.header()->setSectionResizeMode(1, QHeaderView::Fixed);
  table.header()->resizeSection(1, width_of_values(table));
}

int full_width(const QTreeWidget& table) {
  // Qt's hint for a column is that of the rows that are seen.
  const auto widest = [&](int column) {
    int width = table.fontMetrics().horizontalAdvance(table.headerItem()->text(column));
    for (int row = 0; row < table.topLevelItemCount(); ++row)
      width = std::max(width, table.fontMetrics().size(0, table.topLevelItem(row)->text(column)).width());
    return width + column_margins;
  };
  return widest(0) + width_of_values(table) + widest(2) + table.verticalScrollBar()->sizeHint().width() +
         2 * table.frameWidth();
}

QString quantity_heading(const std::optional<Units>& units) {
  return units ? QObject::tr("Quantity") : QObject::tr("Quantity (G = 1)");
}

}  // namespace isolume::labs::nbody
