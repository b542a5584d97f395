#include "app/batch/session_document.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/base/error.h"
#include "core/base/suffix.h"

namespace isolume::batch {

bool is_session(const std::filesystem::path& path) {
  return suffix_of(path) == sessions::suffix;
}

std::string lab_shown_by(const std::filesystem::path& session) {
  return sessions::read_session(session).shown;
}

SessionDocument read_session_document(Context& context, const std::filesystem::path& path,
                                      const std::string& lab, SessionData wanted) {
  auto session = sessions::read_session(path);
  const auto found = std::ranges::find_if(session.documents,
                                          [&](const auto& each) { return each.lab == lab && each.front; });
  const bool is_there = found != session.documents.end();
  const std::string place = is_there ? found->entry : std::string();
  add_input(context, path);
  report(context, session.remarks);
  if (is_there && !found->data && wanted == SessionData::optional) return {std::move(*found), {}, place};
  if (!is_there || !found->data) {
    throw InputError(path, 0, fmt::format("holds no file of the lab \"{}\" to draw", lab),
                     "Open it with isolume.");
  }
  const auto data = sessions::locate(*found->data, path);
  if (data.found == sessions::Found::missing) {
    throw InputError(path, 0, fmt::format("refers to {}, which was not found", data.path.string()),
                     "Put the file back where it was relative to the session, or open the session with "
                     "isolume and locate the file.");
  }
  if (data.found == sessions::Found::changed) {
    Remarks remarks;
    remarks.warn(fmt::format("{} has changed since the session was saved.", data.path.string()));
    report(context, remarks);
  }
  add_input(context, data.path);
  return {std::move(*found), data.path, place};
}

void take_parameters(Context& context, const CLI::App& command, const std::filesystem::path& session,
                     const SessionDocument& document, parameters::ParameterSet& set) {
  Remarks remarks;
  for (const auto& [stored_key, text] : document.document.parameters) {
    const std::string place = fmt::format("{}.parameters.{}", document.place, stored_key);
    const std::string key = set.key_of_session(stored_key);
    if (!set.has(key)) {
      remarks.dropped(fmt::format("{}: there is no parameter of this name. It is left out.", place), 1);
    } else if (!given(command, key)) {
      try {
        set.set_text(key, text);
      } catch (const Error& error) {
        throw InputError(session, 0, fmt::format("{}: {}", place, error.what()),
                         fmt::format("Correct it, or give --{}.", key));
      }
    }
  }
  report(context, session.string(), remarks);
}

}  // namespace isolume::batch
