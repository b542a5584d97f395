#include "app/labs/anatomy/registration_panel.h"

#include <QLabel>
#include <QVBoxLayout>
#include <cmath>

#include "app/fields/chart.h"

namespace isolume::labs::anatomy {

using isolume::anatomy::Alignment;
using isolume::anatomy::Metric;
using isolume::anatomy::Placement;

RegistrationPanel::RegistrationPanel(QWidget* masks)
    : linear_(new QLabel), deformation_(new QLabel), chart_(new fields::Chart) {
  linear_->setObjectName("anatomy.linear");
  deformation_->setObjectName("anatomy.numbers");
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(masks);
  for (QLabel* each : {linear_, deformation_}) {
    each->setWordWrap(true);
    layout->addWidget(each);
  }
  layout->addWidget(chart_, 1);
  show_placement(nullptr);
}

void RegistrationPanel::show_placement(const std::shared_ptr<const Placement>& placement) {
  linear_->setText(placement == nullptr ? QObject::tr("No registration yet")
                                        : QString::fromStdString(text_of(*placement)));
  show_alignment(nullptr);
}

void RegistrationPanel::show_alignment(const std::shared_ptr<const Alignment>& alignment) {
  deformation_->setText(alignment == nullptr ? QString() : QString::fromStdString(text_of(*alignment)));
  if (alignment == nullptr || alignment->mismatches.size() < 2)
    return chart_->set_empty(QObject::tr("No deformation yet"));
  fields::Chart::Data curve;
  curve.low = 1;
  curve.high = static_cast<double>(alignment->mismatches.size());
  curve.values = alignment->mismatches;
  curve.x_name = QObject::tr("Iteration");
  curve.y_name = alignment->metric == Metric::squares       ? QObject::tr("Difference")
                 : alignment->metric == Metric::correlation ? QObject::tr("1 \u2212 squared correlation")
                                                            : QObject::tr("\u2212 mutual information");
  if (alignment->surface_distances.size() == alignment->mismatches.size()) {
    // Lengths of currents, as the difference is a root of squares.
    fields::Chart::Curve surfaces{.name = QObject::tr("Surfaces"), .values = {}};
    for (const double each : alignment->surface_distances) surfaces.values.push_back(std::sqrt(each));
    curve.others.push_back(std::move(surfaces));
    curve.name = QObject::tr("Images");
  }
  chart_->set_data(std::move(curve));
}

}  // namespace isolume::labs::anatomy
