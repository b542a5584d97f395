#include "app/workbench/look/theme.h"

#include <QApplication>
#include <QColor>
#include <QPainter>
#include <QPalette>
#include <QProxyStyle>
#include <QStyle>
#include <QStyleOption>
#include <algorithm>

#include <fmt/format.h>

#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::workbench {
namespace {

constexpr const char* system_dark_property = "isolume_system_is_dark";

bool is_dark(const QPalette& palette) {
  return palette.color(QPalette::WindowText).lightness() > palette.color(QPalette::Window).lightness();
}

/// The desktop's own choice: the palette before the first theme was applied.
bool system_is_dark() {
  QVariant known = qApp->property(system_dark_property);
  if (!known.isValid()) {
    known = is_dark(QApplication::palette());
    qApp->setProperty(system_dark_property, known);
  }
  return known.toBool();
}

struct Colours {
  QColor window, base, alternate, text, disabled, button, highlight, highlighted_text, link, edge;
};

QPalette make_palette(const Colours& colours) {
  QPalette palette(colours.button, colours.window);
  for (const auto role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
    palette.setColor(role, colours.text);
    palette.setColor(QPalette::Disabled, role, colours.disabled);
  }
  palette.setColor(QPalette::Window, colours.window);
  palette.setColor(QPalette::Base, colours.base);
  palette.setColor(QPalette::AlternateBase, colours.alternate);
  palette.setColor(QPalette::ToolTipBase, colours.alternate);
  palette.setColor(QPalette::Button, colours.button);
  palette.setColor(QPalette::PlaceholderText, colours.disabled);
  palette.setColor(QPalette::Highlight, colours.highlight);
  palette.setColor(QPalette::HighlightedText, colours.highlighted_text);
  palette.setColor(QPalette::Disabled, QPalette::Highlight, colours.edge);
  palette.setColor(QPalette::Link, colours.link);
  palette.setColor(QPalette::LinkVisited, colours.link);
  palette.setColor(QPalette::Mid, colours.edge);
  return palette;
}

QPalette dark_palette() {
  return make_palette({.window = "#25282c",
                       .base = "#1b1d20",
                       .alternate = "#2b2f34",
                       .text = "#e8eaed",
                       .disabled = "#8d949c",
                       .button = "#33383e",
                       .highlight = "#2f6fb3",
                       .highlighted_text = "#ffffff",
                       .link = "#6db3f2",
                       .edge = "#4a5058"});
}

QPalette light_palette() {
  return make_palette({.window = "#f2f3f5",
                       .base = "#ffffff",
                       .alternate = "#f7f8fa",
                       .text = "#1c1e21",
                       .disabled = "#767c84",
                       .button = "#e9ebee",
                       .highlight = "#1f6fc2",
                       .highlighted_text = "#ffffff",
                       .link = "#0b5cad",
                       .edge = "#b5bac1"});
}

/// Fusion, with check boxes that are visible in a dark window, too.
class Style final : public QProxyStyle {
 public:
  Style() : QProxyStyle("fusion") {}

  int pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const override {
    // Four panels side by side need room for their names.
    const int pixels = QProxyStyle::pixelMetric(metric, option, widget);
    return metric == PM_TabBarTabHSpace ? pixels / 2 : pixels;
  }

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element != PE_IndicatorCheckBox) return;
    QColor edge = option->palette.color(QPalette::WindowText);
    edge.setAlphaF(0.5F);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(edge);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter->restore();
  }
};

}  // namespace

const std::vector<std::string>& theme_names() {
  static const std::vector<std::string> names{"system", "light", "dark"};
  return names;
}

Theme theme_named(std::string_view name) {
  const auto found = std::find(theme_names().begin(), theme_names().end(), name);
  if (found == theme_names().end()) {
    throw Error(said(QObject::tr("There is no theme %1; it is one of %2."), isolume::quoted(name),
                     fmt::format("{}", fmt::join(theme_names(), ", "))));
  }
  return static_cast<Theme>(found - theme_names().begin());
}

std::string theme_name(Theme theme) {
  return theme_names().at(static_cast<std::size_t>(theme));
}

void apply_theme(Theme theme) {
  const bool dark = theme == Theme::dark || (theme == Theme::system && system_is_dark());
  if (dynamic_cast<Style*>(QApplication::style()) == nullptr) QApplication::setStyle(new Style);
  QApplication::setPalette(dark ? dark_palette() : light_palette());
}

bool dark_theme() {
  return is_dark(QApplication::palette());
}

QColor warning_colour() {
  return dark_theme() ? QColor("#e69f00") : QColor("#8a5a00");
}
QColor error_colour() {
  return dark_theme() ? QColor("#ff8c5a") : QColor("#b03a00");
}

}  // namespace isolume::workbench
