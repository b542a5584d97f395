#include "app/pictures/video_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <thread>

#include <fmt/format.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
}

#include "core/base/atomic_file.h"
#include "core/base/error.h"
#include "core/base/partial_file.h"

namespace isolume::pictures {
namespace {

namespace fs = std::filesystem;

struct Encoder {
  const char* library;  ///< FFmpeg's name
  const char* codec;    ///< display name
};
constexpr std::array encoders_of_mp4{Encoder{"libopenh264", "H.264"}, Encoder{"libvpx-vp9", "VP9"}};
constexpr std::array encoders_of_webm{Encoder{"libvpx-vp9", "VP9"}};

/// First encoder that this machine has.
const Encoder& encoder_for(const fs::path& path) {
  const std::span<const Encoder> all =
      movie_kind(path) == MovieKind::mp4 ? std::span<const Encoder>(encoders_of_mp4) : encoders_of_webm;
  for (const Encoder& each : all) {
    if (avcodec_find_encoder_by_name(each.library) != nullptr) return each;
  }
  throw Error(
      fmt::format("{}: the FFmpeg libraries of this machine have no encoder for such movies (libvpx-vp9). "
                  "Write pictures one by one, NAME-%04d.png, or install FFmpeg with libvpx.",
                  path.string()));
}

template <auto free_it>
struct FreeByAddress {
  template <class Object>
  void operator()(Object* object) const {
    free_it(&object);
  }
};
using CodecContext = std::unique_ptr<AVCodecContext, FreeByAddress<avcodec_free_context>>;
using FramePointer = std::unique_ptr<AVFrame, FreeByAddress<av_frame_free>>;
using PacketPointer = std::unique_ptr<AVPacket, FreeByAddress<av_packet_free>>;
struct FreeFormat {
  void operator()(AVFormatContext* format) const { avformat_free_context(format); }
};
struct FreeScaler {
  void operator()(SwsContext* scaler) const { sws_freeContext(scaler); }
};
struct FreeOutput {
  void operator()(AVIOContext* output) const {
    av_freep(&output->buffer);
    avio_context_free(&output);
  }
};

std::string text_of(int error) {
  std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
  av_strerror(error, text.data(), text.size());
  return text.data();
}

// Callbacks by which FFmpeg writes to an AtomicFile, so that no incomplete file appears.

int write_to_stream(void* stream, std::uint8_t* bytes, int count) {
  auto& out = *static_cast<std::ostream*>(stream);
  out.write(reinterpret_cast<const char*>(bytes), count);
  return out ? count : AVERROR(ENOSPC);
}

std::int64_t seek_in_stream(void* stream, std::int64_t offset, int whence) {
  auto& out = *static_cast<std::ostream*>(stream);
  if (whence == AVSEEK_SIZE) return -1;
  out.seekp(offset, whence == SEEK_SET ? std::ios::beg : whence == SEEK_CUR ? std::ios::cur : std::ios::end);
  return out ? static_cast<std::int64_t>(out.tellp()) : AVERROR(EIO);
}

}  // namespace

struct VideoFile::Parts {
  explicit Parts(const fs::path& file_path) : path(file_path), file(file_path) {}

  fs::path path;
  AtomicFile file;
  std::unique_ptr<AVIOContext, FreeOutput> output;
  std::unique_ptr<AVFormatContext, FreeFormat> format;
  CodecContext codec;
  std::unique_ptr<SwsContext, FreeScaler> scaler;
  FramePointer frame{av_frame_alloc()};
  PacketPointer packet{av_packet_alloc()};
  AVStream* stream = nullptr;
  int width = 0;
  std::int64_t count = 0;

  void open_output();
  void open_codec(const MovieOptions& options);
  void open_scaler(const MovieOptions& options);
  /// Throws Error for a failure code of an FFmpeg function; otherwise returns the result.
  int check(int result, const char* doing);
  /// Null flushes the encoder after the last frame.
  void encode(const AVFrame* next);
};

int VideoFile::Parts::check(int result, const char* doing) {
  if (result >= 0) return result;
  if (!file.stream()) file.commit();  // throws with the reason
  throw Error(
      fmt::format("{}: The movie could not be encoded ({}: {}). Write pictures one by one, NAME-%04d.png.",
                  path.string(), doing, text_of(result)));
}

void VideoFile::Parts::open_output() {
  constexpr int buffer_size = 1 << 16;
  auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_size));
  output.reset(
      avio_alloc_context(buffer, buffer_size, 1, &file.stream(), nullptr, write_to_stream, seek_in_stream));
  AVFormatContext* made = nullptr;
  check(avformat_alloc_output_context2(&made, nullptr, movie_kind(path) == MovieKind::mp4 ? "mp4" : "webm",
                                       nullptr),
        "preparing the file");
  format.reset(made);
  format->pb = output.get();
}

/// Quality without visible loss, and a key frame every two seconds for seeking.
void VideoFile::Parts::open_codec(const MovieOptions& options) {
  const Encoder& encoder = encoder_for(path);
  const AVCodec* found = avcodec_find_encoder_by_name(encoder.library);
  codec.reset(avcodec_alloc_context3(found));
  codec->width = options.width;
  codec->height = options.height;
  codec->time_base = {1, options.frames_per_second};
  codec->framerate = {options.frames_per_second, 1};
  codec->gop_size = 2 * options.frames_per_second;
  codec->pix_fmt = AV_PIX_FMT_YUV420P;
  codec->color_range = AVCOL_RANGE_MPEG;
  codec->colorspace = AVCOL_SPC_BT709;
  codec->color_primaries = AVCOL_PRI_BT709;
  codec->color_trc = AVCOL_TRC_BT709;
  constexpr unsigned most_threads = 16;
  codec->thread_count = static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1U, most_threads));
  if (std::string_view(encoder.codec) == "VP9") {
    av_opt_set(codec->priv_data, "crf", "16", 0);
    av_opt_set(codec->priv_data, "deadline", "good", 0);
    av_opt_set(codec->priv_data, "cpu-used", "5", 0);
    av_opt_set(codec->priv_data, "row-mt", "1", 0);
  } else {
    constexpr double bits_a_pixel = 0.2;
    codec->bit_rate =
        static_cast<std::int64_t>(bits_a_pixel * options.width * options.height * options.frames_per_second);
  }
  if ((format->oformat->flags & AVFMT_GLOBALHEADER) != 0) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  check(avcodec_open2(codec.get(), found, nullptr), "starting the encoder");
  stream = avformat_new_stream(format.get(), nullptr);
  stream->time_base = codec->time_base;
  stream->avg_frame_rate = codec->framerate;
  check(avcodec_parameters_from_context(stream->codecpar, codec.get()), "starting the encoder");
}

void VideoFile::Parts::open_scaler(const MovieOptions& options) {
  width = options.width;
  scaler.reset(sws_getContext(options.width, options.height, AV_PIX_FMT_RGB24, options.width, options.height,
                              AV_PIX_FMT_YUV420P, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP,
                              nullptr, nullptr, nullptr));
  if (scaler == nullptr) check(AVERROR(EINVAL), "preparing the colours");
  const int* bt709 = sws_getCoefficients(SWS_CS_ITU709);
  constexpr int one = 1 << 16;
  sws_setColorspaceDetails(scaler.get(), bt709, 1, bt709, 0, 0, one, one);
  frame->format = AV_PIX_FMT_YUV420P;
  frame->width = options.width;
  frame->height = options.height;
  check(av_frame_get_buffer(frame.get(), 0), "preparing the colours");
}

void VideoFile::Parts::encode(const AVFrame* next) {
  check(avcodec_send_frame(codec.get(), next), "encoding");
  while (true) {
    const int result = avcodec_receive_packet(codec.get(), packet.get());
    if (result == AVERROR(EAGAIN) || result == AVERROR_EOF) return;
    check(result, "encoding");
    packet->duration = 1;
    av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    packet->stream_index = stream->index;
    check(av_interleaved_write_frame(format.get(), packet.get()), "writing");
  }
}

std::string VideoFile::codec_of(const fs::path& path) {
  return encoder_for(path).codec;
}

VideoFile::VideoFile(const fs::path& path, const MovieOptions& options) {
  av_log_set_level(AV_LOG_QUIET);  // errors are returned and reported by this program
  encoder_for(path);
  parts_ = std::make_unique<Parts>(path);
  parts_->open_output();
  parts_->open_codec(options);
  parts_->open_scaler(options);
  parts_->check(avformat_write_header(parts_->format.get(), nullptr), "writing the start of the file");
}

VideoFile::~VideoFile() = default;

void VideoFile::add(std::span<const std::uint8_t> rgb) {
  auto& p = *parts_;
  p.check(av_frame_make_writable(p.frame.get()), "encoding");
  const std::array<const std::uint8_t*, 1> rows{rgb.data()};
  const std::array<int, 1> row_length{3 * p.width};
  sws_scale(p.scaler.get(), rows.data(), row_length.data(), 0, p.codec->height, p.frame->data,
            p.frame->linesize);
  p.frame->pts = p.count++;
  p.encode(p.frame.get());
  if (!p.file.stream()) p.check(AVERROR(ENOSPC), "writing");
}

void VideoFile::finish() {
  auto& p = *parts_;
  p.encode(nullptr);
  p.check(av_write_trailer(p.format.get()), "writing the end of the file");
  avio_flush(p.output.get());
  p.file.stream().seekp(0, std::ios::end);
  p.file.commit();
}

fs::path VideoFile::finish_early() {
  const fs::path partial = partial_name(parts_->path);
  parts_->file.retarget(partial);
  finish();
  return partial;
}

}  // namespace isolume::pictures
