#include "app/workbench/exports/movie_export.h"

#include <QImage>
#include <QPointer>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <vtkRenderer.h>

#include "app/pictures/movie_writer.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/documents/hosted_lab.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "core/jobs/activity.h"

namespace isolume::workbench {
namespace {

using Over = MovieRequest::Over;

constexpr std::size_t most_waiting = 3;  ///< pictures that are drawn and not encoded yet
constexpr int picture_dpi = 72;

std::vector<std::uint8_t> read_rgb(const std::filesystem::path& path) {
  const QImage picture = QImage(QString::fromStdString(path.string())).convertToFormat(QImage::Format_RGB888);
  if (picture.isNull()) {
    throw Error(said(QObject::tr("%1: the picture of a frame could not be read back. The temporary folder "
                                 "may be full. Free some space and try again."),
                     path.string()));
  }
  std::vector<std::uint8_t> rgb;
  const auto row_length = static_cast<std::ptrdiff_t>(3) * picture.width();
  for (int y = 0; y < picture.height(); ++y)
    rgb.insert(rgb.end(), picture.constScanLine(y), picture.constScanLine(y) + row_length);
  return rgb;
}

/// Interpolates between the ends, geometrically if the parameter's scale is logarithmic.
parameters::Value between(const parameters::Description& description, double from, double to, double part) {
  const bool by_factors = description.scale == parameters::Scale::logarithmic && from > 0 && to > 0;
  const double value = by_factors ? from * std::pow(to / from, part) : from + (to - from) * part;
  if (description.kind == parameters::Kind::integer) return std::int64_t{std::llround(value)};
  return value;
}

/// Whether the end looks like the start.
bool is_whole_turn(const MovieRequest& request) {
  constexpr double whole = 360;
  return std::remainder(request.to - request.from, whole) == 0;
}

QString told_movie(const MovieRequest& request) {
  return QObject::tr("Written: %1 (%n frame(s), %2 s, %3 × %4 pixels)", "", request.frames())
      .arg(QString::fromStdString(request.path.string()),
           QString::number(request.frames() / static_cast<double>(request.frames_per_second)),
           QString::number(request.width), QString::number(request.height));
}

}  // namespace

MovieExport::MovieExport(HostedDocument& document, const MovieRequest& request, QObject* parent)
    : QObject(parent), document_(document), view_(document.view), request_(request) {
  if (!folder_.isValid()) {
    throw Error(said(QObject::tr("%1: the frames of the movie cannot be stored here (%2). Free some space, "
                                 "or set TMPDIR to another folder."),
                     qEnvironmentVariable("TMPDIR", "/tmp").toStdString(),
                     folder_.errorString().toStdString()));
  }
  begin();
  const auto to_gui = [alive = QPointer<MovieExport>(this)](std::function<void()> action) {
    QMetaObject::invokeMethod(
        alive,
        [alive, action = std::move(action)] {
          if (alive) action();
        },
        Qt::QueuedConnection);
  };
  // The work releases this at its end, and if it is cancelled before its start.
  const std::shared_ptr<void> ending(
      nullptr, [to_gui, end = jobs::on_behalf([this] { end(); })](void*) { to_gui(end); });
  job_ = document_.jobs.submit(
      said(QObject::tr("Export movie")), {},
      [this, feed = feed_, request = request_, to_gui, ending](const jobs::Progress& progress) {
        const auto tell = [&](int frames) {
          to_gui([this, frames] {
            encoded_ = frames;
            Q_EMIT advanced(frames);
            if (std::exchange(resting_, false)) film();
          });
        };
        const auto tell_kept = [&](const std::string& text) { to_gui([this, text] { kept_ = text; }); };
        encode(*feed, request, tell, tell_kept, progress);
        to_gui([this] { written_ = told_movie(request_); });
      });
  QMetaObject::invokeMethod(this, &MovieExport::film, Qt::QueuedConnection);
}

/// Stores the state of the document, to be restored at the end.
void MovieExport::begin() {
  Lab& lab = *document_.lab;
  lab.stop_moving();
  switch (request_.over) {
    case Over::time: {
      const auto passage = lab.passage().value();
      go_ = passage.go_to;
      if (passage.loops) part_end_ = 1 - 1.0 / request_.frames();
      restore_ = [go = passage.go_to, at = passage.now] { go(at); };
      return;
    }
    case Over::turn: {
      if (is_whole_turn(request_)) part_end_ = 1 - 1.0 / request_.frames();
      restore_ = [this, before = scene::camera_text(*document_.view->renderer())] {
        scene::set_camera(*document_.view->renderer(), before);
        document_.view->request_render();
      };
      return;
    }
    case Over::parameter:
      restore_ = [this, before = lab.parameters()->get(request_.parameter)] {
        document_.lab->set_parameter(request_.parameter, before);
        document_.context->parameters_changed();
      };
  }
}

/// Runs the action, then `next` when all work that it started has ended.
void MovieExport::follow(void (MovieExport::*next)(), const std::function<void()>& action) {
  const auto activity = std::make_shared<jobs::Activity>(
      [alive = QPointer<MovieExport>(this), next](const jobs::Outcome& outcome) {
        QMetaObject::invokeMethod(
            alive,
            [alive, next, error = outcome.error] {
              if (!alive || !alive->goes_on()) return;
              error.empty() ? (alive->*next)() : alive->give_up(error);
            },
            Qt::QueuedConnection);
      });
  const jobs::Activity::Scope scope(activity);
  try {
    action();
  } catch (const std::exception& error) {
    activity->fail(error_text(error));
  }
}

void MovieExport::film() {
  if (!goes_on() || frame_ == request_.frames()) return;
  {
    const std::lock_guard guard(feed_->mutex);
    resting_ = feed_->pictures.size() >= most_waiting;
  }
  if (!resting_) follow(&MovieExport::draw, [this] { go_to(frame_); });
}

void MovieExport::go_to(int frame) {
  const int last = std::max(1, request_.frames() - 1);
  const double part = part_end_ * frame / last;
  switch (request_.over) {
    case Over::time:
      return go_(request_.from + (request_.to - request_.from) * part);
    case Over::turn: {
      // Rotates by the difference between frames, since the camera has no angle of its own.
      auto& renderer = *document_.view->renderer();
      const double before =
          frame == 0 ? 0 : request_.from + (request_.to - request_.from) * part_end_ * (frame - 1) / last;
      scene::orbit_upright(renderer, request_.from + (request_.to - request_.from) * part - before, 0);
      return document_.view->request_render();
    }
    case Over::parameter: {
      const auto description = document_.lab->parameters()->description(request_.parameter);
      const auto value = between(description, request_.from, request_.to, part);
      document_.lab->set_parameter(request_.parameter, parameters::validated(description, value));
    }
  }
}

/// What the frame's file reports is not for users: only the movie stays.
void MovieExport::draw() {
  document_.writes_frame = true;
  const auto path = std::filesystem::path(folder_.path().toStdString()) / fmt::format("{}.png", frame_);
  follow(&MovieExport::take_picture,
         [&] { document_.lab->write_image(path, request_.width, request_.height, false, picture_dpi); });
}

void MovieExport::take_picture() {
  document_.writes_frame = false;
  {
    const std::lock_guard guard(feed_->mutex);
    feed_->pictures.push_back(std::filesystem::path(folder_.path().toStdString()) /
                              fmt::format("{}.png", frame_));
  }
  feed_->changed.notify_all();
  ++frame_;
  film();
}

/// The document cannot continue: the job reports the error.
void MovieExport::give_up(const std::string& error) {
  const std::lock_guard guard(feed_->mutex);
  feed_->error = error;
  feed_->changed.notify_all();
}

/// The job has ended. The document may have been closed meanwhile.
void MovieExport::end() {
  over_ = true;
  if (view_) document_.writes_frame = false;
  // After what the restored document reports. The caller's activity lasts until then.
  const auto restored =
      std::make_shared<jobs::Activity>([caller = jobs::Activity::current(), view = view_,
                                        &document = document_, text = written_](const auto&) {
        if (!view || text.isEmpty()) return;
        QMetaObject::invokeMethod(view, [caller, &document, text] { document.context->show_status(text); });
      });
  try {
    const jobs::Activity::Scope scope(restored);
    if (view_) restore_();
  } catch (const Error& error) {
    document_.context->show_warning(QString::fromUtf8(error.what()));
  }
  if (view_ && !kept_.empty()) document_.context->show_warning(QString::fromStdString(kept_));
  Q_EMIT ended();
  deleteLater();
}

void MovieExport::encode(Feed& feed, const MovieRequest& request, const std::function<void(int)>& tell,
                         const std::function<void(const std::string&)>& tell_kept,
                         const jobs::Progress& progress) {
  pictures::MovieWriter writer(request.path, {request.width, request.height, request.frames_per_second});
  const int count = request.frames();
  try {
    for (int i = 0; i < count; ++i) {
      std::filesystem::path picture;
      {
        std::unique_lock lock(feed.mutex);
        while (feed.pictures.empty() && feed.error.empty()) {
          feed.changed.wait_for(lock,
                                std::chrono::milliseconds(40));  // cancelling does not wake it
          progress.check();
        }
        if (!feed.error.empty()) throw Error(feed.error);
        picture = feed.pictures.front();
        feed.pictures.pop_front();
      }
      writer.add(read_rgb(picture));
      std::error_code ignored;
      std::filesystem::remove(picture, ignored);
      progress.report(static_cast<double>(i + 1) / count, said(QObject::tr("frame %1 of %2"), i + 1, count));
      tell(i + 1);
      progress.check();
    }
  } catch (const Cancelled&) {
    const std::filesystem::path kept = writer.finish_early();
    if (!kept.empty())
      tell_kept(said(QObject::tr("The movie was cancelled: %1 holds the first %2 of %3 frames."),
                     kept.string(), writer.frames(), count));
    throw;
  }
  writer.finish();
}

}  // namespace isolume::workbench

#include "moc_movie_export.cpp"
