#include "gpu/runtime/streams/pipeline.h"

#include <deque>

#include "core/base/error.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/streams/range.h"

namespace isolume::gpu {
namespace {

/// State of the work on one slot's item.
struct Slot {
  explicit Slot(const GpuDevice& device) : uploaded(device), computed(device), downloaded(device) {}

  Event uploaded;
  Event computed;
  Event downloaded;
};

class Pipeline {
 public:
  Pipeline(const PipelineStreams& streams, std::size_t slots, const PipelineSteps& steps,
           std::chrono::steady_clock::time_point deadline, const jobs::Progress& progress)
      : streams_(streams), steps_(steps), deadline_(deadline), progress_(progress) {
    for (std::size_t i = 0; i < slots; ++i) slots_.emplace_back(streams.compute.device());
    join();
  }
  /// Buffers are returned in the order of one stream: work of the others must not outlast it.
  ~Pipeline() {
    try {
      join();
    } catch (const std::exception&) {  // the device is broken, and nothing runs on it any more
    }
  }
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  void run(std::size_t items) {
    const std::size_t ahead = slots_.size() - 1;
    for (std::size_t item = 0; item < items + ahead; ++item) {
      progress_.check();
      if (item < items) start(item);
      if (item >= ahead) finish(item - ahead);
    }
  }

 private:
  void start(std::size_t item) {
    const Range range("pipeline item");
    const std::size_t number = item % slots_.size();
    Slot& slot = slots_[number];  // the events are still those of the slot's previous item
    if (steps_.fill) {
      slot.uploaded.wait(deadline_, progress_);
      steps_.fill(item, number);
    }
    streams_.upload.wait_for(slot.computed);
    if (steps_.upload) steps_.upload(item, number, streams_.upload);
    slot.uploaded.record(streams_.upload);

    streams_.compute.wait_for(slot.uploaded);
    streams_.compute.wait_for(slot.downloaded);
    if (steps_.compute) steps_.compute(item, number, streams_.compute);
    slot.computed.record(streams_.compute);

    streams_.download.wait_for(slot.computed);
    if (steps_.download) steps_.download(item, number, streams_.download);
    slot.downloaded.record(streams_.download);
  }

  void finish(std::size_t item) {
    const std::size_t number = item % slots_.size();
    slots_[number].downloaded.wait(deadline_, progress_);
    if (steps_.drain) steps_.drain(item, number);
  }

  /// Later work of each stream comes after the work queued on all of them now.
  void join() {
    const Stream* const all[] = {&streams_.upload, &streams_.compute, &streams_.download};
    for (const Stream* ended : all) {
      Event end(ended->device());
      end.record(*ended);
      for (const Stream* stream : all) stream->wait_for(end);
    }
  }

  const PipelineStreams& streams_;
  const PipelineSteps& steps_;
  std::chrono::steady_clock::time_point deadline_;
  jobs::Progress progress_;
  std::deque<Slot> slots_;  // a deque, so that slots do not move
};

}  // namespace

void run_pipeline(const PipelineStreams& streams, std::size_t items, std::size_t slots,
                  const PipelineSteps& steps, std::chrono::steady_clock::time_point deadline,
                  const jobs::Progress& progress) {
  if (slots < 2) throw Error("GPU: a pipeline needs two slots or more.");
  Pipeline(streams, slots, steps, deadline, progress).run(items);
}

}  // namespace isolume::gpu
