#include "tests/app/pictures/decoded_movie.h"

#include <cmath>
#include <memory>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswscale/swscale.h>
}

namespace isolume::test {
namespace {

std::vector<std::uint8_t> rgb_of(const AVFrame& frame) {
  std::vector<std::uint8_t> rgb(std::size_t{3} * static_cast<std::size_t>(frame.width * frame.height));
  SwsContext* scaler = sws_getContext(
      frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), frame.width, frame.height,
      AV_PIX_FMT_RGB24, SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, nullptr, nullptr, nullptr);
  // As the file says, and not as is usual for small pictures.
  const int* matrix = sws_getCoefficients(frame.colorspace);
  sws_setColorspaceDetails(scaler, matrix, frame.color_range == AVCOL_RANGE_JPEG, matrix, 1, 0, 1 << 16,
                           1 << 16);
  std::uint8_t* rows[] = {rgb.data()};
  const int row_lengths[] = {3 * frame.width};
  sws_scale(scaler, frame.data, frame.linesize, 0, frame.height, rows, row_lengths);
  sws_freeContext(scaler);
  return rgb;
}

void take_frames(AVCodecContext* codec, AVFrame* frame, DecodedMovie& movie) {
  while (avcodec_receive_frame(codec, frame) == 0) movie.frames.push_back(rgb_of(*frame));
}

}  // namespace

DecodedMovie decode_movie(const std::string& path) {
  DecodedMovie movie;
  AVFormatContext* format = nullptr;
  if (avformat_open_input(&format, path.c_str(), nullptr, nullptr) < 0) return movie;
  const AVCodec* decoder = nullptr;
  avformat_find_stream_info(format, nullptr);
  const int number = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
  if (number >= 0) {
    const AVStream& stream = *format->streams[number];
    AVCodecContext* codec = avcodec_alloc_context3(decoder);
    avcodec_parameters_to_context(codec, stream.codecpar);
    avcodec_open2(codec, decoder, nullptr);
    movie.width = codec->width;
    movie.height = codec->height;
    movie.frames_per_second = av_q2d(stream.avg_frame_rate);
    movie.seconds = static_cast<double>(format->duration) / AV_TIME_BASE;
    movie.codec = avcodec_get_name(codec->codec_id);
    AVPacket* packet = av_packet_alloc();
    AVFrame* frame = av_frame_alloc();
    while (av_read_frame(format, packet) == 0) {
      if (packet->stream_index == number) avcodec_send_packet(codec, packet);
      av_packet_unref(packet);
      take_frames(codec, frame, movie);
    }
    avcodec_send_packet(codec, nullptr);
    take_frames(codec, frame, movie);
    av_frame_free(&frame);
    av_packet_free(&packet);
    avcodec_free_context(&codec);
  }
  avformat_close_input(&format);
  return movie;
}

double mean_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  if (a.size() != b.size() || a.empty()) return 255;
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(int{a[i]} - int{b[i]});
  return sum / static_cast<double>(a.size());
}

}  // namespace isolume::test
