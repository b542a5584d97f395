#include "app/fields/chart_svg.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

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

/// Ticks with their numbers; a chart's logarithms are told as what they are of.
std::string axes(const Chart::Data& data, const ChartScale& at) {
  std::string rules, texts;
  constexpr int most_x = 8, most_y = 6;
  for (const double tick : round_ticks(at.x_low, at.x_high, most_x)) {
    rules += line(at.x(tick), at.area.top(), at.x(tick), at.area.bottom());
    texts += text_at(at.x(tick), at.area.bottom() + 1.4 * letter_mm, "middle",
                     number_text(data.x_logarithmic ? std::pow(10, tick) : tick));
  }
  for (const double tick : round_ticks(at.y_low, at.y_high, most_y)) {
    const double value = at.ground > 0 ? std::pow(10, tick) : tick;
    rules += line(at.area.left(), at.y(value), at.area.right(), at.y(value));
    texts += text_at(at.area.left() - 1.5, at.y(value) + 0.35 * letter_mm, "end", number_text(value));
  }
  texts += text_at(1, 1.2 * letter_mm, "start", named_with_unit(data.y_name, data.y_unit));
  texts += text_at(width_mm - 1, height_mm - 1, "end", named_with_unit(data.x_name, data.x_unit));
  return fmt::format("<g stroke=\"#bbbbbb\" stroke-width=\"0.2\">\n{}</g>\n<g>\n{}</g>\n", rules, texts);
}

/// Broken where a value is none.
std::string curve(const Chart::Data& data, const ChartScale& at) {
  std::string path;
  bool joined = false;
  for (std::size_t i = 0; i < data.values.size(); ++i) {
    const double x = chart_x(data, i), value = data.values[i];
    const bool drawn = std::isfinite(value) && x >= at.x_low && x <= at.x_high;
    if (drawn) path += fmt::format("{}{:.2f},{:.2f}", joined ? " L" : " M", at.x(x), at.y(value));
    joined = drawn;
  }
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"0.5\"/>\n", path);
}

}  // namespace

void write_svg(const Chart& chart, const std::filesystem::path& path) {
  constexpr double left = 24, top = 7, right = 4, bottom = 11;
  const Chart::Data& data = chart.data();
  const ChartScale at = chart_scale(data, chart.shown_range(),
                                    QRectF(left, top, width_mm - left - right, height_mm - top - bottom));
  AtomicFile file(path);
  file.stream() << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}mm\" height=\"{1}mm\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"{2}\">\n{3}{4}</svg>\n",
      width_mm, height_mm, letter_mm, axes(data, at), curve(data, at));
  file.commit();
}

}  // namespace isolume::fields
