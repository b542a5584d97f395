#pragma once

#include "core/base/remarks.h"
#include "core/images/document.h"

class DcmItem;

namespace isolume::dicom {

/// Warns if a structure set or segmentation belongs to another patient, study, frame of reference or series than the
/// image that it is put on. Messages contain no names.
void check_belonging(DcmItem& data, const images::Document& image, Remarks& remarks);

}  // namespace isolume::dicom
