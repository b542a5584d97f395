// file.export-movie.
#include <QDialog>
#include <QDialogButtonBox>
#include <QGuiApplication>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/pictures/movie_writer.h"
#include "app/workbench/commands/window_command_parts.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/exports/export_movie_dialog.h"
#include "app/workbench/exports/movie_export.h"
#include "app/workbench/window/main_window.h"

namespace isolume::workbench {
namespace {

/// A document must not be changed while it is filmed: a modal dialog blocks the window.
void show_progress(MainWindow& window, MovieExport& movie, int frames) {
  auto* dialog = new QDialog(&window);
  dialog->setObjectName("movie-progress");
  dialog->setWindowTitle(QObject::tr("Export movie"));
  // The title bar also contains the program's name and buttons, often in a larger font.
  const QString title = dialog->windowTitle() + " — " + QGuiApplication::applicationDisplayName();
  dialog->setMinimumWidth(2 * dialog->fontMetrics().horizontalAdvance(title));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  auto* text = new QLabel;
  auto* bar = new QProgressBar;
  bar->setRange(0, frames);
  bar->setAccessibleName(QObject::tr("Frames of the movie"));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
  // The Enter that confirmed the file's name may be pressed twice.
  buttons->button(QDialogButtonBox::Cancel)->setAutoDefault(false);
  auto* column = new QVBoxLayout(dialog);
  column->addWidget(text);
  column->addWidget(bar);
  column->addWidget(buttons);
  const auto tell = [text, bar, frames](int done) {
    text->setText(QObject::tr("Frame %1 of %2").arg(done).arg(frames));
    bar->setValue(done);
  };
  tell(0);
  QObject::connect(&movie, &MovieExport::advanced, dialog, tell);
  QObject::connect(&movie, &MovieExport::ended, dialog, &QDialog::close);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  QObject::connect(dialog, &QDialog::rejected, &movie,
                   [&window, job = movie.job()] { window.jobs().cancel(job); });
  dialog->setModal(true);
  dialog->open();
}

}  // namespace

void export_movie(MainWindow& window, const Arguments& arguments) {
  if (!arguments.has("path")) {
    (new ExportMovieDialog(
         window.lab(), [&window](const auto& chosen) { window.run("file.export-movie", chosen); },
         name_for_export(window), &window))
        ->open();
    return;
  }
  const auto settings = arguments.has("setting") ? arguments.texts("setting") : std::vector<std::string>();
  const MovieRequest request =
      movie_request(window.lab(), arguments.text("path"), arguments.text("over"), settings);
  pictures::check_movie(request.path, {request.width, request.height, request.frames_per_second});
  auto* movie = new MovieExport(window.document(), request, &window);
  show_progress(window, *movie, request.frames());
}

}  // namespace isolume::workbench
