// The program as a person or a script starts it.
#include <QDirIterator>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/resources.h"
#include "core/base/text_file.h"
#include "core/base/version.h"
#include "core/sessions/session.h"

namespace isolume::workbench {
namespace {

constexpr int patience_ms = 120'000;

struct Outcome {
  int exit_code = -1;
  QString output;
  QStringList errors;    ///< the lines that are the program's own complaint
  QStringList warnings;  ///< what Qt warns of
};

class ProgramTest : public testing::Test {
 protected:
  ProgramTest() {
    environment.insert("XDG_CONFIG_HOME", folder.filePath("settings"));
    environment.insert("XDG_DATA_HOME", folder.filePath("data"));
    environment.remove("QT_SCALE_FACTOR");
  }
  Outcome run(const QStringList& arguments) const {
    QProcess program;
    program.setProcessEnvironment(environment);
    program.setWorkingDirectory(folder.path());
    program.start(ISOLUME_PROGRAM, arguments);
    Outcome outcome;
    if (!program.waitForFinished(patience_ms) || program.exitStatus() != QProcess::NormalExit) return outcome;
    outcome.exit_code = program.exitCode();
    outcome.output = program.readAllStandardOutput();
    for (const QString& line : QString(program.readAllStandardError()).split('\n')) {
      if (line.startsWith("isolume: ")) outcome.errors << line;
      if (line.contains(" Qt: ")) outcome.warnings << line;
    }
    return outcome;
  }
  static QString sample(const char* name) {
    return QString::fromStdString(resource(std::string("samples/") + name).string());
  }
  /// The session that a window keeps while it is open; empty: there is none.
  QString kept() const {
    QDirIterator found(folder.filePath("data"), {"*.isolume"}, QDir::Files, QDirIterator::Subdirectories);
    return found.hasNext() ? found.next() : QString();
  }
  /// Runs the program until it keeps a session with this text, and kills it.
  bool kill_when_kept(const QStringList& arguments, const char* text) const {
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(ISOLUME_PROGRAM, arguments);
    const auto is_kept = [&] {
      const QString path = kept();
      QFile file(path);
      return !path.isEmpty() && file.open(QIODevice::ReadOnly) && file.readAll().contains(text);
    };
    if (!QTest::qWaitFor(is_kept, patience_ms)) return false;
    program.kill();
    return program.waitForFinished(patience_ms);
  }
  void without_display() {
    for (const char* variable : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"})
      environment.remove(variable);
  }

  QTemporaryDir folder;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
};

TEST_F(ProgramTest, RunsCommandsOneAfterTheOtherAndWritesWhatWasAskedFor) {
  const QString image = folder.filePath("image.png");
  const QString window = folder.filePath("window.png");
  const Outcome outcome =
      run({QString::fromStdString(resource("samples/benzene.fchk.gz").string()), "--command", "orbitals.next",
           "--command", "file.export-image \"" + image + "\" 320x200 150", "--screenshot", window,
           "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  const QImage exported(image);
  EXPECT_EQ(exported.size(), QSize(320, 200));
  EXPECT_NEAR(exported.dotsPerMeterX(), 150 / 0.0254, 1);
  const QImage shot(window);
  ASSERT_GT(shot.width(), 600);
  int coloured = 0;  // the lobes are the only large coloured thing in the window
  for (int y = 0; y < shot.height(); y += 4) {
    for (int x = 0; x < shot.width(); x += 4) coloured += shot.pixelColor(x, y).hsvSaturation() > 128;
  }
  EXPECT_GT(coloured, 200) << "the screenshot must hold the 3D view";
}

/// The script of the manual's tour, as people run it.
TEST_F(ProgramTest, TheTourFromAPdbEntryToAPictureRuns) {
  const QString script = QString::fromStdString(resource("manual/tours/potential.isoscript").string());
  const Outcome outcome = run({"--script", script, "--quit-after-commands"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  const QImage picture(folder.filePath("potential.png"));
  ASSERT_EQ(picture.size(), QSize(2400, 1800));
  EXPECT_NEAR(picture.dotsPerMeterX(), 300 / 0.0254, 1);
  for (const QPoint corner : {QPoint(2, 2), QPoint(2397, 2), QPoint(2, 1797), QPoint(2397, 1797)})
    EXPECT_EQ(picture.pixelColor(corner), QColor(Qt::white)) << corner.x() << ' ' << corner.y();
  // The calcium site is acidic, what surrounds it is not; labels and colour bar are dark.
  int red = 0, blue = 0, dark = 0;
  for (int y = 0; y < picture.height(); y += 4) {
    for (int x = 0; x < picture.width(); x += 4) {
      const QColor colour = picture.pixelColor(x, y);
      red += colour.red() > colour.blue() + 60;
      blue += colour.blue() > colour.red() + 60;
      dark += colour.lightness() < 80;
    }
  }
  EXPECT_GT(red, 2000);
  EXPECT_GT(blue, 500);
  EXPECT_GT(dark, 200);
  // The entry's HET records: a calcium ion, and sulphate, which was given its charge.
  QFile report(folder.filePath("potential-preparation.csv"));
  ASSERT_TRUE(report.open(QIODevice::ReadOnly));
  const QByteArray text = report.readAll();
  EXPECT_TRUE(text.contains("SO4 A 72,5,total charge -2 e")) << text.toStdString();
  EXPECT_FALSE(text.contains("Without charge")) << text.toStdString();
}

TEST_F(ProgramTest, TheTourOfFrontierOrbitalsRuns) {
  const QString script = QString::fromStdString(resource("manual/tours/caffeine.isoscript").string());
  const Outcome outcome = run({"--script", script, "--quit-after-commands"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  for (const char* name : {"caffeine-homo.png", "caffeine-lumo.png", "caffeine-potential.png"})
    EXPECT_EQ(QImage(folder.filePath(name)).size(), QSize(1600, 1200)) << name;
  EXPECT_NE(QImage(folder.filePath("caffeine-homo.png")), QImage(folder.filePath("caffeine-lumo.png")));
  // Negative at oxygen and nitrogen, positive at hydrogen.
  const QImage picture(folder.filePath("caffeine-potential.png"));
  int orange = 0, blue = 0;
  for (int y = 0; y < picture.height(); y += 4) {
    for (int x = 0; x < 3 * picture.width() / 4; x += 4) {
      const QColor colour = picture.pixelColor(x, y);
      orange += colour.red() > colour.blue() + 60;
      blue += colour.blue() > colour.red() + 30;
    }
  }
  EXPECT_GT(orange, 1000);
  EXPECT_GT(blue, 1000);
}

TEST_F(ProgramTest, TheTourOfAPassingStarRuns) {
  const QString script = QString::fromStdString(resource("manual/tours/passing-star.isoscript").string());
  const Outcome outcome = run({"--script", script, "--quit-after-commands"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  EXPECT_EQ(QImage(folder.filePath("passing-star.png")).size(), QSize(1600, 1200));
  QFile table(folder.filePath("passing-star.diagnostics.csv"));
  ASSERT_TRUE(table.open(QIODevice::ReadOnly));
  const QList<QByteArray> lines = table.readAll().trimmed().split('\n');
  const QList<QByteArray> names = lines[1].split(',');
  const auto value = [&](const QByteArray& line, const char* name) {
    return line.split(',')[names.indexOf(name)].toDouble();
  };
  EXPECT_EQ(value(lines[2], "step"), 0);
  EXPECT_EQ(value(lines.back(), "step"), 4331 + 10958 + 1);
  for (const QByteArray& line : lines.mid(2)) EXPECT_LT(std::abs(value(line, "energy_error")), 1e-7);
  // The star brings m (x v_y - y v_x) = 0.5 (30 * 0.4 - 60 * 0.1) solar masses au times the unit of speed for which
  // G = 1, sqrt(GM / au); nothing changes the sum afterwards.
  const double speed_km_s = std::sqrt(1.32712440018e20 / 149597870700.0) / 1000;
  EXPECT_NEAR(value(lines.back(), "lz") - value(lines[2], "lz"), 3 * speed_km_s, 1e-4);
}

TEST_F(ProgramTest, WhatWasOpenComesBackAfterAKill) {
  ASSERT_TRUE(kill_when_kept({sample("benzene.fchk.gz"), "--command", "orbitals.select lumo+1", "--command",
                              "parameter.set opacity 0.25"},
                             "\"opacity\": \"0.25\""));
  const QString saved = folder.filePath("saved.isolume");
  const Outcome outcome =
      run({"--command", "session.restore", "--command", "session.save " + saved, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  QFile file(saved);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  const QByteArray text = file.readAll();
  EXPECT_TRUE(text.contains("\"opacity\": \"0.25\"")) << text.toStdString();
  EXPECT_TRUE(text.contains("\"orbital\": \"23\"")) << text.toStdString();
  EXPECT_EQ(kept(), QString()) << "a window that was closed leaves nothing";
}

TEST_F(ProgramTest, WhatWasOpenComesBackAfterTheWindowWasClosedWithoutSaving) {
  const QString saved = folder.filePath("saved.isolume");
  const QStringList open{sample("benzene.fchk.gz"), "--command", "parameter.set opacity 0.25"};
  EXPECT_EQ(run(open + QStringList{"--command", "session.save " + saved, "--command", "app.quit"}).exit_code,
            0);
  EXPECT_EQ(kept(), QString()) << "the session file holds it";
  EXPECT_EQ(run(open + QStringList{"--command", "app.quit"}).exit_code, 0);
  EXPECT_NE(kept(), QString());
  const Outcome outcome =
      run({"--command", "session.restore", "--command", "session.save " + saved, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  EXPECT_THAT(sessions::read_session(saved.toStdString()).documents.at(0).parameters,
              ::testing::Contains(std::pair<std::string, std::string>("opacity", "0.25")));
  EXPECT_EQ(kept(), QString()) << "a script leaves nothing";
}

TEST_F(ProgramTest, ARequestToStopKeepsWhatIsOpenForItsOwnerAlone) {
  for (const int signal : {SIGHUP, SIGTERM, SIGINT}) {
    QProcess program;
    program.setProcessEnvironment(environment);
    program.start(ISOLUME_PROGRAM, {sample("benzene.fchk.gz")});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !kept().isEmpty(); }, patience_ms));
    ::kill(static_cast<pid_t>(program.processId()), signal);
    ASSERT_TRUE(program.waitForFinished(patience_ms));
    EXPECT_EQ(program.exitStatus(), QProcess::NormalExit) << signal;
    EXPECT_EQ(program.exitCode(), 130) << signal;
    const std::filesystem::path left = kept().toStdString();
    ASSERT_FALSE(left.empty()) << signal;
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(left).permissions(), perms::owner_read | perms::owner_write);
    EXPECT_EQ(std::filesystem::status(left.parent_path()).permissions(), perms::owner_all);
    for (const auto& each : std::filesystem::directory_iterator(left.parent_path()))
      EXPECT_FALSE(each.path().filename().string().starts_with('.')) << each.path();
    std::filesystem::remove(left);
  }
}

TEST_F(ProgramTest, AnOldOpenGlIsNamedInTheView) {
  environment.insert("MESA_GL_VERSION_OVERRIDE", "2.1");
  const QString window = folder.filePath("window.png"), molden = folder.filePath("benzene.molden");
  const Outcome outcome = run({sample("benzene.fchk.gz"), "--command", "file.export " + molden,
                               "--screenshot", window, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  EXPECT_TRUE(QFile::exists(window));
  EXPECT_TRUE(QFile::exists(molden)) << "what draws nothing works on";
  const Outcome picture = run({sample("benzene.fchk.gz"), "--command",
                               "file.export-image \"" + folder.filePath("image.png") + "\" 320x200 150",
                               "--quit-after-commands"});
  EXPECT_EQ(picture.exit_code, 1);
  EXPECT_TRUE(picture.errors.join(' ').contains("OpenGL")) << picture.errors.join('\n').toStdString();
}

TEST_F(ProgramTest, AllDocumentsComeBackAfterAKill) {
  ASSERT_TRUE(kill_when_kept({sample("benzene.fchk.gz"), "--command", "orbitals.select lumo+1", "--command",
                              "file.open \"" + sample("livewire/vessels.png") + '"', "--command",
                              "file.open beside \"" + sample("water-631gs.fchk.gz") + '"', "--command",
                              "parameter.set opacity 0.25"},
                             "\"opacity\": \"0.25\""));
  const QString saved = folder.filePath("saved.isolume");
  const Outcome outcome =
      run({"--command", "session.restore", "--command", "document.show benzene.fchk.gz", "--command",
           "orbitals.next", "--command", "session.save " + saved, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  const auto session = sessions::read_session(saved.toStdString());
  ASSERT_EQ(session.documents.size(), 3U);
  const auto value = [&](std::size_t document, const char* key) {
    const auto& all = session.documents[document].parameters;
    const auto found = std::ranges::find(all, key, &std::pair<std::string, std::string>::first);
    return found == all.end() ? std::string() : found->second;
  };
  EXPECT_EQ(session.documents[0].data->path.filename(), "benzene.fchk.gz");
  EXPECT_TRUE(session.documents[0].front);
  EXPECT_EQ(value(0, "orbital"), "24") << "the one after that which was shown";
  EXPECT_EQ(session.documents[1].data->path.filename(), "water-631gs.fchk.gz");
  EXPECT_FALSE(session.documents[1].front);
  EXPECT_EQ(value(1, "opacity"), "0.25");
  EXPECT_EQ(session.documents[2].data->path.filename(), "vessels.png");
  EXPECT_EQ(kept(), QString()) << "a window that was closed leaves nothing";
}

TEST_F(ProgramTest, ASessionOfVersion1Opens) {
  const auto copy = [this](const std::filesystem::path& from) {
    const QString to = folder.filePath(QString::fromStdString(from.filename().string()));
    return QFile::copy(QString::fromStdString(from.string()), to);
  };
  ASSERT_TRUE(copy(std::filesystem::path(ISOLUME_TEST_REFERENCES) / "sessions/version-1.isolume"));
  ASSERT_TRUE(copy(resource("samples/water-631gs.fchk.gz")));
  ASSERT_TRUE(copy(resource("samples/livewire/vessels.png")));
  environment.insert("XDG_DATA_HOME", folder.filePath("data"));
  const QString saved = folder.filePath("saved.isolume");
  const Outcome outcome = run(
      {folder.filePath("version-1.isolume"), "--command", "session.save " + saved, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  const auto before =
      sessions::read_session(std::filesystem::path(ISOLUME_TEST_REFERENCES) / "sessions/version-1.isolume");
  const auto after = sessions::read_session(saved.toStdString());
  ASSERT_EQ(after.documents.size(), 2U);
  EXPECT_EQ(after.shown, "orbitals");
  for (const std::size_t document : {0, 1}) {
    for (const auto& each : before.documents[document].parameters)
      EXPECT_THAT(after.documents[document].parameters, ::testing::Contains(each))
          << "there are more of them now";
  }
  EXPECT_EQ(after.documents[0].camera, before.documents[0].camera);
  EXPECT_EQ(after.documents[0].state, before.documents[0].state);
  EXPECT_EQ(after.documents[1].state.at("contours").at("contours"),
            before.documents[1].state.at("contours").at("contours"));
}

TEST_F(ProgramTest, AnUnfinishedTraceAndTheSliceComeBackAfterAKill) {
  QStringList traced{sample("livewire/ct-abdomen")};
  for (const char* line : {"livewire.slice.show axial 3", "livewire.press 20 20", "livewire.press 60 20",
                           "livewire.press 60 60", "livewire.slice.next"})
    traced << "--command" << line;
  ASSERT_TRUE(kill_when_kept(traced, "\"draft\""));
  const QString session = folder.filePath("saved.isolume"), contours = folder.filePath("contours.json");
  const Outcome outcome =
      run({"--command", "session.restore", "--command", "session.save " + session, "--command",
           "livewire.slice.show axial 3", "--command", "livewire.press 20 60", "--command", "livewire.close",
           "--command", "livewire.contours.save " + contours, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  const auto kept_lab = sessions::read_session(session.toStdString()).documents.at(0).state;
  EXPECT_EQ(kept_lab.at("slice"), 3) << "the fourth slice is shown, counted from 0";
  const auto saved = nlohmann::json::parse(read_text_file(contours.toStdString()));
  ASSERT_EQ(saved.at("contours").size(), 1U);
  EXPECT_EQ(saved.at("contours")[0].at("slice"), 2);
  EXPECT_EQ(saved.at("contours")[0].at("seeds_px").size(), 4U) << "three before the kill, one after it";
}

TEST_F(ProgramTest, WhatWasOpenStaysToBeRestoredWhileItsDataAreMissing) {
  const QString data = folder.filePath("benzene.fchk.gz"), away = folder.filePath("away.gz");
  ASSERT_TRUE(QFile::copy(sample("benzene.fchk.gz"), data));
  ASSERT_TRUE(kill_when_kept({data}, "benzene.fchk.gz"));
  ASSERT_TRUE(QFile::rename(data, away));
  EXPECT_NE(run({"--command", "session.restore", "--quit-after-commands"}).exit_code, 0);
  EXPECT_FALSE(kept().isEmpty());
  ASSERT_TRUE(QFile::rename(away, data));
  EXPECT_EQ(run({"--command", "session.restore", "--quit-after-commands"}).exit_code, 0);
  EXPECT_TRUE(kept().isEmpty());
}

TEST_F(ProgramTest, WhatPeopleDoBringsNoWarningOfQt) {
  environment.remove("XDG_RUNTIME_DIR");
  environment.insert("XDG_DATA_HOME", folder.filePath("data"));
  QStringList arguments{QString::fromStdString(resource("samples/benzene.fchk.gz").string()),
                        "--quit-after-commands"};
  for (const char* line : {"command.palette opacity",
                           "parameter.show opacity",
                           "help.manual isovalue",
                           "help.shortcuts",
                           "help.about",
                           "view.theme dark",
                           "view.theme light",
                           "file.export-image",
                           "file.export",
                           "file.open",
                           "file.open-folder",
                           "view.panel log",
                           "view.panel devices",
                           "view.panel history",
                           "view.panel molecule",
                           "parameter.set slice true",
                           "orbitals.field.show superposition",
                           "orbitals.animation.play",
                           "orbitals.animation.stop",
                           "edit.undo",
                           "edit.redo",
                           "view.full-screen",
                           "view.full-screen",
                           "lab.show livewire",
                           "file.open-sample \"CT abdomen\"",
                           "view.panel contours",
                           "livewire.slice.space",
                           "livewire.label.add Liver",
                           "view.panel header",
                           "lab.show orbitals",
                           "file.open-sample Caffeine",
                           "view.projection orthographic",
                           "view.preset top",
                           "file.recent 1"}) {
    arguments << "--command" << line;
  }
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  EXPECT_EQ(outcome.warnings.join('\n').toStdString(), "");
}

TEST_F(ProgramTest, ACommandThatFailsEndsItWithOneLine) {
  const Outcome outcome = run({"--command", "orbitals.nxt", "--quit-after-commands"});
  EXPECT_NE(outcome.exit_code, 0);
  ASSERT_EQ(outcome.errors.size(), 1);
  EXPECT_TRUE(outcome.errors[0].contains("orbitals.next")) << outcome.errors[0].toStdString();
}

TEST_F(ProgramTest, AScriptRunsAndItsFirstErrorEndsTheProgramWithTheLine) {
  const auto script = [&](const char* name, const QString& text) {
    QFile file(folder.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text.toUtf8());
    return file.fileName();
  };
  const QString image = folder.filePath("image.png");
  const QString good = script("good.isoscript",
                              "# the LUMO\nfile.open-sample benzene\norbitals.lumo\n"
                              "livewire.slice.space\n");
  const Outcome unavailable = run({"--script", good});
  EXPECT_EQ(unavailable.exit_code, 1);
  ASSERT_EQ(unavailable.errors.size(), 1);
  EXPECT_TRUE(unavailable.errors[0].contains("good.isoscript:4: livewire.slice.space is not available now"))
      << unavailable.errors[0].toStdString();
  const QString whole =
      script("whole.isoscript",
             "file.open-sample benzene\norbitals.lumo\nfile.export-image \"" + image + "\" 160x120\n");
  const Outcome outcome = run({"--script", whole, "--quit-after-commands"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.errors.join('\n').toStdString();
  EXPECT_EQ(QImage(image).size(), QSize(160, 120));
  EXPECT_EQ(run({"--script", folder.filePath("missing")}).exit_code, 1);
}

TEST_F(ProgramTest, AFileThatIsNotThereEndsItWithOneLineThatNamesIt) {
  const Outcome outcome = run({"no-such.molden", "--command", "orbitals.next", "--quit-after-commands"});
  EXPECT_NE(outcome.exit_code, 0);
  ASSERT_EQ(outcome.errors.size(), 1);
  EXPECT_TRUE(outcome.errors[0].contains("no-such.molden"));
}

TEST_F(ProgramTest, WithoutADisplayItSaysWhatElseToDo) {
  without_display();
  const Outcome unset = run({});
  EXPECT_EQ(unset.exit_code, 1);
  ASSERT_EQ(unset.errors.size(), 1);
  EXPECT_TRUE(unset.errors[0].contains("packaging/run") && unset.errors[0].contains("isolume-batch render"));
  environment.insert("DISPLAY", ":9876");
  const Outcome unreachable = run({});
  EXPECT_EQ(unreachable.exit_code, 1) << "it must end politely, not abort";
  ASSERT_EQ(unreachable.errors.size(), 1);
  EXPECT_TRUE(unreachable.errors[0].contains(":9876"));
}

TEST_F(ProgramTest, SaysItsVersionWithoutADisplay) {
  without_display();
  const Outcome outcome = run({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.output.trimmed(), QString("isolume %1").arg(version));
  EXPECT_NE(run({"--nonsense"}).exit_code, 0);
}

}  // namespace
}  // namespace isolume::workbench
