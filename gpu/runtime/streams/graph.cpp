#include "gpu/runtime/streams/graph.h"

#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

/// The recording of a stream, until its result is taken.
class Recording {
 public:
  explicit Recording(const Stream& stream) : stream_(stream) {
    stream.make_current();
    // Records the calls of this thread only: others continue to allocate and to query events.
    require_success(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
                    "beginning to record a graph");
  }
  ~Recording() {
    if (graph_ == nullptr && !taken_) cudaStreamEndCapture(stream_.get(), &graph_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    if (!taken_) cudaGetLastError();  // the error of `work` is being thrown already
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  cudaGraph_t take() {
    taken_ = true;
    require_success(cudaStreamEndCapture(stream_.get(), &graph_), "recording a graph");
    return graph_;
  }

 private:
  const Stream& stream_;
  cudaGraph_t graph_ = nullptr;
  bool taken_ = false;
};

}  // namespace

Graph::Graph(const Stream& stream, const std::function<void()>& work) : device_(&stream.device()) {
  Recording recording(stream);
  work();
  require_success(cudaGraphInstantiate(&executable_, recording.take(), 0), "making a graph");
}

Graph::~Graph() {
  if (!device_->given_up()) cudaGraphExecDestroy(executable_);
}

void Graph::launch(const Stream& stream) const {
  stream.make_current();
  require_success(cudaGraphLaunch(executable_, stream.get()), "launching a graph");
}

}  // namespace isolume::gpu
