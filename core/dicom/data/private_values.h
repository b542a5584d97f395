#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctagkey.h>

#include "core/base/remarks.h"

class DcmItem;

namespace isolume::dicom {

/// The diffusion weighting in s/mm² in private elements of Siemens, GE, Philips and United Imaging; nothing if there
/// is none. One that is not a number is not used, with a remark.
std::optional<double> private_b_value(DcmItem& dataset, Remarks& remarks);

/// The tag of a private element by its group, the creator of its block and its number within the block (PS3.5, 7.8.1).
std::optional<DcmTagKey> private_tag(DcmItem& dataset, std::uint16_t group, std::string_view creator,
                                     std::uint16_t element);

/// A private element by its group, the creator of its block and its number within the block: as text without
/// surrounding spaces, also if its type is not stated (VR UN). Empty if there is none.
std::string private_text(DcmItem& dataset, std::uint16_t group, std::string_view creator,
                         std::uint16_t element);

}  // namespace isolume::dicom
