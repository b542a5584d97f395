#include "app/fields/chart_svg.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/fields/chart_scale.h"
#include "core/base/atomic_file.h"

namespace isolume::fields {
namespace {

constexpr double width_mm = 160, height_mm = 100;
constexpr double letter_mm = 3.5;

std::string escaped(const QString& text) {
  return text.toHtmlEscaped().toStdString();
}

std::string text_at(double x, double y, const char* anchor, const QString& text) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     escaped(text));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format("<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", x1, y1, x2, y2);
}

/// Ticks with their numbers; logarithmic positions are labelled with the values.
std::string axes(const Chart::Data& data, const ChartScale& at) {
  std::string rules, texts;
  constexpr int most_x = 8, most_y = 6;
  for (const double tick : axis_ticks(at.x_low, at.x_high, most_x, data.x_logarithmic)) {
    rules += line(at.x(tick), at.area.top(), at.x(tick), at.area.bottom());
    texts += text_at(at.x(tick), at.area.bottom() + 1.4 * letter_mm, "middle",
                     number_text(data.x_logarithmic ? std::pow(10, tick) : tick));
  }
  for (const double tick : axis_ticks(at.y_low, at.y_high, most_y, at.ground > 0)) {
    const double value = at.ground > 0 ? std::pow(10, tick) : tick;
    rules += line(at.area.left(), at.y(value), at.area.right(), at.y(value));
    texts += text_at(at.area.left() - 1.5, at.y(value) + 0.35 * letter_mm, "end", number_text(value));
  }
  texts += text_at(1, 1.2 * letter_mm, "start", named_with_unit(data.y_name, data.y_unit));
  texts += text_at(width_mm - 1, 1.2 * letter_mm, "end", data.remark);
  texts += text_at(width_mm - 1, height_mm - 1, "end", named_with_unit(data.x_name, data.x_unit));
  return fmt::format("<g stroke=\"#bbbbbb\" stroke-width=\"0.2\">\n{}</g>\n<g>\n{}</g>\n", rules, texts);
}

/// Style as SVG attributes.
std::string stroke_of(std::size_t number) {
  const CurveStroke& stroke = curve_stroke(number);
  constexpr double width = 0.5;
  std::vector<double> dashes = stroke.dashes;
  for (double& each : dashes) each *= width;
  const std::string broken =
      dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{:g}\"", fmt::join(dashes, " "));
  return fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"{}", stroke.colour, width, broken);
}

/// Interrupted at missing values.
std::string curve(const Chart::Data& data, const ChartScale& at, std::size_t number) {
  const std::vector<double>& values = *curves_of(data)[number];
  std::string path;
  bool joined = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = chart_x(data, i), value = values[i];
    const bool drawn = std::isfinite(value) && x >= at.x_low && x <= at.x_high;
    if (drawn) path += fmt::format("{}{:.2f},{:.2f}", joined ? " L" : " M", at.x(x), at.y(value));
    joined = drawn;
  }
  return fmt::format("<path d=\"{}\" {}/>\n", path, stroke_of(number));
}

/// Same axes as the chart on the screen.
std::string marks(const Chart::Data& data, const ChartScale& at) {
  std::string drawn;
  for (const double mark : data.marks) {
    if (mark >= at.x_low && mark <= at.x_high)
      drawn += line(at.x(mark), at.area.top(), at.x(mark), at.area.bottom());
  }
  if (drawn.empty()) return drawn;
  return fmt::format("<g stroke=\"{}\" stroke-width=\"0.4\" stroke-dasharray=\"1.6 0.8\">\n{}</g>\n",
                     mark_colour, drawn);
}

/// Names of the curves in one row above them, each after a stroke, at even distances, as the widths of
/// letters are unknown.
std::string legend(const QStringList& names, const ChartScale& at) {
  std::string text;
  constexpr double stroke_mm = 8;
  const double each = at.area.width() / static_cast<double>(std::max<qsizetype>(names.size(), 3));
  for (qsizetype i = 0; i < names.size(); ++i) {
    const double x = at.area.left() + each * static_cast<double>(i), y = at.area.top() - letter_mm;
    text += fmt::format("<polyline points=\"{:.2f},{:.2f} {:.2f},{:.2f}\" {}/>\n", x, y, x + stroke_mm, y,
                        stroke_of(static_cast<std::size_t>(i)));
    text += text_at(x + stroke_mm + 1, y + 0.35 * letter_mm, "start", names[i]);
  }
  return text;
}

}  // namespace

void write_svg(const Chart& chart, const std::filesystem::path& path) {
  constexpr double left = 24, right = 8, bottom = 11;
  const Chart::Data& data = chart.data();
  const QStringList names = legend_of(data);
  const double top = names.empty() ? 7 : 13;
  const ChartScale at = chart_scale(data, chart.shown_range(),
                                    QRectF(left, top, width_mm - left - right, height_mm - top - bottom));
  std::string drawn = axes(data, at) + legend(names, at);
  for (std::size_t i = 0; i <= data.others.size(); ++i) drawn += curve(data, at, i);
  drawn += marks(data, at);
  AtomicFile file(path);
  file.stream() << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}mm\" height=\"{1}mm\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"{2}\">\n{3}</svg>\n",
      width_mm, height_mm, letter_mm, drawn);
  file.commit();
}

}  // namespace isolume::fields
