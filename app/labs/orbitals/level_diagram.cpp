#include "app/labs/orbitals/level_diagram.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>

#include "app/labs/orbitals/orbital_table.h"
#include "core/base/units.h"

namespace isolume::labs::orbitals {
namespace {

constexpr double bar_height = 6.5;
constexpr double widest_bar = 44;
constexpr double gap_between_bars = 5;
constexpr double narrowest_range_hartree = 1e-4;
constexpr double widest_range_hartree = 1e4;

QColor faint(const QPalette& palette) {
  QColor colour = palette.color(QPalette::Text);
  colour.setAlphaF(0.55F);
  return colour;
}

QString signed_text(double value, int decimals) {
  return QString::number(value, 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

/// The largest of 1, 2 or 5 times a power of ten that gives at least `count` steps in a range.
double nice_step(double range, int count) {
  const double raw = range / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= raw) return factor * power;
  }
  return power;
}

void draw_arrow(QPainter& painter, QPointF centre, double length, bool up) {
  const double tip = up ? -length / 2 : length / 2;
  const QPointF end = centre + QPointF(0, tip);
  painter.drawLine(centre - QPointF(0, tip), end);
  const double back = up ? 4 : -4;
  painter.drawLine(end, end + QPointF(-2.5, back));
  painter.drawLine(end, end + QPointF(2.5, back));
}

}  // namespace

std::vector<Level> group_levels(const molecules::OrbitalSet& set, molecules::Spin spin) {
  std::vector<int> order;
  for (const int each : set.of_spin(spin)) {
    if (std::isfinite(set.orbitals[static_cast<std::size_t>(each)].energy_hartree)) order.push_back(each);
  }
  const auto energy = [&](int orbital) {
    return set.orbitals[static_cast<std::size_t>(orbital)].energy_hartree;
  };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return energy(a) < energy(b); });
  std::vector<Level> levels;
  for (const int each : order) {
    const bool degenerate = !levels.empty() && energy(each) - energy(levels.back().orbitals.back()) <=
                                                   degeneracy_tolerance_hartree;
    if (!degenerate) levels.push_back({0, {}});
    levels.back().orbitals.push_back(each);
  }
  for (auto& level : levels) {
    for (const int each : level.orbitals) level.energy_hartree += energy(each);
    level.energy_hartree /= static_cast<double>(level.orbitals.size());
  }
  return levels;
}

LevelDiagram::LevelDiagram(QWidget* parent) : QWidget(parent) {
  setObjectName(QStringLiteral("level-diagram"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setBackgroundRole(QPalette::Base);
  setAutoFillBackground(true);
  setAccessibleName(tr("Energy levels"));
}

void LevelDiagram::set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction,
                                std::size_t set) {
  wavefunction_ = std::move(wavefunction);
  set_ = wavefunction_ && set < wavefunction_->sets.size() ? &wavefunction_->sets[set] : nullptr;
  columns_.clear();
  places_.clear();
  frontier_labels_.clear();
  numbers_.clear();
  chosen_ = -1;
  members_.clear();
  if (set_ != nullptr) {
    frontier_labels_ = molecules::frontier_labels(*set_);
    places_.resize(set_->orbitals.size());
    numbers_.resize(set_->orbitals.size());
    for (const auto spin : {molecules::Spin::alpha, molecules::Spin::beta}) {
      if (spin == molecules::Spin::beta && !set_->unrestricted()) continue;
      int number = 0;
      for (const int each : set_->of_spin(spin)) numbers_[static_cast<std::size_t>(each)] = ++number;
      columns_.push_back({spin, group_levels(*set_, spin)});
      const auto& levels = columns_.back().levels;
      for (std::size_t level = 0; level < levels.size(); ++level) {
        for (std::size_t slot = 0; slot < levels[level].orbitals.size(); ++slot) {
          places_[static_cast<std::size_t>(levels[level].orbitals[slot])] = {
              static_cast<int>(columns_.size()) - 1, static_cast<int>(level), static_cast<int>(slot)};
        }
      }
    }
  }
  show_frontier();
}

void LevelDiagram::set_chosen(int orbital) {
  chosen_ = orbital;
  if (orbital >= 0 && orbital < static_cast<int>(places_.size()) && bar(orbital).isValid()) {
    const double energy = set_->orbitals[static_cast<std::size_t>(orbital)].energy_hartree;
    const double range = high_ - low_;
    if (energy < low_ || energy > high_) {
      low_ = energy - range / 2;
      high_ = energy + range / 2;
    }
    setAccessibleDescription(describe(orbital));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
  }
  update();
}

void LevelDiagram::set_members(std::vector<int> members) {
  if (members == members_) return;
  members_ = std::move(members);
  update();
}

bool LevelDiagram::is_marked(int orbital) const {
  return orbital == chosen_ || std::ranges::find(members_, orbital) != members_.end();
}

/// From about half a hartree below the HOMO to a third above the LUMO, more where the gap is large.
void LevelDiagram::show_frontier() {
  double homo = -std::numeric_limits<double>::infinity(), lumo = std::numeric_limits<double>::infinity();
  double lowest = lumo, highest = homo;
  for (const auto& column : columns_) {
    for (const auto& level : column.levels) {
      lowest = std::min(lowest, level.energy_hartree);
      highest = std::max(highest, level.energy_hartree);
      for (const int each : level.orbitals) {
        const auto& label = frontier_labels_[static_cast<std::size_t>(each)];
        if (label == "HOMO") homo = std::max(homo, level.energy_hartree);
        if (label == "LUMO") lumo = std::min(lumo, level.energy_hartree);
      }
    }
  }
  if (!std::isfinite(lowest)) {
    low_ = -1, high_ = 1;
  } else {
    if (!std::isfinite(homo)) homo = std::isfinite(lumo) ? lumo : lowest;
    if (!std::isfinite(lumo)) lumo = homo;
    const double gap = std::max(0.0, lumo - homo);
    low_ = std::max(homo - std::max(0.45, 0.8 * gap), lowest - 0.1);
    high_ = std::min(lumo + std::max(0.25, 0.5 * gap), highest + 0.1);
    if (high_ - low_ < 0.2) low_ -= 0.1, high_ += 0.1;
  }
  update();
}

void LevelDiagram::zoom(double factor, double fixed_energy) {
  const double range = (high_ - low_) / factor;
  if (range < narrowest_range_hartree || range > widest_range_hartree) return;
  low_ = fixed_energy - (fixed_energy - low_) / factor;
  high_ = low_ + range;
  update();
}

QRectF LevelDiagram::plot() const {
  const double side = fontMetrics().horizontalAdvance(QStringLiteral("−00.00")) + 12;
  const double line = fontMetrics().height();
  return QRectF(rect()).adjusted(side, line + 8 + (columns_.size() > 1 ? line : 0), -side, -8);
}

/// Where the bars of a column stand; beside them is room for the labels: left of the alpha ones, else right.
QRectF LevelDiagram::column_area(int column) const {
  const QRectF area = plot();
  const double width = area.width() / std::max<double>(1, static_cast<double>(columns_.size()));
  // In a narrow diagram the bars shrink before the short labels would be cut.
  const auto label_width = [this](const QString& text) {
    return fontMetrics().horizontalAdvance(text) + 12.0;
  };
  const double shortest = std::min(width * 0.7, 1.15 * label_width(QStringLiteral("HOMO")));
  const double labels =
      std::max(shortest, std::min(width * 0.45, label_width(QStringLiteral("HOMO−1 (20)"))));
  const bool left = labels_left(column);
  return {area.left() + column * width + (left ? labels : 0), area.top(), width - labels, area.height()};
}

double LevelDiagram::to_y(double energy_hartree) const {
  const QRectF area = plot();
  return area.bottom() - (energy_hartree - low_) / (high_ - low_) * area.height();
}

double LevelDiagram::to_energy(double y) const {
  const QRectF area = plot();
  return low_ + (area.bottom() - y) / std::max(1.0, area.height()) * (high_ - low_);
}

QRectF LevelDiagram::bar(int orbital) const {
  if (orbital < 0 || orbital >= static_cast<int>(places_.size())) return {};
  const Place& place = places_[static_cast<std::size_t>(orbital)];
  if (place.column < 0) return {};
  const auto& level =
      columns_[static_cast<std::size_t>(place.column)].levels[static_cast<std::size_t>(place.level)];
  const QRectF area = column_area(place.column);
  const double count = static_cast<double>(level.orbitals.size());
  const double pitch = std::min(widest_bar + gap_between_bars, area.width() * 0.95 / count);
  const double left = area.center().x() - count * pitch / 2 + place.slot * pitch;
  const double gap = std::min(gap_between_bars, pitch / 3);
  return {left + gap / 2, to_y(level.energy_hartree) - bar_height / 2, pitch - gap, bar_height};
}

int LevelDiagram::orbital_at(const QPointF& place) const {
  constexpr double reach = 7;
  int best = -1;
  double best_distance = reach;
  const double low = to_energy(place.y() + reach), high = to_energy(place.y() - reach);
  for (const auto& column : columns_) {
    auto level =
        std::lower_bound(column.levels.begin(), column.levels.end(), low,
                         [](const Level& each, double energy) { return each.energy_hartree < energy; });
    for (; level != column.levels.end() && level->energy_hartree <= high; ++level) {
      for (const int each : level->orbitals) {
        const QRectF box = bar(each);
        const double dx = std::max({box.left() - place.x(), place.x() - box.right(), 0.0});
        const double distance = std::hypot(dx, box.center().y() - place.y());
        if (distance < best_distance) best_distance = distance, best = each;
      }
    }
  }
  return best;
}

QString LevelDiagram::describe(int orbital) const {
  const auto index = static_cast<std::size_t>(orbital);
  const auto& each = set_->orbitals[index];
  QString text = tr("Orbital %1").arg(numbers_[index]);
  if (columns_.size() > 1) text += each.spin == molecules::Spin::alpha ? tr(" α") : tr(" β");
  if (!frontier_labels_[index].empty())
    text += QStringLiteral(" (%1)").arg(QString::fromStdString(frontier_labels_[index]));
  if (!each.symmetry.empty()) text += QStringLiteral(", ") + QString::fromStdString(each.symmetry);
  text += QStringLiteral("\n%1 Eh = %2 eV\n")
              .arg(signed_text(each.energy_hartree, 5),
                   signed_text(each.energy_hartree * units::ev_per_hartree, 3));
  return set_->occupations_known ? text + tr("occupation %1").arg(each.occupation, 0, 'g', 5)
                                 : text.trimmed();
}

void LevelDiagram::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const bool any =
      std::any_of(columns_.begin(), columns_.end(), [](const Column& each) { return !each.levels.empty(); });
  if (!any) {
    painter.setPen(faint(palette()));
    painter.drawText(rect().adjusted(8, 8, -8, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     set_ == nullptr ? tr("No orbitals") : tr("These orbitals have no energies."));
    return;
  }
  draw_axes(painter);
  for (int column = 0; column < static_cast<int>(columns_.size()); ++column) draw_column(painter, column);
  painter.setClipping(false);
  if (hasFocus()) {
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
  }
}

void LevelDiagram::draw_axes(QPainter& painter) const {
  const QRectF area = plot();
  const double line = fontMetrics().height();
  const int ticks = std::max(2, static_cast<int>(area.height() / (2.5 * line)));
  QColor grid = palette().color(QPalette::Text);
  grid.setAlphaF(0.10F);
  const auto draw_axis = [&](double per_hartree, double x, double direction, bool with_grid) {
    const double step = nice_step((high_ - low_) * per_hartree, ticks);
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 6);
    for (double tick = std::ceil(low_ * per_hartree / step); tick * step <= high_ * per_hartree; ++tick) {
      const double value = tick * step;
      const double y = to_y(value / per_hartree);
      if (with_grid) {
        painter.setPen(grid);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
      }
      painter.setPen(faint(palette()));
      painter.drawLine(QPointF(x, y), QPointF(x + direction * 4, y));
      const QRectF box = direction < 0 ? QRectF(0, y - line / 2, x - 6, line)
                                       : QRectF(x + 6, y - line / 2, width() - x - 6, line);
      const QString text = signed_text(std::abs(value) < step / 2 ? 0 : value, decimals);
      painter.drawText(box, (direction < 0 ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, text);
    }
    painter.setPen(faint(palette()));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
  };
  draw_axis(1, area.left(), -1, true);
  draw_axis(units::ev_per_hartree, area.right(), 1, false);
  painter.setPen(palette().color(QPalette::Text));
  painter.drawText(QRectF(0, 4, area.left() - 6, line), Qt::AlignRight, QStringLiteral("Eh"));
  painter.drawText(QRectF(area.right() + 6, 4, width() - area.right() - 6, line), Qt::AlignLeft,
                   QStringLiteral("eV"));
  if (columns_.size() > 1) {
    for (int column = 0; column < static_cast<int>(columns_.size()); ++column) {
      const QRectF box = column_area(column);
      painter.drawText(
          QRectF(box.left(), 4, box.width(), line), Qt::AlignCenter,
          columns_[static_cast<std::size_t>(column)].spin == molecules::Spin::alpha ? tr("α") : tr("β"));
    }
  }
}

void LevelDiagram::draw_column(QPainter& painter, int column) const {
  painter.setClipRect(plot().adjusted(0, -bar_height, 0, bar_height));
  draw_labels(painter, column);
  for (const auto& level : columns_[static_cast<std::size_t>(column)].levels) {
    if (level.energy_hartree < low_ || level.energy_hartree > high_) continue;
    for (const int each : level.orbitals) draw_bar(painter, each, bar(each));
  }
}

void LevelDiagram::draw_bar(QPainter& painter, int orbital, const QRectF& box) const {
  const auto& each = set_->orbitals[static_cast<std::size_t>(orbital)];
  const bool chosen = is_marked(orbital);
  // A highlight is made to lie behind text; a link to be read on the background.
  const QColor colour = palette().color(chosen ? QPalette::Link : QPalette::Text);
  const bool occupied = each.occupation > least_occupation;
  if (chosen) {
    QColor halo = colour;
    halo.setAlphaF(0.4F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(halo);
    painter.drawRoundedRect(box.adjusted(-4, -5, 4, 5), 4, 4);
  }
  // A rim in the other colour keeps bars apart that nearly cover each other.
  const QColor base = palette().color(QPalette::Base);
  painter.setPen(QPen(occupied ? base : colour, chosen && !occupied ? 2 : 1));
  painter.setBrush(occupied ? colour : base);
  painter.drawRoundedRect(box, 1.5, 1.5);

  // Electrons as arrows, where the neighbouring levels leave them space.
  const Place& place = places_[static_cast<std::size_t>(orbital)];
  const auto& levels = columns_[static_cast<std::size_t>(place.column)].levels;
  const auto level = static_cast<std::size_t>(place.level);
  const double length = 17;
  const double above =
      level + 1 < levels.size() ? box.center().y() - to_y(levels[level + 1].energy_hartree) : 1e9;
  const double below = level > 0 ? to_y(levels[level - 1].energy_hartree) - box.center().y() : 1e9;
  if (!occupied || box.width() < 14 || std::min(above, below) < length) return;
  painter.setPen(QPen(colour, 1.4, Qt::SolidLine, Qt::RoundCap));
  const QPointF centre = box.center();
  if (columns_.size() > 1) {
    draw_arrow(painter, centre, length, each.spin == molecules::Spin::alpha);
  } else if (each.occupation > 1.5) {
    draw_arrow(painter, centre - QPointF(4, 0), length, true);
    draw_arrow(painter, centre + QPointF(4, 0), length, false);
  } else if (each.occupation > 0.5 && set_->open_shells == molecules::OpenShells::high_spin) {
    draw_arrow(painter, centre, length, true);
  }
}

/// HOMO and LUMO and the chosen one, beside their bars; moved apart where they would overlap.
void LevelDiagram::draw_labels(QPainter& painter, int column) const {
  const double line = fontMetrics().height();
  struct Label {
    double y;
    QString text;
    double x;
    bool chosen;
  };
  std::vector<Label> labels;
  const bool left = labels_left(column);
  for (const auto& level : columns_[static_cast<std::size_t>(column)].levels) {
    if (level.energy_hartree < low_ || level.energy_hartree > high_) continue;
    QString text;
    bool chosen = false;
    for (const int each : level.orbitals) {
      const QString label = QString::fromStdString(frontier_labels_[static_cast<std::size_t>(each)]);
      const bool frontier = label == QLatin1String("HOMO") || label == QLatin1String("LUMO");
      if (is_marked(each) || (frontier && text.isEmpty())) {
        text = QStringLiteral("%1 (%2)").arg(label).arg(numbers_[static_cast<std::size_t>(each)]);
      }
      chosen = chosen || is_marked(each);
    }
    if (text.isEmpty()) continue;
    const QRectF end = bar(left ? level.orbitals.front() : level.orbitals.back());
    const double room = left ? end.left() - plot().left() : plot().right() - end.right();
    QFont label_font = font();
    label_font.setBold(chosen);
    const QFontMetricsF metrics(label_font);
    if (metrics.horizontalAdvance(text) + 10 > room) text = text.section(QLatin1Char(' '), 0, 0);
    if (metrics.horizontalAdvance(text) + 8 > room) continue;
    labels.push_back({end.center().y(), text, left ? end.left() - 8 : end.right() + 8, chosen});
  }
  for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::min(labels[i].y, labels[i - 1].y - line);
  for (const auto& each : labels) {
    QFont label_font = font();
    label_font.setBold(each.chosen);
    painter.setFont(label_font);
    painter.setPen(palette().color(QPalette::Text));
    const double width = 1.2 * fontMetrics().horizontalAdvance(each.text);
    const QRectF box(left ? each.x - width : each.x, each.y - line / 2, width, line);
    const auto alignment = (left ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
    painter.fillRect(painter.boundingRect(box, alignment, each.text), palette().color(QPalette::Base));
    painter.drawText(box, alignment, each.text);
  }
  painter.setFont(font());
}

void LevelDiagram::wheelEvent(QWheelEvent* event) {
  zoom(std::pow(1.2, event->angleDelta().y() / 120.0), to_energy(event->position().y()));
  event->accept();
}

void LevelDiagram::mousePressEvent(QMouseEvent* event) {
  pressed_ = event->position();
  pressed_low_ = low_;
  pressed_high_ = high_;
  panning_ = false;
}

void LevelDiagram::mouseMoveEvent(QMouseEvent* event) {
  if (!(event->buttons() & Qt::LeftButton)) {
    setCursor(orbital_at(event->position()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    return;
  }
  const double dy = event->position().y() - pressed_.y();
  if (std::abs(dy) > 4) panning_ = true;
  if (!panning_) return;
  const double shift = dy / std::max(1.0, plot().height()) * (pressed_high_ - pressed_low_);
  low_ = pressed_low_ + shift;
  high_ = pressed_high_ + shift;
  update();
}

void LevelDiagram::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || panning_) return;
  const int orbital = orbital_at(event->position());
  if (orbital >= 0) Q_EMIT orbital_chosen(orbital);
}

void LevelDiagram::mouseDoubleClickEvent(QMouseEvent* event) {
  if (orbital_at(event->position()) < 0) show_frontier();
}

void LevelDiagram::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return step(1, 0);
    case Qt::Key_Down:
      return step(-1, 0);
    case Qt::Key_Right:
      return step(0, 1);
    case Qt::Key_Left:
      return step(0, -1);
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      return zoom(1.2, (low_ + high_) / 2);
    case Qt::Key_Minus:
      return zoom(1 / 1.2, (low_ + high_) / 2);
    case Qt::Key_0:
      return show_frontier();
    default:
      QWidget::keyPressEvent(event);
  }
}

/// To the next level of the same spin, or along the degenerate ones of a level.
void LevelDiagram::step(int levels, int slots) {
  if (chosen_ < 0 || !bar(chosen_).isValid()) return;
  const Place place = places_[static_cast<std::size_t>(chosen_)];
  const auto& column = columns_[static_cast<std::size_t>(place.column)].levels;
  const int level = place.level + levels;
  if (level < 0 || level >= static_cast<int>(column.size())) return;
  const auto& orbitals = column[static_cast<std::size_t>(level)].orbitals;
  const int slot =
      levels != 0 ? std::min(place.slot, static_cast<int>(orbitals.size()) - 1) : place.slot + slots;
  if (slot < 0 || slot >= static_cast<int>(orbitals.size())) return;
  Q_EMIT orbital_chosen(orbitals[static_cast<std::size_t>(slot)]);
}

bool LevelDiagram::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const int orbital = orbital_at(help->pos());
    if (orbital >= 0) {
      QToolTip::showText(help->globalPos(), describe(orbital), this);
    } else {
      QToolTip::hideText();
    }
    return true;
  }
  return QWidget::event(event);
}

}  // namespace isolume::labs::orbitals

#include "moc_level_diagram.cpp"
