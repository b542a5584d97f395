#include "app/workbench/devices/timeline_export.h"

#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/workbench/contract/translated.h"
#include "core/base/atomic_file.h"
#include "core/base/csv.h"
#include "core/base/suffix.h"

namespace isolume::workbench {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

void write_csv(const dispatch::Report& report, const Names& names, std::ostream& out) {
  out << "tile,device,worker,begin_ms,end_ms,failed\r\n";
  for (const auto& span : report.timeline) {
    out << fmt::format("{},{},{},{:.6f},{:.6f},{}\r\n", span.tile,
                       quoted_csv_cell(names.at(static_cast<std::size_t>(span.device))), span.worker + 1,
                       1e3 * span.begin, 1e3 * span.end, span.failed ? 1 : 0);
  }
}

void write_trace(const dispatch::Report& report, const Names& names, std::ostream& out) {
  Json events = Json::array();
  for (std::size_t device = 0; device < names.size(); ++device) {
    events.push_back(
        {{"name", "process_name"}, {"ph", "M"}, {"pid", device}, {"args", {{"name", names[device]}}}});
  }
  for (const auto& span : report.timeline) {
    events.push_back({{"name", fmt::format("tile {}", span.tile)},
                      {"cat", span.failed ? "failed" : "tile"},
                      {"ph", "X"},
                      {"ts", 1e6 * span.begin},
                      {"dur", 1e6 * (span.end - span.begin)},
                      {"pid", span.device},
                      {"tid", span.worker + 1},
                      {"args", {{"tile", span.tile}, {"failed", span.failed}}}});
  }
  const Json trace{{"traceEvents", std::move(events)},
                   {"displayTimeUnit", "ms"},
                   {"otherData", {{"job", report.job}, {"how", report.how()}}}};
  out << trace.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void write_timeline(const dispatch::Report& report, const Names& names, const std::filesystem::path& path) {
  const std::string suffix = suffix_of(path);
  if (suffix != ".csv" && suffix != ".json") {
    throw Error(said(QObject::tr("%1: a timeline is written as .csv or as .json (a trace), not as %2."),
                     path.string(),
                     suffix.empty() ? said(QObject::tr("a file without suffix")) : isolume::quoted(suffix)));
  }
  AtomicFile file(path);
  (suffix == ".csv" ? write_csv : write_trace)(report, names, file.stream());
  file.commit();
}

}  // namespace isolume::workbench
