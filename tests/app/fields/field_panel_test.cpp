#include "app/fields/field_panel.h"

#include <QApplication>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QProcess>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>
#include <QXmlStreamReader>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "app/fields/chart.h"
#include "app/fields/chart_csv.h"
#include "app/fields/chart_figure.h"
#include "app/fields/chart_scale.h"
#include "core/base/text_file.h"

namespace isolume::fields {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class FieldPanelTest : public testing::Test {
 protected:
  FieldPanelTest() {
    panel.resize(300, 400);
    panel.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&panel));
  }
  Chart& chart(const char* name) { return *panel.findChild<Chart*>(QLatin1String(name)); }
  /// Pixels of a colour, or nearly.
  static int count(const Chart& chart, const QColor& wanted) {
    const QImage image = const_cast<Chart&>(chart).grab().toImage();
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x) {
        const QColor is = image.pixelColor(x, y);
        found += std::abs(is.red() - wanted.red()) < 40 && std::abs(is.green() - wanted.green()) < 40 &&
                 std::abs(is.blue() - wanted.blue()) < 40;
      }
    }
    return found;
  }
  FieldPanel panel{"Choose two places."};
  const QColor curve{"#0072b2"}, mark{"#d55e00"};
};

TEST_F(FieldPanelTest, ReadsAProfileOffUnderThePointer) {
  Chart& line = chart("field-panel.line");
  EXPECT_EQ(count(line, curve), 0);
  EXPECT_EQ(line.reading(line.rect().center()), "");
  panel.set_profile({2, {0, 1, 4, 9, nan}}, "From C1 to C2", "Å", "bohr⁻³ᐟ²");
  EXPECT_GT(count(line, curve), 50);
  // From left to right every value is met, in order.
  QStringList met;
  for (int x = 0; x < line.width(); ++x) {
    const QString text = line.reading({x, line.height() / 2});
    if (!text.isEmpty() && (met.isEmpty() || met.back() != text)) met << text;
  }
  EXPECT_EQ(met,
            QStringList({"From C1 to C2: 0 Å\nValue: 0 bohr⁻³ᐟ²", "From C1 to C2: 0.5 Å\nValue: 1 bohr⁻³ᐟ²",
                         "From C1 to C2: 1 Å\nValue: 4 bohr⁻³ᐟ²", "From C1 to C2: 1.5 Å\nValue: 9 bohr⁻³ᐟ²",
                         "Outside the box"}))
      << met.join("; ").toStdString();
  panel.clear_profile();
  EXPECT_EQ(count(line, curve), 0);
}

TEST_F(FieldPanelTest, CountsStandAsBarsWithTheIsovaluesMarked) {
  Chart& values = chart("field-panel.values");
  panel.set_histogram({-1, 1, false, {1, 100, 10000, 0}, 0}, "e", {});
  const int unmarked = count(values, mark);
  const int bars = count(values, curve);
  panel.set_histogram({-1, 1, false, {1, 100, 10000, 0}, 0}, "e", {-0.9, 0.9, 7});
  EXPECT_EQ(unmarked, 0);
  EXPECT_GT(count(values, mark), 20);
  // Logarithmic: 10000 is not a hundred times higher than 100.
  panel.set_histogram({-1, 1, false, {0, 0, 10000, 0}, 0}, "e", {});
  const int highest = count(values, curve);
  EXPECT_GT(bars, 1.4 * highest);
  EXPECT_LT(bars, 2 * highest);
  EXPECT_EQ(values.reading(values.rect().center() + QPoint(40, 0)).section('\n', 1), "Points: 10000");
}

TEST_F(FieldPanelTest, ValuesOutsideTheHistogramAreCounted) {
  panel.set_histogram({-1, 1, false, {0, 0, 996, 0}, 4}, "mV", {});
  EXPECT_EQ(chart("field-panel.values").data().remark, "0.4 % lie outside");
  panel.set_histogram({-1, 1, false, {0, 0, 996, 0}, 0}, "mV", {});
  EXPECT_EQ(chart("field-panel.values").data().remark, "");
}

TEST_F(FieldPanelTest, DecadesAreReadAsTheValuesThemselves) {
  Chart& values = chart("field-panel.values");
  panel.set_histogram({-6, 2, true, {0, 0, 0, 0, 0, 0, 7, 0}, 0}, "e/bohr³", {-1, 10});
  EXPECT_EQ(values.data().marks, std::vector<double>{1});
  QStringList met;
  for (int x = 0; x < values.width(); ++x) {
    const QString text = values.reading({x, values.height() / 2});
    if (text.endsWith("Points: 7") && !met.contains(text)) met << text;
  }
  EXPECT_EQ(met, QStringList("Value: 3.162 e/bohr³\nPoints: 7")) << "the middle of 1 to 10";
  panel.set_profile({1, {100, 1, 1e-9}}, "x", "Å", "", 1e-4);
  EXPECT_GT(count(chart("field-panel.line"), curve), 50);
}

TEST_F(FieldPanelTest, NumbersOfAnAxisDoNotTouch) {
  Chart& values = chart("field-panel.values");
  for (const int width : {160, 250, 300, 600}) {
    panel.resize(width, 400);
    for (const double high : {-0.5, 0.3, 1.1, 2.9}) {
      panel.set_histogram({high - 8, high, true, {0, 7, 0}, 0}, "e/bohr³", {});
      const auto labels = values.x_labels();
      EXPECT_GE(labels.size(), 2U) << width << " " << high;
      for (std::size_t i = 1; i < labels.size(); ++i)
        EXPECT_GT(labels[i].place.left(), labels[i - 1].place.right()) << width << " " << high;
    }
  }
}

TEST_F(FieldPanelTest, OddNumbersAreDrawnWithoutHarm) {
  for (const auto& numbers :
       {std::vector<double>{nan, nan}, std::vector<double>{5, 5}, std::vector<double>{3},
        std::vector<double>{1e-300, 1e300}, std::vector<double>{}}) {
    panel.set_profile({0, numbers}, "", "", "");
    chart("field-panel.line").grab();
  }
  panel.set_histogram({0, 0, false, {8, 0}, 0}, "", {0});
  chart("field-panel.values").grab();
  panel.resize(20, 20);
  chart("field-panel.values").grab();
}

TEST_F(FieldPanelTest, AChartIsZoomedAboutThePointerAndByKeys) {
  Chart& line = chart("field-panel.line");
  std::vector<double> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i * i);
  panel.set_profile({1000, values}, "Place", "", "");
  const auto shown = [&] { return line.shown_range(); };
  EXPECT_EQ(shown(), (std::pair<double, double>(0, 1000)));
  const auto x_under = [&](int x) { return line.reading({x, line.height() / 2}).section('\n', 0, 0); };
  const int place = line.width() / 3;
  const QString before = x_under(place);
  const QPointF at(place, line.height() / 2.0);
  for (int i = 0; i < 4; ++i) {
    QWheelEvent turn(at, line.mapToGlobal(at), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                     false);
    QApplication::sendEvent(&line, &turn);
  }
  EXPECT_NEAR(shown().second - shown().first, 1000 / std::pow(1.25, 4), 1e-6);
  EXPECT_EQ(x_under(place).section(' ', 0, 0), before.section(' ', 0, 0));
  EXPECT_NEAR(x_under(place).section(' ', -1).toDouble(), before.section(' ', -1).toDouble(), 5);
  EXPECT_GT(count(line, curve), 50);
  const auto [low, high] = shown();
  QTest::keyClick(&line, Qt::Key_Right);
  EXPECT_NEAR(shown().first, low + 0.1 * (high - low), 1e-6);
  for (int i = 0; i < 30; ++i) QTest::keyClick(&line, Qt::Key_Right);
  EXPECT_NEAR(shown().second, 1000, 1e-6) << "no further than the data";
  EXPECT_NEAR(shown().second - shown().first, high - low, 1e-6);
  QTest::mouseDClick(&line, Qt::LeftButton);
  EXPECT_EQ(shown(), (std::pair<double, double>(0, 1000)));
}

class ChartTest : public testing::Test {
 protected:
  ChartTest() {
    chart.resize(300, 200);
    chart.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&chart));
    Chart::Data data;
    data.values = {1, 2, 3, 4, 5};
    data.name = "First";
    data.others = {{"Second", {nan, nan, 30, 400, 5000}}};
    data.high = 4;
    data.x_name = "Step";
    data.y_name = "Time, all";
    data.y_unit = "ms";
    data.ground = 1e-3;
    chart.set_data(data);
  }
  Chart chart;
};

/// What stands at the ticks of a logarithmic axis.
QStringList logarithmic_labels(double low, double high) {
  QStringList labels;
  for (const double tick : axis_ticks(std::log10(low), std::log10(high), 5, true))
    labels += number_text(std::pow(10, tick));
  return labels;
}

TEST(AxisTicks, OfALogarithmicAxisAreRoundNumbers) {
  EXPECT_EQ(logarithmic_labels(1000, 1e6), QStringList({"1000", "10000", "100000", "1e6"}));
  EXPECT_EQ(logarithmic_labels(1000, 9000), QStringList({"1000", "2000", "5000"}));
  EXPECT_EQ(logarithmic_labels(700, 3000), QStringList({"1000", "2000"}));
  EXPECT_EQ(logarithmic_labels(5200, 9100), QStringList({"6000", "7000", "8000", "9000"}));
  // Multiples of five decades would leave one.
  EXPECT_EQ(axis_ticks(-8.5, -0.5, 3, true), (std::vector<double>{-8, -4}));
}

/// What an SVG has: its texts, and its lines by colour, each as the coordinates x, y, x, y ...
struct Figure {
  QStringList texts;
  std::map<QString, std::vector<std::vector<double>>> lines;
};

Figure read_svg(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  QXmlStreamReader xml(&file);
  Figure figure;
  QString colour;
  while (!xml.atEnd()) {
    if (xml.readNext() != QXmlStreamReader::StartElement) continue;
    const auto of = [&](const char* name) { return xml.attributes().value(QLatin1String(name)).toString(); };
    if (xml.name() == QLatin1String("g")) colour = of("stroke");
    if (xml.name() == QLatin1String("text")) figure.texts += xml.readElementText().trimmed();
    if (xml.name() == QLatin1String("polyline") || xml.name() == QLatin1String("path")) {
      const QString text = xml.name() == QLatin1String("path") ? of("d") : of("points");
      std::vector<double>& line = figure.lines[colour].emplace_back();
      for (const QString& number : text.split(QRegularExpression("[ ,ML]+"), Qt::SkipEmptyParts))
        line.push_back(number.toDouble());
    }
  }
  EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
  return figure;
}

TEST_F(ChartTest, AFigureHasTheMarksOfTheScreen) {
  const QTemporaryDir scratch;
  const auto lines_of = [&](std::vector<double> marks) {
    Chart::Data data = chart.data();
    data.marks = std::move(marks);
    chart.set_data(data);
    write_figure(chart, scratch.filePath("a.svg").toStdString());
    return read_svg(scratch.filePath("a.svg")).lines["#d55e00"].size();
  };
  EXPECT_EQ(lines_of({}), 0U);
  EXPECT_EQ(lines_of({1, 3.5, 7}), 2U) << "the last one is outside the range 0 to 4";
}

TEST_F(ChartTest, AFigureHasTextsAndThePartsOfCurvesWithinTheRange) {
  const QTemporaryDir scratch;
  const QString path = scratch.filePath("a.svg");
  write_figure(chart, path.toStdString());
  const Figure whole = read_svg(path);
  for (const char* text : {"Step", "Time, all (ms)", "First", "Second", "0", "4", "1000"})
    EXPECT_TRUE(whole.texts.contains(text)) << text << " of " << whole.texts.join("; ").toStdString();
  // A stroke in the legend, and the curve.
  ASSERT_EQ(whole.lines.at("#0072b2").size(), 2U);
  const std::vector<double> curve = whole.lines.at("#0072b2")[1];
  ASSERT_EQ(curve.size(), 10U) << "five points";
  EXPECT_NEAR(curve[2] - curve[0], (curve[8] - curve[0]) / 4, 0.01) << "at equal steps";
  // y is logarithmic: 1 to 2 is as far as 2 to 4.
  EXPECT_NEAR(curve[3] - curve[1], curve[7] - curve[3], 0.01);
  EXPECT_LT(curve[3], curve[1]) << "y goes up";
  EXPECT_EQ(whole.lines.at("#e69f00")[1].size(), 6U) << "the three values that are numbers";
  chart.show_range(1.5, 3.25);
  write_figure(chart, path.toStdString());
  const Figure part = read_svg(path);
  const std::vector<double> shown = part.lines.at("#0072b2")[1];
  ASSERT_EQ(shown.size(), 8U) << "1.5, 2, 3 and 3.25";
  EXPECT_NEAR((shown[2] - shown[0]) / (shown[6] - shown[0]), 0.5 / 1.75, 1e-3);
  for (std::size_t i = 0; i < shown.size(); i += 2) {
    EXPECT_GE(shown[i], shown[0]);
    EXPECT_LE(shown[i], 604.8) << "the figure's width of 160 mm in pixels of 1/96 inch";
  }
}

/// Qt's reader of SVG and Poppler draw the same picture.
TEST_F(ChartTest, AFigureIsTheSameAsSvgAndPdf) {
  const QTemporaryDir scratch;
  const QString svg = scratch.filePath("a.svg"), pdf = scratch.filePath("a.pdf");
  write_figure(chart, svg.toStdString());
  write_figure(chart, pdf.toStdString());
  const auto run = [](const QString& program, const QStringList& words) {
    QProcess process;
    process.start(program, words);
    EXPECT_TRUE(process.waitForFinished()) << program.toStdString();
    return QString::fromUtf8(process.readAllStandardOutput());
  };
  const QString words = run("pdftotext", {"-layout", pdf, "-"});
  for (const char* text : {"Step", "Time, all (ms)", "First", "Second", "1000"})
    EXPECT_TRUE(words.contains(text)) << text << " of " << words.toStdString();
  EXPECT_TRUE(run("pdfinfo", {pdf}).contains("454 x 283 pts")) << run("pdfinfo", {pdf}).toStdString();
  run("pdftoppm",
      {"-png", "-singlefile", "-scale-to-x", "640", "-scale-to-y", "400", pdf, scratch.filePath("a")});
  QImage of_pdf(scratch.filePath("a.png")), of_svg(640, 400, QImage::Format_RGB32);
  ASSERT_EQ(of_pdf.size(), of_svg.size());
  of_svg.fill(Qt::white);
  {
    QSvgRenderer renderer(svg);
    QPainter painter(&of_svg);
    renderer.render(&painter);
  }
  // Texts are drawn by other means; curves are where they were, to a pixel.
  for (const char* colour : {"#0072b2", "#e69f00"}) {
    const auto hue = QColor(colour).hue();
    const auto coloured = [&](const QImage& image, int x, int y) {
      const QColor is = image.pixelColor(x, y);
      return is.saturation() > 128 && std::abs(is.hue() - hue) < 10;
    };
    int found = 0, near = 0;
    for (int y = 1; y < 399; ++y) {
      for (int x = 1; x < 639; ++x) {
        if (!coloured(of_svg, x, y)) continue;
        ++found;
        bool met = false;
        for (int i = 0; i < 9; ++i) met |= coloured(of_pdf, x - 1 + i % 3, y - 1 + i / 3);
        near += met ? 1 : 0;
      }
    }
    EXPECT_GT(found, 200) << colour;
    EXPECT_GE(near, found * 98 / 100) << colour;
  }
}

TEST_F(ChartTest, SeveralCurvesAreReadOffAndHaveALegend) {
  EXPECT_EQ(legend_of(chart.data()), QStringList({"First", "Second"}));
  const ChartScale at = chart_scale(chart.data(), chart.shown_range(), QRectF(0, 0, 100, 100));
  EXPECT_EQ(at.y_low, 0) << "of the logarithms of 1 to 5000, whole decades";
  EXPECT_EQ(at.y_high, 4);
  EXPECT_EQ(at.x_at(50), 2);
  QStringList met;
  for (int x = 0; x < chart.width(); ++x) {
    const QString text = chart.reading({x, chart.height() / 2});
    if (!text.isEmpty() && (met.isEmpty() || met.back() != text)) met << text;
  }
  ASSERT_EQ(met.size(), 5) << met.join("; ").toStdString();
  EXPECT_EQ(met[0], "Step: 0\nFirst: 1 ms");
  EXPECT_EQ(met[4], "Step: 4\nFirst: 5 ms\nSecond: 5000 ms");
  const QImage image = chart.grab().toImage();
  for (const char* colour : {"#0072b2", "#e69f00"}) {
    int found = 0;
    for (int y = 0; y < image.height(); ++y) {
      for (int x = 0; x < image.width(); ++x)
        found += QColor(image.pixel(x, y)).hue() == QColor(colour).hue();
    }
    EXPECT_GT(found, 20) << colour;
  }
}

TEST_F(ChartTest, CurvesAreATable) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath("chart.csv").toStdString();
  write_csv(chart, path);
  EXPECT_EQ(read_text_file(path),
            "\"Step\",\"First (ms)\",\"Second (ms)\"\n0,1,\n1,2,\n2,3,30\n3,4,400\n4,5,5000\n");
}

}  // namespace
}  // namespace isolume::fields
