#include <QTest>
#include <cmath>

#include <gtest/gtest.h>

#include "app/workbench/contract/fuzzy_match.h"
#include "app/workbench/look/icons.h"
#include "app/workbench/parameters/number_box.h"
#include "app/workbench/parameters/slider_scale.h"
#include "app/workbench/window/job_indicator.h"

namespace isolume::workbench {
namespace {

parameters::Description real(double low, double high, parameters::Scale scale) {
  parameters::Description description;
  description.kind = parameters::Kind::real;
  description.low = low;
  description.high = high;
  description.scale = scale;
  return description;
}

TEST(SliderScale, LogarithmicMiddleIsTheGeometricMean) {
  const SliderScale scale(real(1e-4, 1, parameters::Scale::logarithmic));
  EXPECT_DOUBLE_EQ(scale.value(scale.last_position() / 2), 0.01);
  EXPECT_EQ(scale.position(0.01), scale.last_position() / 2);
  EXPECT_DOUBLE_EQ(scale.value(0), 1e-4);
  EXPECT_DOUBLE_EQ(scale.value(scale.last_position()), 1);
}

TEST(SliderScale, EveryPositionComesBack) {
  for (const auto kind : {parameters::Scale::linear, parameters::Scale::logarithmic}) {
    const SliderScale scale(real(0.05, 20, kind));
    for (int i = 0; i <= scale.last_position(); ++i) EXPECT_NEAR(scale.position(scale.value(i)), i, 1);
  }
}

TEST(SliderScale, WholeNumbersHaveOnePositionEach) {
  parameters::Description description = real(1, 9, parameters::Scale::linear);
  description.kind = parameters::Kind::integer;
  const SliderScale scale(description);
  EXPECT_EQ(scale.last_position(), 8);
  for (int i = 0; i <= 8; ++i) EXPECT_DOUBLE_EQ(scale.value(i), i + 1);
}

TEST(SliderScale, EndlessRangesHaveNoSlider) {
  EXPECT_FALSE(SliderScale::fits(real(0, INFINITY, parameters::Scale::linear)));
  EXPECT_FALSE(SliderScale::fits(real(-1e6, 1e6, parameters::Scale::linear)));
  EXPECT_TRUE(SliderScale::fits(real(0, 1, parameters::Scale::linear)));
  EXPECT_TRUE(SliderScale::fits(real(1e-6, 1e6, parameters::Scale::logarithmic)));
}

TEST(NumberBox, ShowsFourDigitsAndKeepsTheExactValue) {
  NumberBox box(true);
  box.setRange(1e-9, 1e9);
  box.setValue(0.0001234567);
  EXPECT_EQ(box.text(), "0.0001235");
  EXPECT_DOUBLE_EQ(box.value(), 0.0001234567);
  box.stepBy(1);
  EXPECT_DOUBLE_EQ(box.value(), 0.0001234567 * 1.1);
  box.setValue(298.15);
  EXPECT_EQ(box.text(), "298.15") << "as it was typed";
}

TEST(NumberBox, TakesExponentsCommasAndUnits) {
  NumberBox box(false);
  box.setSuffix(" bohr^-3/2");
  box.setRange(-10, 10);
  int position = 0;
  for (QString text : {"2.5e-3 bohr^-3/2", "2,5", "-1"}) {
    EXPECT_EQ(box.validate(text, position), QValidator::Acceptable) << text.toStdString();
  }
  QString half = "1e-";
  EXPECT_EQ(box.validate(half, position), QValidator::Intermediate);
  QString letters = "abc";
  EXPECT_EQ(box.validate(letters, position), QValidator::Invalid);
  QString large = "11";
  EXPECT_NE(box.validate(large, position), QValidator::Acceptable);
  EXPECT_DOUBLE_EQ(box.valueFromText("2,5 bohr^-3/2"), 2.5);
}

TEST(NumberBox, ShowsAndTakesTheWordsOfASpecialValue) {
  NumberBox box(false);
  box.set_special_values({{-1, "None"}});
  box.setRange(-1, 50);
  box.setValue(-1);
  EXPECT_EQ(box.text(), "None");
  const auto type = [&box](const char* text) {
    box.selectAll();
    QTest::keyClicks(&box, text);
    QTest::keyClick(&box, Qt::Key_Return);
  };
  type("7");
  EXPECT_EQ(box.value(), 7);
  EXPECT_EQ(box.text(), "7");
  for (const char* typed : {"none", "-1"}) {
    type("7");
    type(typed);
    EXPECT_EQ(box.value(), -1) << typed;
    EXPECT_EQ(box.text(), "None");
  }
  box.selectAll();
  QTest::keyClicks(&box, "nix");
  EXPECT_EQ(box.text(), "n") << "only what can become a number or its words";
}

TEST(FuzzyScore, LettersMustAppearInOrder) {
  EXPECT_TRUE(fuzzy_score("orsel", "orbitals.select"));
  EXPECT_FALSE(fuzzy_score("selor", "orbitals.select"));
  EXPECT_TRUE(fuzzy_score("", "anything"));
  EXPECT_TRUE(fuzzy_score("ORB", "orbitals.select"));
  EXPECT_FALSE(fuzzy_score("orbitals.selects", "orbitals.select"));
}

TEST(FuzzyScore, WordStartsAndRunsWin) {
  EXPECT_GT(*fuzzy_score("vr", "view.reset"), *fuzzy_score("vr", "discover"));
  EXPECT_GT(*fuzzy_score("reset", "view.reset"), *fuzzy_score("reset", "recent.setting"));
}

TEST(JobIndicator, SaysWhatWhichStageAndHowLong) {
  jobs::JobStatus status;
  status.name = "Orbital 21 of benzene";
  status.state = jobs::JobState::running;
  status.stage = "refining";
  status.remaining_seconds = 3.2;
  EXPECT_EQ(JobIndicator::describe(status, 0), "Orbital 21 of benzene: refining, about 3 s left");
  status.remaining_seconds = 150;
  EXPECT_EQ(JobIndicator::describe(status, 2), "Orbital 21 of benzene: refining, about 3 min left (2 more)");
  status.name = "Refining";
  EXPECT_EQ(JobIndicator::describe(status, 0), "Refining: about 3 min left") << "the stage is not repeated";
  status.name = "Orbital 21 of benzene";
  status.remaining_seconds = -1;
  status.stage.clear();
  EXPECT_EQ(JobIndicator::describe(status, 0), "Orbital 21 of benzene");
}

TEST(Icons, OfASizeWithoutRoomAreEmpty) {
  // Qt's warnings fail a test.
  EXPECT_TRUE(icon("play").pixmap(QSize(0, 16)).isNull());
  EXPECT_EQ(icon("play").pixmap(QSize(16, 16)).size() / icon("play").pixmap(QSize(16, 16)).devicePixelRatio(),
            QSize(16, 16));
}

}  // namespace
}  // namespace isolume::workbench
