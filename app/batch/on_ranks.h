#pragma once

#include <exception>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/base/error_text.h"
#include "core/base/launch.h"
#include "core/ranks/ranks.h"

namespace isolume::batch {

/// Whether a launcher (mpirun) has started several processes.
inline bool are_several() {
  const auto launched = launch();
  return launched && launched->ranks > 1;
}

/// Does work on all ranks. The first rank alone reports an error or a cancellation that all of them received; any other
/// exception is reported where it was thrown, and ends all ranks.
template <class Work>
void on_ranks(Context& context, const Work& work) {
  const Ranks ranks;
  try {
    work(ranks);
  } catch (const FailedOnRank&) {
    if (ranks.is_first()) throw;
    throw SaidElsewhere(1);
  } catch (const CancelledInPart&) {
    throw;  // of the first rank
  } catch (const CancelledOnRank&) {
    if (ranks.is_first()) throw;
    throw SaidElsewhere(130);
  } catch (const std::exception& error) {
    complain(context.err, fmt::format("Rank {} of {}: {}", ranks.rank(), ranks.count(), error_text(error)));
    ranks.abort(1);
  }
}

}  // namespace isolume::batch
