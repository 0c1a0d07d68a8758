#include "cli/ab/first_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

#include "core/text.h"

namespace aqbench::cli {

AbUnitRunner with_first_units(AbUnitRunner run, FirstUnits first) {
  return [run = std::move(run), first = std::make_shared<FirstUnits>(std::move(first))](
             const AbUnitTask& task) -> std::optional<CaseResult> {
    const auto found = task.draw == 0 ? first->find({task.case_index, task.side}) : first->end();
    if (found == first->end()) return run(task);
    CaseResult answer = std::move(found->second);
    first->erase(found);
    return answer;
  };
}

void say_first_outputs(const AbDocument& document, std::size_t case_index, const Record& a, const Record& b) {
  const std::string &hash_a = a.output_sha256, &hash_b = b.output_sha256;
  if (hash_a.empty() || hash_b.empty() || hash_a == hash_b) return;
  std::string values;
  for (const OutcomeSamples& outcome : a.unit->outcomes) {
    const OutcomeSamples* const other = find_outcome(b, outcome.name);
    const auto known = std::ranges::find(document.settings.outcomes, outcome.name, &AbOutcome::name);
    if (other != nullptr && known != document.settings.outcomes.end() &&
        known->kind == AbOutcome::Kind::metric)
      values += fmt::format("{} {} {} and {}", values.empty() ? ":" : ",", outcome.name,
                            short_number(outcome.values.front()), short_number(other->values.front()));
  }
  fmt::print(stderr, "aqbench: {}: the outputs of the first pair differ{}\n",
             printable(document.samples.cases.at(case_index).name), values);
}

}  // namespace aqbench::cli
