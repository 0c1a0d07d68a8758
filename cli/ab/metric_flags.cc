#include "cli/ab/metric_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/registry.h"

namespace aqbench::cli {
namespace {

[[noreturn]] void refuse_metrics(const std::string& why) { throw Error(ErrorKind::usage, why); }

// Reads "5%" or "0.1" into the outcome.
void read_margin(const std::string& given, std::string_view text, AbOutcome& outcome) {
  const bool share = text.ends_with('%');
  if (share) text.remove_suffix(1);
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number) || *number <= 0 || (share && *number >= 100))
    refuse_metrics(
        fmt::format("--margin '{}': expected a share like 5% or a value in the metric's unit", given));
  outcome.margin = share ? *number / 100 : *number;
  outcome.margin_absolute = !share;
}

void set_margin(const std::string& given, std::vector<AbOutcome>& outcomes) {
  const std::size_t equals = given.rfind('=');
  if (equals == std::string::npos) {
    for (AbOutcome& outcome : outcomes) read_margin(given, given, outcome);
    return;
  }
  const auto outcome = std::ranges::find(outcomes, given.substr(0, equals), &AbOutcome::name);
  if (outcome == outcomes.end())
    refuse_metrics(fmt::format("--margin '{}': no --metric of that name", given));
  read_margin(given, std::string_view(given).substr(equals + 1), *outcome);
}

AbOutcome outcome_of(const std::string& name) {
  const auto spec = std::ranges::find(metric_registry(), name, &MetricSpec::name);
  if (const auto of_protocol = find_protocol_metric(name))
    return {.name = name,
            .kind = AbOutcome::Kind::metric,
            .unit = of_protocol->unit,
            .better = of_protocol->better,
            .margin = kUsualMargin};
  if (spec == metric_registry().end())
    refuse_metrics(fmt::format("--metric '{}': unknown (aqbench list metrics)", name));
  if (spec->better == Better::equal && !spec->ideal)
    refuse_metrics(
        fmt::format("--metric '{}': no value of it is better than another; gate it (aqbench gate)", name));
  AbOutcome outcome;
  outcome.name = name;
  outcome.kind = AbOutcome::Kind::metric;
  outcome.unit = spec->unit;
  outcome.better = spec->better;
  outcome.margin = kUsualMargin;
  return outcome;
}

std::vector<Flag<AbMetricRequest>> make_metric_rows() {
  std::vector<Flag<AbMetricRequest>> rows;
  rows.push_back(
      {{.name = "metric",
        .value_name = "NAME",
        .help = "also judge this metric over the pairs: BETTER, WORSE, EQUIVALENT; may be repeated",
        .repeatable = true},
       into<&AbMetricRequest::names>});
  rows.push_back({{.name = "margin",
                   .value_name = "[NAME=]X[%]",
                   .help = "how much of a metric does not matter: a share or in its unit (default 5%)",
                   .repeatable = true},
                  into<&AbMetricRequest::margins>});
  rows.push_back({{.name = "paired-over",
                   .value_name = "WHAT",
                   .help = "metrics: seeds (each pair has its own) or runs (of the same case)",
                   .default_value = "seeds"},
                  into<&AbMetricRequest::paired_over>});
  for (std::size_t side = 0; side < 2; ++side) {
    rows.push_back({{.name = side == 0 ? "method-a" : "method-b",
                     .value_name = "NAME",
                     .help = side == 0 ? "A's method, in place of --method" : "B's method"},
                    [side](AbMetricRequest& r, const FlagValue& v) { r.methods[side] = v.text; }});
    rows.push_back(
        {{.name = side == 0 ? "bundle-a" : "bundle-b",
          .value_name = "BUNDLE",
          .help = side == 0 ? "judge --metric over the seeds of this sweep (--repeat) and run nothing"
                            : "and of this one"},
         [side](AbMetricRequest& r, const FlagValue& v) { r.bundles[side] = v.text; }});
  }
  return rows;
}

}  // namespace

const std::vector<Flag<AbMetricRequest>>& ab_metric_flags() {
  static const std::vector<Flag<AbMetricRequest>> rows = make_metric_rows();
  return rows;
}

std::vector<AbOutcome> metric_outcomes(const AbMetricRequest& request) {
  std::vector<AbOutcome> outcomes;
  for (const std::string& name : request.names) {
    if (std::ranges::count(request.names, name) > 1)
      refuse_metrics(fmt::format("--metric '{}': is given twice", name));
    outcomes.push_back(outcome_of(name));
  }
  for (const std::string& margin : request.margins) set_margin(margin, outcomes);
  for (const AbOutcome& outcome : outcomes)
    if (outcome.better == Better::equal && !outcome.margin_absolute)
      refuse_metrics(fmt::format(
          "--metric {0}: should be near {1:g}, of which a share means nothing: --margin {0}=X ({2})",
          outcome.name, metric_ideal(outcome.name).value_or(0), outcome.unit));
  return outcomes;
}

void check_ab_metrics(const AbMetricRequest& request, const std::set<std::string>& given) {
  if (request.paired_over != "seeds" && request.paired_over != "runs")
    refuse_metrics(fmt::format("--paired-over '{}': expected seeds or runs", request.paired_over));
  for (const char* name : {"margin", "paired-over", "bundle-a", "bundle-b"})
    if (given.contains(name) && request.names.empty())
      refuse_metrics(fmt::format("--{} needs --metric NAME", name));
  for (const auto& [what, sides] : {std::pair("method", &request.methods), {"bundle", &request.bundles}})
    if ((*sides)[0].empty() != (*sides)[1].empty())
      refuse_metrics(fmt::format("--{0}-{1} without --{0}-{2}", what, (*sides)[0].empty() ? 'b' : 'a',
                                 (*sides)[0].empty() ? 'a' : 'b'));
  metric_outcomes(request);
}

}  // namespace aqbench::cli
