#pragma once

#include <filesystem>
#include <string>

#include "core/parameters/schema.h"
#include "core/sessions/session.h"

namespace CLI {
class App;
}

namespace isolume::batch {

struct Context;

/// Whether the file has the suffix of a session of the window.
bool is_session(const std::filesystem::path& path);
/// The lab that a session shows. Throws as sessions::read_session does.
std::string lab_shown_by(const std::filesystem::path& session);

/// A lab's document of a session, with its data found.
struct SessionDocument {
  sessions::DocumentSession document;
  std::filesystem::path data;  ///< empty if the document has no file
  std::string place;           ///< as DocumentSession::entry
};
/// Whether a lab needs a file to draw a document.
enum class SessionData { needed, optional };
/// The front document of `lab`, with a warning if its data have changed. Throws InputError if there is none,
/// or its data are missing.
SessionDocument read_session_document(Context& context, const std::filesystem::path& session,
                                      const std::string& lab, SessionData data = SessionData::needed);
/// Sets the parameters that the command line does not give. Parameters that are unknown, as those of another
/// version, are left out with a remark. Throws InputError, which names the place, for a value that cannot be set.
void take_parameters(Context& context, const CLI::App& command, const std::filesystem::path& session,
                     const SessionDocument& document, parameters::ParameterSet& set);

}  // namespace isolume::batch
