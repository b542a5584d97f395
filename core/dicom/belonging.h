#pragma once

#include "core/base/remarks.h"
#include "core/images/document.h"

class DcmItem;

namespace isolume::dicom {

/// Warns where a structure set or segmentation is of another patient, study, frame of reference or series than the
/// image that it is put on. Names nobody.
void check_belonging(DcmItem& data, const images::Document& image, Remarks& remarks);

}  // namespace isolume::dicom
