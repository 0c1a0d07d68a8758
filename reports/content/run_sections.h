#pragma once
// The sections of a run's report, made once from its bundle. summary.md has all of them, report.html these
// and pictures between them.

#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/document/document.h"

namespace aqbench {

// Return the sections before and behind the pictures of a page. `cases` is the part of the bundle that is
// listed case by case; the rest is said of the whole.
std::vector<Section> leading_sections(const BundleContent& content, const BundleContent& cases);
std::vector<Section> trailing_sections(const BundleContent& content, const BundleContent& cases);

// Returns whether faults were put into a case with --inject, so that its result is no evidence of quality.
bool has_injected_faults(const Results& results);

// Returns how the run went in sentences: how many cases are ok, whether faults were put in, and what the
// program's own tests gave.
std::vector<std::string> run_sentences(const BundleContent& content);

// Returns what ran and how, as the terminal has it, too: times, programs, protocols, failures.
std::vector<Section> measured_sections(const Results& results);

// Returns the tables of methods and scenes that decide; without blocks where there is one method without
// seeds.
Section methods_section(const Results& results);

// Returns the values against the baseline; without blocks where the run was not gated.
Section baseline_section(const BundleContent& content);

// Returns summary.md: the verdict, the sentences and all sections. It depends on nothing but `content`, so
// that `aqbench verify` can render it again and compare the bytes.
std::string render_summary(const BundleContent& content);

}  // namespace aqbench
