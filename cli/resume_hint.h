#pragma once
// Adds to write errors how to resume: a full disk must not cost the measurements.

#include <fmt/format.h>

#include <filesystem>

#include "core/error.h"

namespace aqbench::cli {

// Returns the result of `body`. If it throws an Error(io), throws one whose text ends in "aqbench COMMAND
// --resume BUNDLE".
template <class Body>
auto with_resume_hint(const char* command, const std::filesystem::path& bundle, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::io) throw;
    throw Error(ErrorKind::io,
                fmt::format("{}; finished results are kept; continue with aqbench {} --resume {}",
                            error.what(), command, bundle.string()),
                error.file());
  }
}

}  // namespace aqbench::cli
