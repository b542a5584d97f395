// The numbers from which uptake values are made.
#include <gtest/gtest.h>

#include "core/dicom/contours/dcmtk.h"
#include "core/dicom/frames/uptake_scale.h"

namespace isolume::dicom {
namespace {

DcmDataset pet(const char* weight_kg) {
  prepare_dcmtk();
  DcmDataset data;
  data.putAndInsertString(DCM_Units, "BQML");
  data.putAndInsertString(DCM_CorrectedImage, "ATTN\\DECAY");
  data.putAndInsertString(DCM_DecayCorrection, "ADMIN");
  data.putAndInsertString(DCM_PatientWeight, weight_kg);
  DcmItem* tracer = nullptr;
  data.findOrCreateSequenceItem(DCM_RadiopharmaceuticalInformationSequence, tracer);
  tracer->putAndInsertString(DCM_RadionuclideTotalDose, "352500000");
  return data;
}

// SUV is activity per ml times weight in g per injected activity.
TEST(UptakeScale, TellsOfDecimalCommas) {
  DcmDataset data = pet("70,5");
  Remarks remarks;
  EXPECT_NEAR(dicom::uptake_scale(data, remarks).per_value, 70500 / 352.5e6, 1e-15);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].kind, RemarkKind::corrected);
  EXPECT_NE(remarks[0].text.find("PatientWeight (0010,1030) is written with a decimal comma"),
            std::string::npos)
      << remarks[0].text;
}

TEST(UptakeScale, TellsOfWhatIsNoNumber) {
  DcmDataset data = pet("7O");
  Remarks remarks;
  EXPECT_EQ(dicom::uptake_scale(data, remarks).per_value, 0);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_NE(remarks[0].text.find("which is not a number"), std::string::npos) << remarks[0].text;
}

}  // namespace
}  // namespace isolume::dicom
