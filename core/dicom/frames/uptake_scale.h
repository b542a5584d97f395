#pragma once

#include "core/base/remarks.h"
#include "core/images/uptake.h"

class DcmItem;

namespace isolume::dicom {

/// From one file of a PET series (PS3.3 C.8.9.1 and C.8.9.2), by the vendor-neutral pseudo-code of the Quantitative
/// Imaging Biomarkers Alliance (QIBA FDG-PET/CT profile 1.14, appendix G; Kinahan and Fletcher, Semin. Ultrasound CT
/// MR 31, 496, 2010): the injected activity is decayed from its injection to the start of the scan if values are
/// corrected to the latter (Decay Correction START), and used unchanged if they are corrected to the injection
/// (ADMIN). Units of BQML, CNTS with Philips' private factors, and GML are supported. `dataset` has attributes in
/// UTF-8 or ASCII. Assumptions are added to `remarks`; missing data are never assumed.
///
/// Lean body mass is that of Janmahasatian et al., Clin. Pharmacokinet. 44, 1051, 2005 (SUV Type LBMJANMA of PS3.3
/// C.8.9.1): 9270 W / (6680 + 216 BMI) kg for men and 9270 W / (8780 + 244 BMI) kg for women; body surface area that of
/// Du Bois and Du Bois, Arch. Intern. Med. 17, 863, 1916: 0.007184 W^0.425 H^0.725 m², with H in cm.
images::UptakeScale uptake_scale(DcmItem& dataset, Remarks& remarks);

}  // namespace isolume::dicom
