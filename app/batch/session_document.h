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

/// Whether the file's name says that it is a session of the window.
bool is_session(const std::filesystem::path& path);
/// The lab that a session shows. Throws as sessions::read_session does.
std::string lab_shown_by(const std::filesystem::path& session);

/// A lab's document of a session, with its data found.
struct SessionDocument {
  sessions::DocumentSession document;
  std::filesystem::path data;  ///< empty where it lives without a file
};
/// Whether a lab draws only what comes from a file.
enum class SessionData { needed, optional };
/// The document of `lab` that is in front, with a complaint where its data have changed. Throws InputError where
/// there is none, or its data are missing.
SessionDocument read_session_document(Context& context, const std::filesystem::path& session,
                                      const std::string& lab, SessionData data = SessionData::needed);
/// Sets what the command line leaves open; complains about values that cannot be set.
void take_parameters(Context& context, const CLI::App& command, const sessions::DocumentSession& document,
                     parameters::ParameterSet& set);

}  // namespace isolume::batch
