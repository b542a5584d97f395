#include "core/ranks/ranks.h"

#include <algorithm>
#include <climits>
#include <thread>

#include <fmt/format.h>
#include <mpi.h>

#include "core/dispatch/dispatch.h"

namespace isolume {

namespace {

/// MPI counts are ints: this many bytes that always go together are one MPI element.
class Unit {
 public:
  explicit Unit(std::size_t bytes) {
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~Unit() { MPI_Type_free(&type_); }
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;
  MPI_Datatype type() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int counted(std::size_t number) {
  if (number <= INT_MAX) return static_cast<int>(number);
  throw ResourceError(fmt::format(
      "{} values would go from one rank to another at once, and MPI counts to {}. Take more ranks.", number,
      INT_MAX));
}

struct Counts {
  std::vector<int> counts, begins;

  explicit Counts(const std::vector<std::size_t>& begin) {
    for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
      counts.push_back(counted(begin[i + 1] - begin[i]));
      begins.push_back(counted(begin[i]));
    }
  }
};

std::vector<std::size_t> begins_from(const std::vector<std::uint64_t>& counts) {
  std::vector<std::size_t> begins{0};
  for (const std::uint64_t count : counts) begins.push_back(begins.back() + count);
  return begins;
}

void reduce(std::span<double> values, MPI_Op operation) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), counted(values.size()), MPI_DOUBLE, operation, MPI_COMM_WORLD);
}

int ranks_of_this_machine() {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int count = 1;
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return count;
}

}  // namespace

Ranks::Ranks() : exceptions_before_(std::uncaught_exceptions()) {
  int ended = 0;
  MPI_Finalized(&ended);
  if (ended != 0) throw Error("Ranks work together once in a program. Start it again for what comes next.");
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  // A launcher may bind each rank to some processors; where it does not, every rank would use all of them.
  const int share = static_cast<int>(std::thread::hardware_concurrency()) / ranks_of_this_machine();
  threads_ = std::clamp(share, 1, dispatch::processor_threads());
}

Ranks::~Ranks() {
  if (std::uncaught_exceptions() > exceptions_before_ && !all_know_) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize();
}

void Ranks::abort(int code) const {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::terminate();  // MPI_Abort does not return
}

void Ranks::agree(Outcome outcome, const std::string& text) const {
  // Reduces to the worst outcome and the first rank that had it.
  int worst = static_cast<int>(outcome) * count_ + rank_;
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  const auto of_all = static_cast<Outcome>(worst / count_);
  if (of_all == Outcome::done) return;
  all_know_ = true;
  if (of_all == Outcome::cancelled) throw CancelledOnRank();
  const int who = worst % count_;
  std::string told = text;
  std::uint64_t length = told.size();
  MPI_Bcast(&length, 1, MPI_UINT64_T, who, MPI_COMM_WORLD);
  told.resize(length);
  MPI_Bcast(told.data(), counted(length), MPI_CHAR, who, MPI_COMM_WORLD);
  throw FailedOnRank(who == 0 ? told : fmt::format("Rank {} of {}: {}", who, count_, told));
}

void Ranks::sum(std::span<double> values) const {
  reduce(values, MPI_SUM);
}
void Ranks::least(std::span<double> values) const {
  reduce(values, MPI_MIN);
}
void Ranks::greatest(std::span<double> values) const {
  reduce(values, MPI_MAX);
}

std::vector<std::size_t> Ranks::begins(std::size_t own) const {
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(count_));
  const std::uint64_t mine = own;
  MPI_Allgather(&mine, 1, MPI_UINT64_T, counts.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return begins_from(counts);
}

std::vector<std::size_t> Ranks::begins_of_exchange(const std::vector<std::size_t>& to_each) const {
  std::vector<std::uint64_t> to(static_cast<std::size_t>(count_)), from(to.size());
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = to_each[i + 1] - to_each[i];
  MPI_Alltoall(to.data(), 1, MPI_UINT64_T, from.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  return begins_from(from);
}

void Ranks::gather(const void* own, std::size_t count, void* all, const std::vector<std::size_t>& begin,
                   std::size_t bytes) const {
  const Unit unit(bytes);
  const Counts counts(begin);
  MPI_Allgatherv(own, counted(count), unit.type(), all, counts.counts.data(), counts.begins.data(),
                 unit.type(), MPI_COMM_WORLD);
}

void Ranks::exchange(const void* from, const std::vector<std::size_t>& from_begin, void* to,
                     const std::vector<std::size_t>& to_begin, std::size_t bytes) const {
  const Unit unit(bytes);
  const Counts sent(from_begin), received(to_begin);
  MPI_Alltoallv(from, sent.counts.data(), sent.begins.data(), unit.type(), to, received.counts.data(),
                received.begins.data(), unit.type(), MPI_COMM_WORLD);
}

void Ranks::send(const void* values, std::size_t count, int to, std::size_t bytes) const {
  const Unit unit(bytes);
  MPI_Send(values, counted(count), unit.type(), to, 0, MPI_COMM_WORLD);
}

void Ranks::receive(void* values, std::size_t count, int from, std::size_t bytes) const {
  const Unit unit(bytes);
  MPI_Recv(values, counted(count), unit.type(), from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

}  // namespace isolume
