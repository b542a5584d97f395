#include "app/fields/chart_csv.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "app/fields/chart_scale.h"
#include "core/base/atomic_file.h"
#include "core/base/csv.h"

namespace isolume::fields {
namespace {

std::string cell(const QString& name, const QString& unit) {
  return quoted_csv_cell(named_with_unit(name, unit).toStdString());
}

}  // namespace

void write_csv(const Chart& chart, const std::filesystem::path& path) {
  const Chart::Data& data = chart.data();
  const auto curves = curves_of(data);
  AtomicFile file(path);
  auto& out = file.stream();
  out << cell(data.x_name, data.x_unit);
  if (data.others.empty()) out << ',' << cell(data.y_name, data.y_unit);
  for (const QString& name : legend_of(data)) out << ',' << cell(name, data.y_unit);
  out << '\n';
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const double x = chart_x(data, i);
    out << fmt::format("{:.10g}", data.x_logarithmic ? std::pow(10, x) : x);
    for (const auto* values : curves) {
      out << ',';
      if (i < values->size() && std::isfinite((*values)[i])) out << fmt::format("{}", (*values)[i]);
    }
    out << '\n';
  }
  file.commit();
}

}  // namespace isolume::fields
