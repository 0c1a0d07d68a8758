#pragma once
// Bundles of comparisons, written as `aqbench ab` writes them.

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/files.h"
#include "reports/bundle/bundle.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {

// Makes the bundle of a comparison anew, with the first `pairs` pairs in its journal.
inline void write_ab_bundle(const std::filesystem::path& folder, AbDocument& document,
                            std::size_t pairs = SIZE_MAX,
                            const std::string& at_utc = "2026-11-21T12:00:00Z") {
  std::filesystem::create_directories(folder);
  write_file(folder / "commands.txt", "aqbench ab\n");
  JournalHeader header = journal_header_of(document, {"--a", "old"}, {"plan"});
  header.run_id = document.run.id;
  header.started_utc = document.run.finished_utc = at_utc;
  std::filesystem::remove(folder / kJournalFile);
  {
    Journal journal = Journal::create(folder, header);
    const std::vector<Record> records = results_of(document, header).records;
    for (std::size_t i = 0; 2 * i < records.size() && i < pairs; ++i)
      journal.append_units(std::span(records).subspan(2 * i, 2));
  }
  finalise_bundle(folder, results_of(document, header));
}

}  // namespace aqbench
