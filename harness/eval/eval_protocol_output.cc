#include "harness/eval/eval_protocol.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/parameters.h"
#include "core/shown_json.h"
#include "core/text.h"

namespace aqbench {
namespace {

Json number_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

std::string six_digits(const std::optional<double>& value, double factor = 1) {
  return value ? fmt::format("{:.6g}", *value * factor) : "n/a";
}

// ---- Tables ----

// Adds the rows of one number: at each of its thresholds.
void add_rows(Table& table, const ShownProtocol& protocol, const PublishedNumber& number) {
  for (const ProtocolValue& value : protocol.result) {
    if (value.name != number.name) continue;
    const char* const unit = *number.unit != '\0' ? number.unit : value.unit == "1" ? "" : value.unit.c_str();
    table.rows.push_back(
        {{protocol.name},
         {number.label},
         {value.threshold ? fmt::format("{:g} {}", *value.threshold, value.threshold_unit) : ""},
         {six_digits(value.value, number.factor)},
         {value.value ? unit : value.reason}});
  }
}

// The lines that ETH3D's own program prints, as it formats them.
void say_eth3d_lines(const ProtocolResult& result, EvalAnswer& answer) {
  std::string tolerances, lines;
  for (const auto& [name, label] :
       {std::pair("recall", "Completenesses"), std::pair("precision", "Accuracies"),
        std::pair("f_score", "F1-scores")}) {
    std::string values;
    tolerances.clear();
    for (const ProtocolValue& value : result) {
      if (value.name != name) continue;
      tolerances += fmt::format(" {:.6g}", value.threshold.value_or(0));
      values += ' ' + six_digits(value.value);
    }
    lines += fmt::format("{}:{}\n", label, values);
  }
  answer.say("\nTolerances:{}\n{}", tolerances, lines);
}

Json protocol_json(const ShownProtocol& protocol) {
  Json values = Json::array();
  for (const ProtocolValue& value : protocol.result) {
    Json json = {{"name", value.name}, {"unit", value.unit}, {"value", number_json(value.value)}};
    if (value.threshold) json["threshold"] = *value.threshold;
    if (!value.value) json["reason"] = value.reason;
    values.push_back(std::move(json));
  }
  Json json = {
      {"name", protocol.name}, {"source", protocol.source}, {"knobs", protocol.knobs}, {"values", values}};
  if (!protocol.counts.is_null()) json["counts"] = protocol.counts;
  return json;
}

}  // namespace

Json counts_json(const CloudCounts& counts) {
  return {{"points", counts.points},
          {"truth_points", counts.truth_points},
          {"non_finite", counts.non_finite},
          {"outside_crop", counts.outside_crop},
          {"truth_outside_crop", counts.truth_outside_crop},
          {"unseen", counts.unseen},
          {"truth_unseen", counts.truth_unseen},
          {"outside_mask", counts.outside_mask},
          {"truth_below_plane", counts.truth_below_plane},
          {"scored", counts.scored},
          {"truth_scored", counts.truth_scored}};
}

EvalAnswer answer_of(const std::vector<ScoredFile>& files, const Json& inputs, const EvalRequest& asked,
                     const Arguments& arguments, const std::vector<std::string>& notes) {
  EvalAnswer answer;
  if (asked.wants_record()) {
    answer.results = protocol_results(files, asked, arguments, notes);
    if (files.size() == 1) answer.metrics = answer.results->records[0].metrics;
  }
  if (asked.cloud.json) {
    Json list = Json::array();
    for (const ScoredFile& file : files)
      for (const ShownProtocol& protocol : file.protocols) {
        list.push_back(protocol_json(protocol));
        if (files.size() > 1) list.back()["case"] = file.of_case.name(file.scene);
      }
    Json json = to_json(*answer.results);
    json.update(Json{{"file", inputs.at("file")}, {"inputs", inputs}, {"notes", notes}, {"protocols", list}});
    answer.json = shown_json(json.dump(1) + "\n");
    return answer;
  }
  for (const std::string& note : notes) answer.say("{}\n", printable(note));
  Table table;
  table.columns = {
      {"protocol"}, {"number"}, {"at", Align::right}, {"value", Align::right}, {"unit", Align::left, true}};
  for (const ScoredFile& file : files)
    for (const ShownProtocol& protocol : file.protocols) {
      std::vector<PublishedNumber> shown = protocol.published;
      if (shown.empty())
        for (const ProtocolValue& value : protocol.result)
          if (std::ranges::none_of(shown, [&](const auto& other) { return value.name == other.name; }))
            shown.push_back({value.name.c_str(), value.name.c_str()});
      for (const PublishedNumber& number : shown) {
        const std::size_t before = table.rows.size();
        add_rows(table, protocol, number);
        for (std::size_t row = before; row < table.rows.size() && files.size() > 1; ++row)
          table.rows[row].insert(table.rows[row].begin(), {file.of_case.name(file.scene)});
      }
    }
  if (files.size() > 1) table.columns.insert(table.columns.begin(), {"case"});
  answer.shown.emplace_back(std::move(table));
  if (files.size() == 1 && files[0].protocols.size() == 1 && files[0].protocols[0].name == "eth3d")
    say_eth3d_lines(files[0].protocols[0].result, answer);
  return answer;
}

EvalAnswer answer_of(const std::vector<Explanation>& explanations, const std::string& a, const std::string& b,
                     bool json) {
  EvalAnswer answer;
  Json list = Json::array();
  for (const Explanation& explanation : explanations) {
    Json effects = Json::array();
    Table table;
    table.columns = {{"knob"}, {a}, {b}, {"alone", Align::right}, {"in order", Align::right}};
    for (const KnobEffect& effect : explanation.effects) {
      effects.push_back({{"knob", effect.knob},
                         {"from", effect.from},
                         {"to", effect.to},
                         {"alone", number_json(effect.alone)},
                         {"in_order", number_json(effect.in_order)}});
      const auto shown = [](const std::optional<double>& value) {
        return value ? fmt::format("{:+.6g}", *value) : std::string("n/a");
      };
      table.rows.push_back(
          {{effect.knob}, {effect.from}, {effect.to}, {shown(effect.alone)}, {shown(effect.in_order)}});
    }
    list.push_back({{"number", explanation.number},
                    {"unit", explanation.unit},
                    {"threshold", number_json(explanation.threshold)},
                    {"a", number_json(explanation.a)},
                    {"b", number_json(explanation.b)},
                    {"effects", effects}});
    if (json) continue;
    answer.say("{}{}: {} by {}, {} by {}{}\n", explanation.number,
               explanation.threshold
                   ? fmt::format(" at {:g} {}", *explanation.threshold, explanation.threshold_unit)
                   : "",
               six_digits(explanation.a), a, six_digits(explanation.b), b,
               explanation.unit == "1" ? "" : fmt::format(" [{}]", explanation.unit));
    answer.shown.emplace_back(std::move(table));
    answer.say("\n");
  }
  if (json) answer.json = shown_json(Json{{"a", a}, {"b", b}, {"explanations", list}}.dump(1) + "\n");
  return answer;
}

EvalAnswer answer_of(const std::vector<WhichCandidate>& candidates, const std::string& number, bool json) {
  EvalAnswer answer;
  Json list = Json::array();
  Table table;
  table.columns = {{"rank", Align::right},
                   {"protocol"},
                   {"number"},
                   {"at", Align::right},
                   {"value", Align::right},
                   {"unit"},
                   {"knobs that differ", Align::left, true}};
  for (const WhichCandidate& candidate : candidates) {
    Json changed = Json::object();
    std::vector<std::string> texts;
    for (const auto& [knob, value] : candidate.changed) {
      changed[knob] = value;
      texts.push_back(knob + '=' + value);
    }
    list.push_back(
        {{"rank", candidate.rank},
         {"protocol", candidate.protocol},
         {"number", candidate.label},
         {fmt::format("threshold_{}", candidate.threshold_unit), number_json(candidate.threshold_m)},
         {"value", candidate.value},
         {"unit", candidate.unit},
         {"changed", changed}});
    table.rows.push_back(
        {{fmt::format("{}", candidate.rank)},
         {candidate.protocol},
         {candidate.label},
         {candidate.threshold_m ? fmt::format("{:g} {}", *candidate.threshold_m, candidate.threshold_unit)
                                : ""},
         {fmt::format("{:.6g}", candidate.value)},
         {candidate.unit == "1" ? "" : candidate.unit},
         {fmt::format("{}", fmt::join(texts, " "))}});
  }
  if (json) {
    answer.json = shown_json(Json{{"number", number}, {"candidates", list}}.dump(1) + "\n");
  } else if (candidates.empty()) {
    answer.say(
        "no protocol gives {}: not as it is, and not with one knob at another usual value; two knobs at once "
        "are not tried.\nGive a tolerance of its own by --thresholds; docs/protocols.md has the knobs\n",
        number);
  } else {
    answer.shown.emplace_back(std::move(table));
    answer.say("candidates of one rank give the very same value: nothing tells them apart\n");
  }
  return answer;
}

}  // namespace aqbench
