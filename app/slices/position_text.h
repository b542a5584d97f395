#pragma once

#include <QString>

#include <Eigen/Core>

namespace isolume::slices {

/// "L 18.5  A 36.1  H 0.0 mm" of a place in the patient (LPS, mm). The letter of the side replaces the sign, so that the
/// directions of the axes need not be known.
QString position_text(const Eigen::Vector3d& position_mm, int decimals);

}  // namespace isolume::slices
