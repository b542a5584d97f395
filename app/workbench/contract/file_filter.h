#pragma once

#include <QString>
#include <vector>

#include "core/base/file_format.h"

namespace isolume::workbench {

/// For an open dialog, in the language of the window: "Wavefunctions (*.molden *.fchk);;Trajectories (*.dcd)".
QString filter_of(const std::vector<FileFormats>& formats);

/// The suffix of the filter's first pattern, without its dot: "cube". Empty if it has none.
QString first_suffix(const QString& filter);

}  // namespace isolume::workbench
