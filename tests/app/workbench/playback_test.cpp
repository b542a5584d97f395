#include "app/workbench/playback/playback.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include <gtest/gtest.h>

#include "app/workbench/commands/declared_commands.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/playback/playback_bar.h"
#include "app/workbench/playback/playback_commands.h"
#include "core/base/error.h"
#include "tests/app/patience.h"

namespace isolume::workbench {
namespace {

using simulation::Clock;
/// As in a lab: what the bar asks for are commands.
class PlaybackTest : public testing::Test {
 protected:
  PlaybackTest() {
    playback.set_range(100, 300, "steps", 0.25);
    commands.declare(playback_declarations("film"));
    add_playback_commands(commands, "film", playback, [] { return ""; });
    commands.add(
        {{.name = "film.play", .title = "Play", .help = ""}, [this](const Arguments&) { playback.play(); }});
    commands.add({{.name = "film.stop", .title = "Pause", .help = ""},
                  [this](const Arguments&) { playback.pause(); }});
    QObject::connect(&bar, &PlaybackBar::asked, [this](const QString& verb, const QStringList& arguments) {
      std::vector<std::string> words;
      for (const auto& each : arguments) words.push_back(each.toStdString());
      commands.run("film." + verb.toStdString(), words);
    });
    bar.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&bar));
  }
  double time() const { return playback.clock().time(); }
  template <class Widget>
  Widget& part(const char* name) {
    return *bar.findChild<Widget*>(QLatin1String(name));
  }
  QString shown() { return part<QLabel>("playback.time").text(); }

  Playback playback;
  CommandRegistry commands;
  PlaybackBar bar{playback};
};

TEST_F(PlaybackTest, StepsAreOfTheMomentsThatThereAre) {
  playback.set_range(1, 21, "frames", 2);
  playback.set_frame_time(1);
  playback.scrub(1);
  playback.step(4);
  EXPECT_EQ(time(), 5);
  EXPECT_EQ(shown(), "5 of 21 frames");
  playback.step(-2);
  EXPECT_EQ(time(), 3);
  playback.step(100);
  EXPECT_EQ(time(), 21);
}

TEST_F(PlaybackTest, TheLongestTimeHasItsRoomFromTheStart) {
  playback.set_range(0, 10000, "steps", 2);
  playback.set_frame_time(1);
  playback.show_time(0);
  const auto& label = part<QLabel>("playback.time");
  EXPECT_EQ(shown(), "0 of 10000 steps");
  EXPECT_GE(label.minimumWidth(), label.fontMetrics().horizontalAdvance("10000 of 10000 steps"));
}

TEST_F(PlaybackTest, PlaysFromTheStartToTheEndAndStops) {
  QSignalSpy times(&playback, &Playback::time_changed);
  QSignalSpy playing(&playback, &Playback::playing_changed);
  auto& button = part<QToolButton>("playback.button");
  EXPECT_EQ(button.text(), "Play");
  QTest::mouseClick(&button, Qt::LeftButton);
  EXPECT_TRUE(playback.playing());
  EXPECT_EQ(button.text(), "Pause");
  ASSERT_TRUE(QTest::qWaitFor([&] { return !playback.playing(); }, patience_ms));
  EXPECT_EQ(time(), 300);
  EXPECT_EQ(shown(), "300 of 300 steps");
  ASSERT_GE(times.count(), 2);
  for (int i = 1; i < times.count(); ++i) EXPECT_GE(times[i][0].toDouble(), times[i - 1][0].toDouble());
  EXPECT_EQ(playing.count(), 2);
  times.clear();
  playback.play();
  EXPECT_EQ(times.first()[0].toDouble(), 100) << "it begins anew";
}

TEST_F(PlaybackTest, AGrowingOneShowsTheFramesThatThereAre) {
  playback.let_grow(1);
  playback.set_range(-1, 1, "steps", 1);  // one frame, and room for another at each end
  playback.show_time(0);
  EXPECT_EQ(shown(), "0 of 0 steps");
  EXPECT_EQ(part<QSlider>("playback.slider").value(), 0);
  playback.set_range(-1, 101, "steps", 1e6);
  playback.show_time(100);
  EXPECT_EQ(shown(), "100 of 100 steps");
  EXPECT_EQ(part<QSlider>("playback.slider").value(), part<QSlider>("playback.slider").maximum());
  playback.play();
  playback.show_picture(97);
  EXPECT_EQ(shown(), "97 of 100 steps") << "that of the picture, which follows the clock";
  playback.pause();
  EXPECT_EQ(shown(), "100 of 100 steps");
}

TEST_F(PlaybackTest, ScrubbingPausesWhereItIsAndPlayingGoesOnFromThere) {
  playback.set_range(100, 300, "steps", 1e6);
  playback.play();
  auto& slider = part<QSlider>("playback.slider");
  slider.setValue(250);
  EXPECT_FALSE(playback.playing());
  EXPECT_DOUBLE_EQ(time(), 150);
  QTest::keyClick(&slider, Qt::Key_PageUp);
  EXPECT_DOUBLE_EQ(time(), 170);
  playback.play();
  ASSERT_TRUE(QTest::qWaitFor([&] { return time() > 170; }, patience_ms));
  playback.pause();
  EXPECT_NEAR(time(), 170, 0.1);
}

TEST_F(PlaybackTest, StepsPauseAndGoBothWays) {
  playback.set_range(0, 160, "fs", 1.6);  // a frame of 16 ms is 1.6 fs
  playback.play();
  commands.run("film.seek 80");
  EXPECT_FALSE(playback.playing());
  QTest::mouseClick(&part<QToolButton>("playback.on"), Qt::LeftButton);
  EXPECT_NEAR(time(), 81.6, 1e-12);
  QTest::mouseClick(&part<QToolButton>("playback.back"), Qt::LeftButton);
  QTest::mouseClick(&part<QToolButton>("playback.back"), Qt::LeftButton);
  EXPECT_NEAR(time(), 78.4, 1e-12);
  commands.run("film.step -1000");
  EXPECT_EQ(time(), 0);
  EXPECT_EQ(shown(), "0 of 160 fs");
}

TEST_F(PlaybackTest, BackwardsItRunsFromTheEndToTheStart) {
  QTest::mouseClick(&part<QToolButton>("playback.reverse"), Qt::LeftButton);
  EXPECT_TRUE(commands.part("film.reverse").checked());
  playback.play();
  EXPECT_EQ(time(), 300) << "it stood at the start, which is its end now";
  ASSERT_TRUE(QTest::qWaitFor([&] { return !playback.playing(); }, patience_ms));
  EXPECT_EQ(time(), 100);
}

TEST_F(PlaybackTest, LoopsUntilItIsStopped) {
  QTest::mouseClick(&part<QToolButton>("playback.loop"), Qt::LeftButton);
  EXPECT_EQ(playback.clock().at_end(), Clock::AtEnd::loop);
  QSignalSpy times(&playback, &Playback::time_changed);
  playback.play();
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        for (int i = 1; i < times.count(); ++i) {
          if (times[i][0].toDouble() < times[i - 1][0].toDouble()) return true;
        }
        return false;
      },
      patience_ms));
  EXPECT_TRUE(playback.playing());
  playback.pause();
}

TEST_F(PlaybackTest, SpeedIsChosenOrGiven) {
  auto& speed = part<QComboBox>("playback.speed");
  EXPECT_EQ(speed.currentText(), "1 ×");
  commands.run("film.speed 4");
  EXPECT_EQ(speed.currentText(), "4 ×");
  QTest::keyClick(&speed, Qt::Key_Up);
  EXPECT_EQ(playback.clock().speed(), 2);
  commands.run("film.speed 3.5");
  EXPECT_EQ(speed.currentIndex(), -1);
  EXPECT_THROW(commands.run("film.speed 0"), Error);
  EXPECT_THROW(commands.run("film.speed fast"), Error);
  EXPECT_EQ(playback.clock().speed(), 3.5);
}

TEST_F(PlaybackTest, AFrameWaitsForThePictureBeforeAndSlowPicturesMakeASlowFilm) {
  playback.set_range(0, 1000, "", 1000);
  playback.show_time(0);
  bool ready = false;
  int asked = 0;
  playback.wait_for([&] { return ++asked, ready; }, 0.02);
  QSignalSpy times(&playback, &Playback::time_changed);
  playback.play();
  ASSERT_TRUE(QTest::qWaitFor([&] { return asked > 5; }, patience_ms));
  EXPECT_EQ(times.count(), 0);
  ready = true;
  ASSERT_TRUE(QTest::qWaitFor([&] { return times.count() > 0; }, patience_ms));
  EXPECT_NEAR(times.first()[0].toDouble(), 0.02, 1e-9);
}

}  // namespace
}  // namespace isolume::workbench
