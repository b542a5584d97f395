#include "core/dicom/frames/uptake_scale.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/dicom/data/dicom_file.h"
#include "core/dicom/data/private_values.h"

namespace isolume::dicom {
namespace {

constexpr double seconds_a_day = 24 * 3600;

/// Nothing if it is missing, or not a number, which is remarked as a decimal comma is.
std::optional<double> first_of(const ReadNumbers& read, const std::string& name, const std::string& text,
                               Remarks& remarks) {
  if (read.is_unreadable) {
    remarks.dropped(
        fmt::format("{} is {}, which is not a number: it is not used.", name, isolume::quoted(text, 64)));
  }
  if (read.has_commas) {
    remarks.corrected(
        fmt::format("{} is written with a decimal comma, which is read as a decimal point.", name));
  }
  return read.numbers.empty() ? std::nullopt : std::optional(read.numbers.front());
}

std::optional<double> number_in(DcmItem& item, const DcmTagKey& tag, Remarks& remarks) {
  return first_of(read_numbers(item, tag),
                  fmt::format("{} {}", DcmTag(tag).getTagName(), tag.toString().c_str()), text_of(item, tag),
                  remarks);
}

/// Seconds since midnight (PS3.5, 6.2: TM, also with the colons of ACR-NEMA).
std::optional<double> seconds_of(std::string_view time) {
  OFTime read;
  if (time.size() < 6 ||
      DcmTime::getOFTimeFromString(OFString(time.data(), time.size()), read, OFTrue).bad() || !read.isValid())
    return std::nullopt;
  return read.getTimeInSeconds(OFFalse, OFFalse);
}

/// Seconds since 1970, in the time zone of date and time.
std::optional<double> seconds_of(std::string_view date, std::string_view time) {
  OFDate read;
  const auto seconds = seconds_of(time);
  if (!seconds || DcmDate::getOFDateFromString(OFString(date.data(), date.size()), read, OFTrue).bad())
    return std::nullopt;
  const std::chrono::year_month_day day{std::chrono::year(static_cast<int>(read.getYear())),
                                        std::chrono::month(read.getMonth()), std::chrono::day(read.getDay())};
  if (!day.ok()) return std::nullopt;
  return seconds_a_day * static_cast<double>(std::chrono::sys_days(day).time_since_epoch().count()) +
         *seconds;
}

std::optional<double> seconds_at(DcmItem& dataset, const DcmTagKey& date, const DcmTagKey& time) {
  return seconds_of(text_of(dataset, date), text_of(dataset, time));
}

/// "+0130"
std::optional<double> seconds_of_zone(std::string_view zone) {
  if (zone.size() != 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  const auto hours = parse_number<unsigned>(zone.substr(1, 2)),
             minutes = parse_number<unsigned>(zone.substr(3, 2));
  if (!hours || !minutes) return std::nullopt;
  return (zone[0] == '-' ? -1.0 : 1.0) * (*hours * 3600.0 + *minutes * 60.0);
}

/// A combined date and time (DT), in the time zone of the data set's other times.
std::optional<double> seconds_of_moment(std::string_view text, DcmItem& dataset, Remarks& remarks) {
  constexpr std::size_t of_date = 8, of_whole_seconds = 14;
  if (text.size() < of_whole_seconds) return std::nullopt;
  const std::size_t end = std::min(text.find_first_of("+-", of_date), text.size());
  auto seconds = seconds_of(text.substr(0, of_date), text.substr(of_date, end - of_date));
  if (!seconds || end == text.size()) return seconds;
  const auto zone = seconds_of_zone(text.substr(end));
  const auto others = seconds_of_zone(text_of(dataset, DCM_TimezoneOffsetFromUTC));
  if (zone && others) {
    *seconds += *others - *zone;
  } else {
    remarks.assumed(
        fmt::format("The file does not say in which time zone the scan was made: that of {} is assumed.",
                    isolume::quoted(text, 64)));
  }
  return seconds;
}

/// Reason why there are no uptake values, as a sentence.
images::UptakeScale without(std::string sentence) {
  return {.per_value = 0, .missing = std::move(sentence)};
}
images::UptakeScale not_told(std::string_view what, std::string_view attribute) {
  return without(fmt::format("The file does not give {} ({}).", what, attribute));
}

/// Reference time of values that are decay-corrected to the start of the scan. Series Time, unless a later program
/// has replaced it.
std::optional<double> start_of_scan(DcmItem& dataset, double half_life_s, Remarks& remarks) {
  const auto series = seconds_at(dataset, DCM_SeriesDate, DCM_SeriesTime);
  const auto acquisition = seconds_at(dataset, DCM_AcquisitionDate, DCM_AcquisitionTime);
  if (series && acquisition && *series <= *acquisition) return series;
  if (const std::string ge = private_text(dataset, 0x0009, "GEMS_PETD_01", 0x0d); !ge.empty())
    return seconds_of_moment(ge, dataset, remarks);
  // Frame Reference Time is the time from the start of the scan at which the frame's activity equals its mean.
  const double reference_s = number_in(dataset, DCM_FrameReferenceTime, remarks).value_or(0) / 1000;
  const double duration_s = number_in(dataset, DCM_ActualFrameDuration, remarks).value_or(0) / 1000;
  if (!acquisition || reference_s <= 0 || duration_s <= 0) return std::nullopt;
  const double decay_constant = std::log(2.0) / half_life_s;
  const double decay = decay_constant * duration_s;
  const double mean_s = std::log(decay / -std::expm1(-decay)) / decay_constant;
  return *acquisition - reference_s + mean_s;
}

/// Time from injection to scan; nothing, with the reason, if the file does not state it.
std::optional<double> decay_time_s(DcmItem& dataset, DcmItem& tracer, double half_life_s, Remarks& remarks,
                                   images::UptakeScale& failed) {
  const auto scan = start_of_scan(dataset, half_life_s, remarks);
  if (!scan) {
    failed = without(
        "The file does not state when the scan started: Series Time and Acquisition Time are missing, or "
        "Series Time is the later one, and there is no Frame Reference Time with Actual Frame Duration.");
    return std::nullopt;
  }
  if (const std::string moment = text_of(tracer, DCM_RadiopharmaceuticalStartDateTime); !moment.empty()) {
    const auto injection = seconds_of_moment(moment, dataset, remarks);
    if (injection && *injection <= *scan) return *scan - *injection;
    failed = without(
        fmt::format("The injection (Radiopharmaceutical Start DateTime, {}) is not a date and time, or lies "
                    "after the start of the scan.",
                    isolume::quoted(moment, 64)));
    return std::nullopt;
  }
  const auto injection = seconds_of(text_of(tracer, DCM_RadiopharmaceuticalStartTime));
  if (!injection) {
    failed = not_told("the time of the injection",
                      "Radiopharmaceutical Start DateTime or Radiopharmaceutical Start Time");
    return std::nullopt;
  }
  // Only a time of day: on the day of the scan, or the day before if it would be after the scan.
  const double scan_time = *scan - seconds_a_day * std::floor(*scan / seconds_a_day);
  if (*injection <= scan_time) return scan_time - *injection;
  remarks.assumed(
      "The time of the injection is later in the day than the start of the scan: for SUV, the tracer is "
      "taken to be injected the day before.");
  return scan_time - *injection + seconds_a_day;
}

/// Values that are activities.
images::UptakeScale of_activity(DcmItem& dataset, const std::string& correction, double becquerel_per_ml,
                                Remarks& remarks) {
  const double weight_kg = number_in(dataset, DCM_PatientWeight, remarks).value_or(0);
  if (weight_kg <= 0) return not_told("the patient's weight", "Patient's Weight");
  DcmItem* tracer = item_of(dataset, DCM_RadiopharmaceuticalInformationSequence);
  if (tracer == nullptr) return not_told("the tracer", "Radiopharmaceutical Information Sequence");
  if (item_of(dataset, DCM_RadiopharmaceuticalInformationSequence, 1) != nullptr)
    return without("The file lists several tracers (Radiopharmaceutical Information Sequence).");
  const double dose_bq = number_in(*tracer, DCM_RadionuclideTotalDose, remarks).value_or(0);
  if (dose_bq <= 0) return not_told("the injected activity", "Radionuclide Total Dose");
  constexpr double least_plausible_bq = 1e5;
  if (dose_bq < least_plausible_bq) {
    return without(
        fmt::format("The injected activity (Radionuclide Total Dose) is {:g} Bq, too little for a "
                    "scan; it may be written in MBq against the standard.",
                    dose_bq));
  }
  double activity_bq = dose_bq;
  if (correction == "START") {
    const double half_life_s = number_in(*tracer, DCM_RadionuclideHalfLife, remarks).value_or(0);
    if (half_life_s <= 0) return not_told("the tracer's half-life", "Radionuclide Half Life");
    images::UptakeScale failed;
    const auto decayed_s = decay_time_s(dataset, *tracer, half_life_s, remarks, failed);
    if (!decayed_s) return failed;
    constexpr double most_half_lives = 15;  // nothing is left to be seen then
    if (*decayed_s > most_half_lives * half_life_s) {
      return without(fmt::format(
          "By the file, the scan starts {:.0f} half-lives after the injection (Radionuclide Half Life is "
          "{:g} s); it may be written in minutes against the standard.",
          *decayed_s / half_life_s, half_life_s));
    }
    activity_bq *= std::exp2(-*decayed_s / half_life_s);
  }
  constexpr double g_per_kg = 1000;
  const double per_value = becquerel_per_ml * weight_kg * g_per_kg / activity_bq;
  if (std::isfinite(per_value) && per_value > 0) return {.per_value = per_value, .missing = {}};
  return without(
      "The injected activity has decayed to nothing by the start of the scan, by the file's times.");
}

/// Values stored as uptake already.
images::UptakeScale of_given_uptake(DcmItem& dataset) {
  const std::string type = text_of(dataset, DCM_SUVType);
  if (type.empty() || type == "BW") return {.per_value = 1, .missing = {}};  // PS3.3 C.8.9.1: BW where absent
  return without(fmt::format(
      "The values are uptake values of another kind (SUV Type {}), and are shown as the file gives them.",
      isolume::quoted(type, 16)));
}

images::UptakeScale by_weight(DcmItem& dataset, Remarks& remarks) {
  const std::string units = text_of(dataset, DCM_Units);
  if (units == "GML") return of_given_uptake(dataset);
  if (units.empty()) return not_told("the unit of its values", "Units");
  if (units != "BQML" && units != "CNTS")
    return without(
        fmt::format("Values in units of {} cannot be converted (Units).", isolume::quoted(units, 16)));
  const std::string corrected = text_of(dataset, DCM_CorrectedImage);
  const auto parts = values_of(corrected);
  // DECY is DICOM's term (PS3.3 C.8.9.1); some files have the word.
  const auto has = [&](std::string_view code) { return std::ranges::find(parts, code) != parts.end(); };
  const char* missing = !has("ATTN") ? "attenuation" : !has("DECY") && !has("DECAY") ? "decay" : nullptr;
  if (missing != nullptr) {
    return without(fmt::format("The image is not corrected for {} (Corrected Image is {}).", missing,
                               isolume::quoted(corrected, 64)));
  }
  const std::string correction = text_of(dataset, DCM_DecayCorrection);
  if (correction != "START" && correction != "ADMIN") {
    return without(
        fmt::format("The values are corrected for decay neither to the start of the scan nor to the "
                    "injection (Decay Correction is {}).",
                    isolume::quoted(correction, 16)));
  }
  if (units == "BQML") return of_activity(dataset, correction, 1, remarks);
  const auto philips = [&](std::uint16_t element) {
    const std::string text = private_text(dataset, 0x7053, "Philips PET Private Group", element);
    const std::string name = fmt::format("Philips' private factor (7053,xx{:02x})", element);
    return first_of(numbers_in(text, true), name, text, remarks).value_or(0);
  };
  if (const double per_count = philips(0x00); per_count > 0) return {.per_value = per_count, .missing = {}};
  if (const double becquerel_per_ml = philips(0x09); becquerel_per_ml > 0)
    return of_activity(dataset, correction, becquerel_per_ml, remarks);
  return without(
      "The values are counts, without the private factors by which Philips scanners convert them.");
}

/// Adds the factors that follow from the patient's height and sex.
void add_relative(images::UptakeScale& scale, DcmItem& dataset, Remarks& remarks) {
  const double weight_kg = number_in(dataset, DCM_PatientWeight, remarks).value_or(0),
               height_m = number_in(dataset, DCM_PatientSize, remarks).value_or(0);
  constexpr double lowest_m = 0.2, highest_m = 3;
  std::string missing;
  if (weight_kg <= 0) missing = not_told("the patient's weight", "Patient's Weight").missing;
  if (height_m <= 0) missing = not_told("the patient's height", "Patient's Size").missing;
  if (height_m > 0 && (height_m < lowest_m || height_m > highest_m)) {
    missing = fmt::format(
        "The patient's height (Patient's Size) is {:g} m; it may be written in cm against the standard.",
        height_m);
  }
  scale.lean.missing = scale.surface.missing = missing;
  if (!missing.empty()) return;
  constexpr double cm_per_m = 100, cm2_per_m2 = 1e4, g_per_kg = 1000;
  const double surface_m2 = 0.007184 * std::pow(weight_kg, 0.425) * std::pow(cm_per_m * height_m, 0.725);
  scale.surface.factor = surface_m2 * cm2_per_m2 / (weight_kg * g_per_kg);
  const double body_mass_index = weight_kg / (height_m * height_m);
  const std::string sex = text_of(dataset, DCM_PatientSex);
  if (sex == "M") {
    scale.lean.factor = 9270 / (6680 + 216 * body_mass_index);
  } else if (sex == "F") {
    scale.lean.factor = 9270 / (8780 + 244 * body_mass_index);
  } else {
    scale.lean.missing = "The file does not say whether the patient is male or female (Patient's Sex).";
  }
}

}  // namespace

images::UptakeScale uptake_scale(DcmItem& dataset, Remarks& remarks) {
  images::UptakeScale scale = by_weight(dataset, remarks);
  if (scale.per_value > 0) add_relative(scale, dataset, remarks);
  return scale;
}

}  // namespace isolume::dicom
