#include "app/fields/field_panel.h"

#include <QLabel>
#include <QVBoxLayout>
#include <cmath>
#include <numeric>

#include "app/fields/chart.h"
#include "core/base/shown_number.h"

namespace isolume::fields {

FieldPanel::FieldPanel(const QString& how_to_choose_a_line, QWidget* parent)
    : QWidget(parent),
      how_to_choose_a_line_(how_to_choose_a_line),
      note_(new QLabel),
      values_(new Chart),
      line_(new Chart) {
  setObjectName(QStringLiteral("field-panel"));
  values_->setObjectName(QStringLiteral("field-panel.values"));
  values_->setAccessibleName(tr("Histogram of the values"));
  line_->setObjectName(QStringLiteral("field-panel.line"));
  line_->setAccessibleName(tr("The field along a line"));
  note_->setObjectName(QStringLiteral("field-panel.note"));
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  auto* column = new QVBoxLayout(this);
  column->addWidget(note_);
  column->addWidget(values_, 1);
  column->addWidget(line_, 1);
  clear();
}

void FieldPanel::set_histogram(const Histogram& histogram, const QString& unit,
                               const std::vector<double>& marks) {
  Chart::Data chart;
  chart.shape = Chart::Shape::bars;
  chart.low = histogram.low;
  chart.high = histogram.high;
  chart.values.assign(histogram.counts.begin(), histogram.counts.end());
  chart.x_logarithmic = histogram.logarithmic;
  chart.ground = 0.5;  // so that a count of 1 is visible
  chart.x_name = tr("Value");
  chart.x_unit = unit;
  chart.y_name = tr("Points");
  const auto counted = std::accumulate(histogram.counts.begin(), histogram.counts.end(), std::size_t{0});
  if (!histogram.logarithmic && histogram.left_out > 0) {
    const auto all = static_cast<double>(counted + histogram.left_out);
    const double percent = 100 * static_cast<double>(histogram.left_out) / all;
    chart.remark = tr("%1 % lie outside").arg(QString::fromStdString(shown_reading(percent, 2)));
  }
  for (const double mark : marks) {
    if (!histogram.logarithmic) chart.marks.push_back(mark);
    if (histogram.logarithmic && mark > 0) chart.marks.push_back(std::log10(mark));
  }
  values_->set_data(std::move(chart));
}

void FieldPanel::set_profile(const Profile& profile, const QString& name, const QString& length_unit,
                             const QString& unit, double ground) {
  Chart::Data chart;
  chart.high = profile.length;
  chart.ground = ground;
  chart.values = profile.values;
  chart.x_name = name;
  chart.x_unit = length_unit;
  chart.y_name = tr("Value");
  chart.y_unit = unit;
  line_->set_data(std::move(chart));
}

void FieldPanel::clear_profile(const QString& why) {
  line_->set_empty(why.isEmpty() ? how_to_choose_a_line_ : why);
}

void FieldPanel::set_note(const QString& note) {
  note_->setText(note);
  note_->setVisible(!note.isEmpty());
}

void FieldPanel::clear() {
  set_note({});
  values_->set_empty(tr("No field is shown."));
  clear_profile();
}

}  // namespace isolume::fields

#include "moc_field_panel.cpp"
