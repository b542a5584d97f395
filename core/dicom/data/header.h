#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"

namespace isolume::dicom {

/// One line of a DICOM header.
struct HeaderEntry {
  std::string tag;    ///< "(0010,0010)"
  std::string vr;     ///< "PN"
  std::string name;   ///< "Patient's Name"; "Private" for private tags
  std::string value;  ///< UTF-8, shortened; binary data as "1024 bytes"
  int depth = 0;      ///< within sequences
  bool identifying =
      false;  ///< identifies or may identify the patient (DICOM PS3.15, Table E.1-1, Basic Profile)
};
/// Throws InputError if the file is not DICOM.
std::vector<HeaderEntry> read_header(const std::filesystem::path& file);

/// Writes copies of the files without identifying data, according to the Basic Application Level Confidentiality
/// Profile of DICOM PS3.15: identifying tags emptied or removed, private tags removed, UIDs replaced consistently
/// within the call, dates emptied; PatientIdentityRemoved and the method's code set. Pixels are unchanged: burnt-in
/// names remain, and if the header declares them (BurnedInAnnotation YES) a remark is returned. Written into `folder`
/// (created if missing) as 000001.dcm ...; a cancelled call leaves nothing.
Remarks write_anonymised(const std::vector<std::filesystem::path>& files, const std::filesystem::path& folder,
                         const jobs::Progress& progress = {});

}  // namespace isolume::dicom
