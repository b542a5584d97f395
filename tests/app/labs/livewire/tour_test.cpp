// The manual's tour from a CT to a structure set: its script runs in the program, and what it wrote is checked by another one.
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/resources.h"
#include "core/commands/script.h"

namespace isolume::labs::livewire {
namespace {

constexpr int patience_ms = 120'000;

std::filesystem::path script() {
  return resource("manual/tours/contours.isoscript");
}

TEST(Tour, ThePageHasTheCommandsOfTheScript) {
  std::ifstream page(resource("manual/tour-contours.md"));
  std::vector<std::string> shown;
  bool is_code = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      is_code = !is_code;
    } else if (is_code) {
      shown.push_back(line);
    }
  }
  std::vector<std::string> run;
  for (const auto& line : commands::read_script(script())) run.push_back(line.command);
  EXPECT_EQ(shown, run);
}

TEST(Tour, LeadsFromACtToAStructureSetOfTwoStructuresThatOverlap) {
  QTemporaryDir folder;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("XDG_CONFIG_HOME", folder.filePath("settings"));
  environment.insert("XDG_DATA_HOME", folder.filePath("data"));
  QProcess program;
  program.setProcessEnvironment(environment);
  program.setWorkingDirectory(folder.path());
  program.start(ISOLUME_PROGRAM,
                {"--script", QString::fromStdString(script().string()), "--quit-after-commands"});
  ASSERT_TRUE(program.waitForFinished(patience_ms));
  ASSERT_EQ(program.exitCode(), 0) << program.readAllStandardError().toStdString();
  EXPECT_EQ(QImage(folder.filePath("tour-contours.png")).size(), QSize(900, 700));

  const std::string python = ISOLUME_PHANTOM_PYTHON;
  if (python.empty()) GTEST_SKIP() << "no Python with pydicom was found: the structure set cannot be checked";
  QProcess check;
  check.start(QString::fromStdString(python),
              {ISOLUME_TEST_CHECK_TOUR,
               QString::fromStdString(resource("samples/livewire/ct-abdomen").string()), folder.path()});
  ASSERT_TRUE(check.waitForFinished(patience_ms));
  EXPECT_EQ(check.exitCode(), 0) << check.readAllStandardError().toStdString();
}

}  // namespace
}  // namespace isolume::labs::livewire
