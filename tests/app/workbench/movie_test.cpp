// Movies of a lab that has a time and a number, and whose picture is as bright as these are large.
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <cmath>
#include <numbers>
#include <optional>
#include <thread>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/pictures/movie_writer.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/exports/movie_export.h"
#include "app/workbench/window/banner.h"
#include "app/workbench/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/pictures/decoded_movie.h"
#include "tests/app/workbench/fake_devices.h"

namespace isolume::workbench {
namespace {

struct Shade {
  double shade = 0;
  double factor = 1;
  double grain = 0;
};
const parameters::Schema<Shade>& shade_schema() {
  static const parameters::Schema<Shade> schema(
      {parameters::field("shade", &Shade::shade, "Shade").range(0, 1).group("Picture"),
       parameters::field("factor", &Shade::factor, "Factor").range(1, 100).logarithmic().group("Picture"),
       parameters::field("grain", &Shade::grain, "Grain").group("Picture").unit("mm^3")});
  return schema;
}

/// Its time changes by a job, and so is its picture written.
class ShadeLab final : public Lab {
 public:
  explicit ShadeLab(LabContext& context) : context_(context) {}
  std::vector<LabPanel> panels() override { return {}; }
  void start() override { context_.document_opened({}, "Shades"); }
  void open(const std::filesystem::path&) override {}
  parameters::ParameterSet* parameters() override { return &set_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override { set_.set(key, value); }
  std::optional<Passage> passage() override {
    if (timeless) return std::nullopt;
    return Passage{
        .name = "Time",
        .unit = "h",
        .from = 0,
        .to = 10,
        .now = time,
        .seconds = 1.1,
        .go_to = [this](double at) {
          context_.jobs.submit("Going there", "time", [this, at](const jobs::Progress&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
            time = at;
            if (!tells_time) return;
            context_.on_gui_thread([this, at] { context_.show_status(QStringLiteral("Time %1").arg(at)); });
          });
        }};
  }
  void write_image(const std::filesystem::path& path, int width, int height, bool, int) override {
    if (++written == fails_at) throw Error("There is no light any more.");
    const double seen_from = sees_camera ? context_.view.renderer()->GetActiveCamera()->GetPosition()[0] : 0;
    const int grey =
        static_cast<int>(std::lround(10 * time + 100 * values.shade + values.factor + 5 * seen_from));
    context_.jobs.submit("Write", {}, [=, this](const jobs::Progress&) {
      QImage image(width, height, QImage::Format_RGB888);
      image.fill(QColor(grey, grey, grey));
      image.save(QString::fromStdString(path.string()));
      context_.on_gui_thread(
          [this, path] { context_.show_status("Written: " + QString::fromStdString(path.string())); });
    });
  }

  Shade values;
  std::atomic<double> time = 4;
  int written = 0, fails_at = 0;
  bool timeless = false, sees_camera = false, tells_time = false;
  LabContext& context() { return context_; }

 private:
  LabContext& context_;
  parameters::StructParameters<Shade> set_{shade_schema(), values};
};

class MovieTest : public ::testing::Test {
 protected:
  MovieTest() {
    QSettings().clear();
    window = std::make_unique<MainWindow>(
        std::vector{LabEntry{.description = {.name = "shade", .title = "Shade", .summary = "Grey."},
                             .make =
                                 [this](LabContext& context) {
                                   auto made = std::make_unique<ShadeLab>(context);
                                   lab = made.get();
                                   return made;
                                 }}},
        make_fake_pool);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());
  }
  std::string run(const std::string& line) {
    std::optional<std::string> end;
    window->run_script({{"", line}}, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  std::string path(const char* name) const { return folder.filePath(name).toStdString(); }
  /// How bright the frames are.
  static std::vector<double> greys(const test::DecodedMovie& movie) {
    std::vector<double> all;
    for (const auto& frame : movie.frames) {
      double sum = 0;
      for (const auto each : frame) sum += each;
      all.push_back(sum / static_cast<double>(frame.size()));
    }
    return all;
  }
  int grey_of(const char* name) const { return QImage(folder.filePath(name)).pixelColor(9, 9).red(); }
  QStringList files() const {
    return QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
  }

  QTemporaryDir folder;
  ShadeLab* lab = nullptr;
  std::unique_ptr<MainWindow> window;
};

TEST_F(MovieTest, RunsThroughTheLabsTime) {
  ASSERT_EQ(run("file.export-movie " + path("a.webm") + " fps=10 size=64x48"), "");
  const auto movie = test::decode_movie(path("a.webm"));
  EXPECT_EQ(movie.width, 64);
  EXPECT_EQ(movie.height, 48);
  EXPECT_NEAR(movie.seconds, 1.1, 0.01);
  const auto shades = greys(movie);
  ASSERT_EQ(shades.size(), 11U);
  for (std::size_t i = 0; i < shades.size(); ++i)
    EXPECT_NEAR(shades[i], 10 * static_cast<double>(i) + 1, 2) << i;
  EXPECT_EQ(lab->time, 4) << "as before";
  EXPECT_EQ(files(), QStringList("a.webm"));
}

/// What each frame's file reports is gone with that file.
TEST_F(MovieTest, ReportsItselfAndNotItsFrames) {
  const auto* status = window->findChild<QLabel*>("status");
  QStringList told;
  QTimer often;
  QObject::connect(&often, &QTimer::timeout, [&] { told += status->text(); });
  often.start(0);
  lab->tells_time = true;
  ASSERT_EQ(run("file.export-movie " + path("a.webm") + " fps=10 size=64x48"), "");
  EXPECT_EQ(status->text(),
            QString::fromStdString("Written: " + path("a.webm") + " (11 frames, 1.1 s, 64 × 48 pixels)"));
  EXPECT_TRUE(told.contains("Time 5")) << "what the document shows is still told";
  for (const QString& each : told) EXPECT_FALSE(each.contains(".png")) << each.toStdString();
  ASSERT_EQ(run("file.export-movie " + path("%d.png") + " fps=10 size=64x48"), "");
  EXPECT_EQ(status->text(),
            QString::fromStdString("Written: " + path("%d.png") + " (11 frames, 1.1 s, 64 × 48 pixels)"));
  ASSERT_EQ(run("file.export-image " + path("one.png") + " 64x48"), "");
  EXPECT_EQ(status->text(), QString::fromStdString("Written: " + path("one.png")));
}

TEST_F(MovieTest, RunsThroughANumber) {
  ASSERT_EQ(run("file.export-movie " + path("a.mp4") +
                " parameter name=shade from=0.5 to=1 seconds=0.6 fps=10 size=64x48"),
            "");
  const auto shades = greys(test::decode_movie(path("a.mp4")));
  ASSERT_EQ(shades.size(), 6U);
  for (std::size_t i = 0; i < shades.size(); ++i)
    EXPECT_NEAR(shades[i], 91 + 10 * static_cast<double>(i), 2) << i;
  EXPECT_EQ(lab->values.shade, 0) << "as before";
  EXPECT_EQ(window->undo_stack().count(), 0);
  // By equal factors where the parameter's scale has them: 1, 10, 100.
  lab->time = 0;
  ASSERT_EQ(
      run("file.export-movie " + path("f/%d.png") + " parameter name=factor seconds=0.3 fps=10 size=64x48"),
      "");
  EXPECT_EQ(grey_of("f/1.png"), 10);
  EXPECT_EQ(grey_of("f/2.png"), 100);
}

TEST_F(MovieTest, TurnsTheCameraAndBack) {
  auto& renderer = *window->view().renderer();
  scene::set_camera(renderer, "10,0,0,0,0,0,0,0,1");
  const std::string before = scene::camera_text(renderer);
  lab->sees_camera = true;
  lab->time = 9.9;
  ASSERT_EQ(run("file.export-movie " + path("t/%d.png") + " turn seconds=0.4 fps=10 size=64x48"), "");
  EXPECT_EQ(QDir(folder.filePath("t")).entryList(QDir::Files).size(), 4);
  EXPECT_EQ(scene::camera_text(renderer), before);
  const auto expect_seen = [&](const char* name, double degrees) {
    EXPECT_NEAR(grey_of(name), 100 + 50 * std::cos(degrees * std::numbers::pi / 180), 1) << name;
  };
  expect_seen("t/0.png", 0);
  expect_seen("t/1.png", 90);
  expect_seen("t/2.png", 180);
  expect_seen("t/3.png", 270);
  // Only whole turns leave out their end.
  ASSERT_EQ(run("file.export-movie " + path("q/%d.png") + " turn to=90 seconds=0.3 fps=10 size=64x48"), "");
  expect_seen("q/0.png", 0);
  expect_seen("q/1.png", 45);
  expect_seen("q/2.png", 90);
}

TEST_F(MovieTest, IsCancelledAndKeepsItsFrames) {
  ASSERT_TRUE(window->run("file.export-movie", {path("a.webm"), "seconds=100", "size=64x48"}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return lab->written > 5; }, patience_ms));
  auto* progress = window->findChild<QDialog*>("movie-progress");
  ASSERT_NE(progress, nullptr);
  EXPECT_GT(progress->width(), 1.5 * progress->fontMetrics().horizontalAdvance("Export movie — Isolume"))
      << "the title bar has room for its title";
  QTest::mouseClick(progress->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Cancel),
                    Qt::LeftButton);
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->busy() && lab->time == 4; }, patience_ms));
  EXPECT_EQ(files(), QStringList("a.partial.webm"));
  EXPECT_EQ(window->error_text(), "");
  const QString told = window->findChild<Banner*>("warning-banner")->text();
  EXPECT_TRUE(told.contains("a.partial.webm holds the first")) << told.toStdString();
  EXPECT_LT(lab->written, 200);
}

TEST_F(MovieTest, IsCancelledBeforeItBegins) {
  window->jobs().observe(
      [&jobs = window->jobs()](const jobs::JobStatus& job) {  // told before the job's work begins
        if (job.name == "Export movie" && job.state == jobs::JobState::running) jobs.cancel(job.id);
      });
  ASSERT_TRUE(window->run("file.export-movie", {path("a.webm"), "seconds=100", "size=64x48"}));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->busy() && window->findChild<MovieExport*>() == nullptr; },
                              patience_ms));
  EXPECT_EQ(lab->time, 4);
  EXPECT_TRUE(files().isEmpty());
}

TEST_F(MovieTest, EndsWithItsDocument) {
  ASSERT_TRUE(window->run("file.export-movie", {path("a.webm"), "seconds=100", "size=64x48"}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return lab->written > 3; }, patience_ms));
  ASSERT_TRUE(window->run("document.close"));
  window->jobs().wait_idle();  // so that the document goes before the movie hears of its job's end
  EXPECT_TRUE(QTest::qWaitFor([&] { return !window->busy() && window->findChild<MovieExport*>() == nullptr; },
                              patience_ms));
  EXPECT_FALSE(files().contains("a.webm"));
}

TEST_F(MovieTest, SaysWhereItHasNoRoomForItsFrames) {
  const QByteArray before = qgetenv("TMPDIR");
  qputenv("TMPDIR", "/proc");
  const std::string error = run("file.export-movie " + path("a.webm") + " size=64x48");
  before.isNull() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
  EXPECT_TRUE(error.starts_with("/proc: ")) << error;
  EXPECT_NE(error.find("Free some space, or set TMPDIR"), std::string::npos) << error;
  EXPECT_TRUE(files().isEmpty());
}

TEST_F(MovieTest, EndsWithItsWindow) {
  ASSERT_TRUE(window->run("file.export-movie", {path("a.webm"), "seconds=100", "size=64x48"}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return lab->written > 3; }, patience_ms));
  window.reset();
  EXPECT_FALSE(files().contains("a.webm"));
}

TEST_F(MovieTest, TellsWhyALabCannotGoOn) {
  lab->fails_at = 3;
  EXPECT_EQ(run("file.export-movie " + path("a.webm") + " size=64x48"), "There is no light any more.");
  EXPECT_TRUE(QTest::qWaitFor([&] { return lab->time == 4; }, patience_ms));
  EXPECT_TRUE(files().isEmpty());
}

TEST_F(MovieTest, RefusesWhatCannotBe) {
  const auto error = [&](const std::string& words) {
    return run("file.export-movie " + path("a.mp4") + " " + words);
  };
  EXPECT_NE(run("file.export-movie " + path("a.gif")).find("Use .mp4, .webm"), std::string::npos);
  EXPECT_NE(error("size=65x48").find("Use 64 × 48 instead of 65 × 48"), std::string::npos);
  EXPECT_TRUE(error("size=abc").starts_with("size=abc: give the width and height"));
  EXPECT_NE(error("fps=29.97").find("fps=29.97: give a whole number"), std::string::npos);
  EXPECT_NE(error("lenght=3").find("from, to, seconds"), std::string::npos);
  EXPECT_NE(error("fps=0").find("fps"), std::string::npos);
  EXPECT_NE(error("parameter").find("shade, factor"), std::string::npos);
  EXPECT_NE(error("parameter name=shade to=2").find("to"), std::string::npos);
  lab->timeless = true;
  EXPECT_NE(error("time").find("nothing to play here"), std::string::npos);
  EXPECT_TRUE(files().isEmpty());
}

TEST_F(MovieTest, ADialogAsksForItAndSaysWhatItWillBe) {
  ASSERT_TRUE(window->run("file.export-movie"));
  auto* dialog = window->findChild<QDialog*>("export-movie-dialog");
  ASSERT_NE(dialog, nullptr);
  auto* summary = dialog->findChild<QLabel*>("movie.summary");
  const auto codec = QString::fromStdString(pictures::codec_of("a.mp4"));
  EXPECT_EQ(summary->text(), "33 frames, " + codec) << "1.1 s of the lab's time";
  auto* name = dialog->findChild<QLineEdit*>();
  name->setText(folder.filePath("a.avi"));
  EXPECT_TRUE(summary->text().contains("Use .mp4, .webm"));
  auto* save = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save);
  EXPECT_FALSE(save->isEnabled());
  name->setText(folder.filePath("a.webm"));
  dialog->findChildren<QSpinBox*>()[1]->setValue(64);
  dialog->findChildren<QSpinBox*>()[2]->setValue(48);
  ASSERT_TRUE(save->isEnabled());
  QTest::mouseClick(save, Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return QFile::exists(folder.filePath("a.webm")); }, patience_ms))
      << window->error_text().toStdString();
  EXPECT_EQ(test::decode_movie(path("a.webm")).frames.size(), 33U);
}

TEST_F(MovieTest, TheDialogTakesSmallNumbersAndSaysWhereItKnowsNoEnds) {
  ASSERT_TRUE(window->run("file.export-movie"));
  auto* dialog = window->findChild<QDialog*>("export-movie-dialog");
  ASSERT_NE(dialog, nullptr);
  const auto choices = dialog->findChildren<QComboBox*>();
  const auto numbers = dialog->findChildren<QDoubleSpinBox*>();
  ASSERT_EQ(choices.size(), 2);
  ASSERT_EQ(numbers.size(), 3);
  choices[0]->setCurrentIndex(choices[0]->findData("parameter"));
  choices[1]->setCurrentIndex(choices[1]->findData("grain"));
  auto* summary = dialog->findChild<QLabel*>("movie.summary");
  EXPECT_TRUE(summary->text().contains("grain has no default range")) << summary->text().toStdString();
  EXPECT_EQ(numbers[2]->value(), 5);
  EXPECT_EQ(numbers[1]->suffix(), QString::fromUtf8(" mm³"));
  numbers[1]->setValue(5e-5);
  EXPECT_EQ(numbers[1]->value(), 5e-5);
  EXPECT_EQ(numbers[1]->text(), QString::fromUtf8("5e-5 mm³"));
  EXPECT_TRUE(summary->text().startsWith("150 frames")) << summary->text().toStdString();
}

}  // namespace
}  // namespace isolume::workbench
