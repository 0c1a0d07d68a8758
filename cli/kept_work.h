#pragma once
// --keep-work: what a user's program saw and wrote, kept to run it again by hand.

#include <filesystem>

#include "cli/options.h"
#include "harness/records/case.h"
#include "harness/records/record.h"
#include "pipeline/method/method.h"

namespace aqbench::cli {

// Of which cases the work is kept.
enum class KeepWork { none, failed, all };

// The flag, of commands that run programs.
inline constexpr FlagText kKeepWorkFlag{
    .name = "keep-work",
    .value_name = "[=failed]",
    .help =
        "keep what your programs saw and wrote, of all or of failed cases, in OUT.work beside OUT, and "
        "print a line that runs them again",
    .value_optional = true};

// Reads the value of --keep-work[=failed]. Throws Error(usage) for another word.
KeepWork read_keep_work(const FlagValue& value);

// Returns OUT.work/BUNDLE for the bundle OUT/BUNDLE: beside the folder of bundles, whose entries are all
// bundles.
std::filesystem::path work_folder(const std::filesystem::path& bundle);

// Moves what the program of a case saw and wrote from the case's scratch folder to CASE/dataset, CASE/output
// and CASE/log.txt below `folder`, in place of what is there, and prints on stderr a line that runs the
// program again on them. Does nothing for a method that starts no program, a skipped case, and one that went
// well where only failed ones are kept. Throws Error(io).
void keep_work(KeepWork which, const Case& planned, const MethodSpec& method, const Record& record,
               const std::filesystem::path& scratch, const std::filesystem::path& folder);

}  // namespace aqbench::cli
