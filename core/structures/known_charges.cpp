// Components: https://www.wwpdb.org/data/ccd. Phosphates lose all protons except the last one of a terminal
// monophosphate (pKa 6.7), which is counted as lost, too; carboxylates and sulphates are deprotonated, aliphatic
// amines protonated.
#include "core/structures/known_charges.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/molecules/line_reader.h"

namespace isolume::structures {
namespace {

struct ChargeGroup {
  double charge;
  std::string_view residues;
};

constexpr std::array<ChargeGroup, 8> charge_groups{{
    {-1,
     "ACT ACY FMT NO3 NO2 SCN CYN AZI BCT OH 2HP PYR LAC BTN GSH BF4 LCP BEF ALF MGF CMP PCG NAD DXC CHD BEZ "
     "SAL"},
    {-2,
     "SEP TPO PTR SO4 SO3 THJ CO3 PI POP MLI MLA SIN OXL TLA TAR FUM MLT AKG OAA OGA MOO WO4 AMP 5GP U5P C5P "
     "TMP D5M DGP DCM UMP FMN FAD FDA PLP NAI TPP TDP G6P F6P R5P 13P G3P G3H UPG GDU HEM HEC HEA HEB THF "
     "THG FOL MTX"},
    {-3, "PO4 PPV FLC CIT ICT ADP GDP CDP UDP TYD DAT DGI NAP PEP 3PG 2PG FPP GPP IPE DMA PQQ"},
    {-4, "DPO ATP GTP CTP UTP TTP DTP DGT DCP DUT ANP GNP ACP GCP AGS GSP APC NDP COA ACO CAA FBP"},
    {0,
     "GOL EDO PEG PGE PG4 PG6 1PE 2PE 12P 15P P6G PE4 PE8 MPD MRD DMS EOH IPA IOH MOH ACN DIO BME DTT DTV "
     "URE SUC TRE OXY CMO NO PEO CO2 SAH TES DMF CLR CHL CLA BCL RET H4B LMT BOG"},
    {1, "NH4 TRS SAM CHT TMA NET TEA F3S"},
    {2, "SF4 FES"},
    {4, "SPM"},
}};

struct ElementCharge {
  std::string_view residues;
  int atomic_number;
  double charge;
};
/// Haem with iron(II); clusters in their resting state: [4Fe-4S]2+, [2Fe-2S]2+, [3Fe-4S]1+, sulphide -2 each.
constexpr std::array<ElementCharge, 6> element_charges{{{"HEM HEC HEA HEB", 26, 2},
                                                        {"SF4", 26, 2.5},
                                                        {"FES F3S", 26, 3},
                                                        {"SF4 FES F3S", 16, -2},
                                                        {"CHL CLA BCL", 12, 2},
                                                        {"MGF", 12, 2}}};

constexpr std::string_view without_hydrogens =
    "NO3 NO2 SCN CYN AZI BF4 LCP BEF ALF MGF SO4 SO3 THJ CO3 OXL MOO WO4 PO4 DPO OXY CMO NO CO2 SF4 FES F3S";

bool is_among(std::string_view list, std::string_view name) {
  std::vector<std::string_view> words;
  molecules::split_words(list, words);
  return std::ranges::find(words, name) != words.end();
}

}  // namespace

std::optional<double> known_charge(std::string_view residue) {
  for (const auto& [charge, residues] : charge_groups)
    if (is_among(residues, residue)) return charge;
  return std::nullopt;
}

std::optional<double> known_charge(std::string_view residue, int atomic_number) {
  for (const auto& [residues, element, charge] : element_charges)
    if (element == atomic_number && is_among(residues, residue)) return charge;
  return std::nullopt;
}

bool can_have_hydrogens(std::string_view residue) {
  return !is_among(without_hydrogens, residue);
}

}  // namespace isolume::structures
