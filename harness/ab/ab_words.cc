#include "harness/ab/ab_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

#include "core/text.h"
#include "harness/ab/document.h"

namespace aqbench {
namespace {

// Returns the seed of a text; one that no comparison has where it is none.
std::uint64_t whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size() ? number : UINT64_MAX;
}

}  // namespace

bool AbWords::has(std::string_view flag) const {
  const std::string with_value = fmt::format("--{}=", flag), alone = fmt::format("--{}", flag);
  return std::ranges::any_of(
      words_, [&](const std::string& word) { return word == alone || word.starts_with(with_value); });
}

std::optional<std::string> AbWords::value_of(std::string_view flag) const {
  const std::vector<std::string> values = values_of(flag);
  return values.empty() ? std::nullopt : std::optional(values.front());
}

std::vector<std::string> AbWords::values_of(std::string_view flag) const {
  const std::string with_value = fmt::format("--{}=", flag), alone = fmt::format("--{}", flag);
  std::vector<std::string> values;
  for (std::size_t i = 0; i < words_.size(); ++i)
    if (words_[i].starts_with(with_value))
      values.push_back(words_[i].substr(with_value.size()));
    else if (words_[i] == alone && i + 1 < words_.size())
      values.push_back(words_[++i]);
  return values;
}

std::optional<double> AbWords::share_of(std::string_view flag) const {
  auto text = value_of(flag);
  if (!text) return std::nullopt;
  const bool percent = text->ends_with('%');
  if (percent) text->pop_back();
  const auto number = parse_double(*text);
  return number && percent ? std::optional(*number / 100) : number;
}

std::optional<double> AbWords::number_of(std::string_view flag) const {
  const auto text = value_of(flag);
  return text ? parse_double(*text) : std::nullopt;
}

std::string AbWords::samples_file() const {
  if (!of_bundles()) return value_of("samples").value_or("");
  return fmt::format("{} and {}", value_of("bundle-a").value_or(""), value_of("bundle-b").value_or(""));
}

std::optional<double> AbWords::warm_runs() const {
  if (const auto given = number_of("repetitions")) return given;
  if (has("cmd-a") || has("gbench-a")) return std::nullopt;
  if (has("quick")) return kFewestRepetitions;
  if (!against_itself()) return kUnitRepetitions;
  return has("metric") ? kMetricRepetitions : kAaRepetitions;
}

PairedPolicy AbWords::policy(int usual_looks) const {
  PairedPolicy policy = paired_policy(value_of("policy").value_or("sensitive"));
  policy.tau = share_of("tau").value_or(policy.tau);
  policy.delta = share_of("delta").value_or(std::max(policy.delta, policy.tau));
  policy.alpha = share_of("alpha").value_or(policy.alpha);
  const double looks = number_of("looks").value_or(usual_looks);
  policy.looks = looks >= 0 && looks <= kMaxBootstrapDraws ? static_cast<int>(looks) : 0;
  const double draws = std::ceil(2 * policy.looks / policy.alpha);
  if (draws >= 0 && draws <= kMaxBootstrapDraws)
    policy.bootstrap_draws = std::max(policy.bootstrap_draws, static_cast<int>(draws));
  if (has("quick")) policy.looks = 1;
  if (const auto text = value_of("order-seed")) policy.seed = whole_number(*text);
  return policy;
}

bool AbWords::is_margin_of(const AbOutcome& metric) const {
  double margin = kUsualMargin;
  bool absolute = false;
  for (std::string text : values_of("margin")) {
    if (const std::size_t equals = text.rfind('='); equals != std::string::npos) {
      if (text.substr(0, equals) != metric.name) continue;
      text.erase(0, equals + 1);
    }
    absolute = !text.ends_with('%');
    if (!absolute) text.pop_back();
    const auto number = parse_double(text);
    if (!number) return false;
    margin = absolute ? *number : *number / 100;
  }
  return metric.margin == margin && metric.margin_absolute == absolute;
}

// A suite may hold workloads and say how its cases are scored, as options do.
AbScoring AbWords::scoring() const {
  const bool suite = has("suite") || has("suite-file"),
             methods = has("method") || has("method-a") || has("scene") || against_itself();
  const bool options = std::ranges::any_of(
      words_, [](const std::string& word) { return word.find("scoring.") != std::string::npos; });
  return {.usual_lengths = !words_.empty() && !suite && !options,
          .methods_alone = methods && !suite && !has("workload"),
          .known_names = false};
}

}  // namespace aqbench
