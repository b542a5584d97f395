// The window in another language: an English with accents, made of all texts that lupdate finds. Whatever a person can
// read there without accents is said past Qt's translation functions.
#include <QApplication>
#include <QDialog>
#include <QDirIterator>
#include <QFileDialog>
#include <QTest>
#include <map>

#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "app/workbench/commands/palette_search.h"
#include "app/workbench/window/main_window.h"
#include "core/base/resources.h"
#include "core/dispatch/dispatch.h"
#include "gpu/machine.h"
#include "tests/app/isolume/pseudo_translation.h"
#include "tests/app/isolume/visible_texts.h"
#include "tests/app/patience.h"

namespace isolume::workbench {
namespace {

/// What the labs show is not for translators: data of files, names of orbitals, units, commands, keys of parameters.
class Untranslated {
 public:
  void know(const QString& word) { names_.insert(word); }
  void know(const parameters::ParameterSet& set) {
    for (const auto& each : set.descriptions()) know(QString::fromStdString(each.key));
  }
  /// The words of the text that have no accents and should; empty for none.
  QString in(QString text) const {
    static const QRegularExpression no_words(
        "<[^>]*>"                       // markup
        "|&[a-z]+;"                     // entities
        "|\\S*[\\w*][./_|=][\\w*]\\S*"  // files, commands, choices
        "|\\S*\\d\\S*"                  // formulas, basis sets, sizes
        "|\\b[A-Z]{2,}\\b");            // HOMO, CT, GPU
    static const QRegularExpression word("[A-Za-z]{2,}[A-Za-z-]*");
    text.replace(no_words, " ");
    QStringList found;
    for (auto each = word.globalMatch(text); each.hasNext();) {
      const QString one = each.next().captured();
      if (!names_.contains(one)) found << one;
    }
    return found.join(' ');
  }

 private:
  QSet<QString> names_{"Isolume",
                       "Qt",
                       "VTK",
                       "oneTBB",
                       "Highway",
                       "Eigen",
                       "Apache",
                       "CUDA",
                       "NVIDIA",  // programs and licences
                       "eV",
                       "Eh",
                       "bohr",
                       "mm",
                       "px",
                       "ms",
                       "fs",
                       "Poisson-Boltzmann",
                       "linear",
                       "GiB",
                       "MiB",
                       "kB",  // units
                       "orbitals",
                       "electrostatics",
                       "livewire",
                       "nbody",
                       "flames",
                       "homo",
                       "lumo",
                       "transparent",
                       "beside",
                       "WIDTHxHEIGHT",
                       "all",
                       "auto",  // words of commands
                       "ct-abdomen",
                       "slices",
                       "fchk",
                       "Cartesian",  // titles of data
                       "superposition",
                       "of",
                       "real",
                       "part",  // names of fields, as in files
                       "CPU",
                       "AVX-",
                       "bucket",
                       "queue",
                       "delta-stepping",
                       "thread",
                       "threads",
                       "separable",
                       "kernel"};  // names of engines  // data
};

class TranslationTest : public testing::Test {
 protected:
  TranslationTest() : translation_(ISOLUME_ALL_TEXTS) {
    QApplication::installTranslator(&translation_);
    window_ = std::make_unique<MainWindow>(labs(), gpu::make_device_pool);
    window_->resize(1400, 900);
    window_->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window_.get(), patience_ms));
    for (const QString& word :
         QString::fromStdString(dispatch::processor_name()).split(QRegularExpression("[^A-Za-z-]+")))
      known_.know(word);  // what its maker calls it
    for (const auto& entry : labs()) {
      known_.know(QString::fromStdString(entry.description.name));
      if (!entry.description.parameters) continue;
      for (const auto& parameter : entry.description.parameters()) {
        known_.know(QString::fromStdString(parameter.key));
        for (const auto& choice : parameter.choices) known_.know(QString::fromStdString(choice.key));
      }
    }
  }
  ~TranslationTest() override {
    window_.reset();
    QApplication::removeTranslator(&translation_);
  }

  void run(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window_->run_script(script, [&end](const std::string& error) { end = error; });
    ASSERT_TRUE(QTest::qWaitFor([&] { return end.has_value(); }, patience_ms));
    EXPECT_EQ(*end, "") << lines.front();
    for (int quiet = 0; quiet < 5; ++quiet) {
      if (window_->busy()) quiet = -1;
      QTest::qWait(20);
    }
  }
  void open_sample(const char* name) { run({"file.open " + commands::quote(resource(name).string())}); }

  /// Everything that can be read now.
  void read() {
    const VisibleTexts texts([this](const QString& where, const QString& text) { look_at(where, text); },
                             [](const QObject& object) { return is_data(object); });
    for (const QWidget* each : QApplication::topLevelWidgets()) {
      const auto* dialog = qobject_cast<const QFileDialog*>(each);
      if (dialog == nullptr) texts.read(*each);
    }
    for (const auto* dialog : window_->findChildren<QFileDialog*>()) {
      look_at("file dialog", dialog->windowTitle());
      for (const QString& filter : dialog->nameFilters()) look_at("file dialog's filter", filter);
    }
    for (const PaletteEntry& entry : palette_entries(window_->commands())) {
      for (const std::string& text : {entry.title, entry.detail, entry.help})
        look_at("palette " + QString::fromStdString(entry.line), QString::fromStdString(text));
    }
  }
  /// Menus that open under the right button.
  void read_context_menus() {
    for (QWidget* each : window_->findChildren<QWidget*>()) {
      if (each->contextMenuPolicy() != Qt::CustomContextMenu || !each->isVisible()) continue;
      Q_EMIT each->customContextMenuRequested(QPoint(5, 5));
      QTest::qWait(20);
      read();
      if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
    }
  }
  void read_dialog(const char* line) {
    window_->run(line);
    QTest::qWait(50);
    read();
    for (auto* dialog : window_->findChildren<QDialog*>()) dialog->close();
    QTest::qWait(20);
  }

  std::string all_found() const {
    std::string list;
    for (const auto& [text, where] : found_) list += "\n" + where.toStdString() + ": " + text.toStdString();
    return list;
  }

  PseudoTranslation translation_;
  Untranslated known_;
  std::unique_ptr<MainWindow> window_;

 private:
  /// Logs are for whoever mends the program, the manual is a book of its own, and headers are the files'.
  static bool is_data(const QObject& object) {
    const QString name = object.objectName();
    return name == "manual.page" || name == "manual.hits" || name == "header" ||
           QByteArray(object.metaObject()->className()).endsWith("QFileDialog") ||
           (object.parent() != nullptr &&
            QByteArray(object.parent()->metaObject()->className()).endsWith("LogPanel") &&
            object.inherits("QPlainTextEdit"));
  }
  void look_at(const QString& where, const QString& text) {
    if (!known_.in(text).isEmpty()) found_.emplace(text, where);
  }

  std::map<QString, QString> found_;
};

TEST_F(TranslationTest, NothingIsSaidInEnglishAlone) {
  ASSERT_GT(translation_.size(), 800) << ISOLUME_ALL_TEXTS;
  run({"lab.show orbitals"});
  read();
  open_sample("samples/benzene.fchk.gz");
  run({"parameter.set slice true", "parameter.set field superposition", "parameter.set labels true"});
  read();
  run({"orbitals.measure.atoms 1 2", "parameter.set isovalue 0.03"});
  read();
  for (const char* line :
       {"file.open", "file.open-folder", "file.export", "file.export-image", "session.save", "script.run",
        "help.shortcuts", "help.about", "help.manual", "command.palette"})
    read_dialog(line);
  read_context_menus();
  open_sample("samples/fasciculin.pqr.gz");
  read();
  open_sample("samples/livewire/ct-abdomen");
  run({"livewire.contour.trace 2 4 1 open wire:10,20;11,21 straight:11,21;30,40"});
  read();
  read_context_menus();
  read_dialog("file.export");
  EXPECT_TRUE(all_found().empty()) << all_found();
  EXPECT_TRUE(translation_.missing().isEmpty())
      << translation_.missing().join('\n').toStdString()
      << "\nlupdate does not find these: their class lacks Q_OBJECT, or is another one's";
}

TEST(Stages, OfWorkInCoreAreForTranslators) {
  const PseudoTranslation translation(ISOLUME_ALL_TEXTS);
  static const QRegularExpression reported("\\b(?:report|in_parallel)\\([^;\"]*, *\"([^\"]+)\"");
  int count = 0;
  QDirIterator files(ISOLUME_CORE, {"*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
  while (files.hasNext()) {
    QFile file(files.next());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    if (file.fileName().endsWith("reference_engine.cpp")) continue;  // of tests alone
    const QString source = file.readAll();
    for (auto each = reported.globalMatch(source); each.hasNext(); ++count) {
      const QByteArray stage = each.next().captured(1).toUtf8();
      EXPECT_FALSE(translation.translate("declared", stage, nullptr, -1).isEmpty())
          << file.fileName().toStdString() << ": " << stage.toStdString();
    }
  }
  EXPECT_GT(count, 20);
}

TEST(Plurals, HaveTheirFormsInEnglish) {
  EXPECT_EQ(QCoreApplication::translate("isolume::labs::orbitals::OrbitalsLab", "%1: %n atom(s)", "", 1),
            "%1: 1 atom");
  EXPECT_EQ(QCoreApplication::translate("isolume::labs::orbitals::OrbitalsLab", "%1: %n atom(s)", "", 12),
            "%1: 12 atoms");
  const PseudoTranslation all(ISOLUME_ALL_TEXTS);
  EXPECT_GT(all.plurals().size(), 5);
  for (const auto& [context, text] : all.plurals()) {
    const QString one = QCoreApplication::translate(context.toUtf8(), text.toUtf8(), "", 1);
    EXPECT_FALSE(one.contains("(s)")) << one.toStdString() << ": isolume_en.ts lacks it";
  }
}

}  // namespace
}  // namespace isolume::workbench
