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

const char* switch_text(bool on) { return on ? "yes" : "no"; }

std::string six_digits(const std::optional<double>& value, double factor = 1) {
  return value ? fmt::format("{:.6g}", *value * factor) : "n/a";
}

double knob_number(const std::string& name, const std::string& text) {
  const auto number = parse_double(text);
  if (!number || !std::isfinite(*number))
    throw usage_error("knob {}: '{}': expected a number{}", name, text, decimal_comma_note(text));
  return *number;
}

bool knob_switch(const std::string& name, const std::string& text) {
  if (text != "yes" && text != "no") throw usage_error("knob {}: '{}': expected yes or no", name, text);
  return text == "yes";
}

int knob_count(const std::string& name, const std::string& text) {
  const double number = knob_number(name, text);
  if (number != std::floor(number) || number < 1 || number > 1e9)
    throw usage_error("knob {}: '{}': expected a whole number from 1", name, text);
  return static_cast<int>(number);
}

// "10" is a number of frames, "10m" the length of a path.
void set_rpe_delta(PoseKnobs& knobs, const std::string& text) {
  const std::string name = "rpe_delta";
  knobs.rpe_path_m = 0;
  if (!text.ends_with('m')) {
    knobs.rpe_delta = knob_count(name, text);
    return;
  }
  const auto length_m = parse_double(std::string_view(text).substr(0, text.size() - 1));
  if (!length_m || !std::isfinite(*length_m) || !(*length_m > 0))
    throw usage_error("knob {}: '{}': expected frames (10) or metres along the path (10m)", name, text);
  knobs.rpe_path_m = *length_m;
}

[[noreturn]] void refuse_unknown_knob(const std::string& name, const Json& known) {
  std::vector<std::string> names;
  for (const auto& [key, value] : known.items()) names.push_back(key);
  throw usage_error("{}", unknown_name_message("knob", name, names));
}

// In the order of the enums, and of false and true.
constexpr std::array kAlignments = {"none", "rigid", "similarity", "scale"};
constexpr std::array kRelativePoses = {"colmap", "vggt", "pi3", "da3"};
constexpr std::array kDirections = {"signed", "free"};
constexpr std::array kCurves = {"trapezoid", "whole_degrees"};
constexpr std::array kPairs = {"unordered", "ordered"};
constexpr std::array kPrecisions = {"float64", "float32"};

template <std::size_t N>
std::size_t knob_choice(const std::string& name, const std::string& text,
                        const std::array<const char*, N>& choices) {
  const auto found = std::ranges::find(choices, text);
  if (found == choices.end())
    throw usage_error("knob {}: '{}': expected {}", name, text, fmt::join(choices, ", "));
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<double> knob_numbers(const std::string& name, const std::string& text) {
  std::vector<double> numbers;
  for (const std::string_view part : split_at(text, ','))
    numbers.push_back(knob_number(name, std::string(part)));
  return numbers;
}

// ---- Tables ----

// Adds the rows of one number: at each of its thresholds.
void add_rows(Table& table, const ShownProtocol& protocol, const PublishedNumber& number) {
  for (const ProtocolValue& value : protocol.result) {
    if (value.name != number.name) continue;
    const char* const unit = *number.unit != '\0' ? number.unit : value.unit == "1" ? "" : value.unit.c_str();
    const char* const of_threshold = value.unit == "1" && protocol.name == "poses" ? "deg" : "m";
    table.rows.push_back({{protocol.name},
                          {number.label},
                          {value.threshold ? fmt::format("{:g} {}", *value.threshold, of_threshold) : ""},
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

Json cloud_knobs_json(const CloudKnobs& knobs) {
  Json json = Json::object();
  for (const CloudKnob& knob : cloud_knobs()) json[knob.name] = knob.text(knobs);
  return json;
}

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

Json depth_knobs_json(const DepthKnobs& knobs, int intervals) {
  return {{"min_m", knobs.min_m},
          {"max_m", knobs.max_m},
          {"clip_prediction", switch_text(knobs.clip_prediction)},
          {"median_scaling", switch_text(knobs.median_scaling)},
          {"intervals", intervals}};
}

Json pose_knobs_json(const PoseKnobs& knobs) {
  return {{"alignment", kAlignments.at(static_cast<std::size_t>(knobs.alignment))},
          {"max_time_difference_s", knobs.max_time_difference_s},
          {"rpe_delta",
           knobs.rpe_path_m > 0 ? Json(fmt::format("{}m", knobs.rpe_path_m)) : Json(knobs.rpe_delta)},
          {"rpe_all_pairs", switch_text(knobs.rpe_all_pairs)},
          {"relative", kRelativePoses.at(static_cast<std::size_t>(knobs.relative))},
          {"direction", kDirections.at(knobs.free_direction)},
          {"curve", kCurves.at(knobs.whole_degrees)},
          {"pairs", kPairs.at(knobs.ordered_pairs)},
          {"auc_thresholds_deg", fmt::format("{}", fmt::join(knobs.auc_thresholds_deg, ","))},
          {"min_error_deg", knobs.min_error_deg},
          {"min_baseline_m", knobs.min_baseline_m},
          {"count_missing", switch_text(knobs.count_missing)},
          {"max_paired_poses", knobs.max_paired_poses},
          {"segments_m", fmt::format("{}", fmt::join(knobs.segments_m, ","))},
          {"segment_step", knobs.segment_step},
          {"precision", kPrecisions.at(knobs.single_precision)}};
}

void set_depth_knob(DepthKnobs& knobs, int& intervals, const std::string& name, const std::string& text) {
  if (name == "min_m")
    knobs.min_m = knob_number(name, text);
  else if (name == "max_m")
    knobs.max_m = knob_number(name, text);
  else if (name == "clip_prediction")
    knobs.clip_prediction = knob_switch(name, text);
  else if (name == "median_scaling")
    knobs.median_scaling = knob_switch(name, text);
  else if (name == "intervals")
    intervals = knob_count(name, text);
  else
    refuse_unknown_knob(name, depth_knobs_json(knobs, intervals));
}

void set_pose_knob(PoseKnobs& knobs, const std::string& name, const std::string& text) {
  if (name == "alignment") {
    knobs.alignment = static_cast<PoseAlignment>(knob_choice(name, text, kAlignments));
  } else if (name == "max_time_difference_s") {
    knobs.max_time_difference_s = knob_number(name, text);
  } else if (name == "rpe_delta") {
    set_rpe_delta(knobs, text);
  } else if (name == "max_paired_poses") {
    knobs.max_paired_poses = knob_count(name, text);
  } else if (name == "rpe_all_pairs") {
    knobs.rpe_all_pairs = knob_switch(name, text);
  } else if (name == "auc_thresholds_deg") {
    knobs.auc_thresholds_deg = knob_numbers(name, text);
  } else if (name == "relative") {
    compare_as(static_cast<RelativePose>(knob_choice(name, text, kRelativePoses)), knobs);
  } else if (name == "direction") {
    knobs.free_direction = knob_choice(name, text, kDirections) == 1;
  } else if (name == "curve") {
    knobs.whole_degrees = knob_choice(name, text, kCurves) == 1;
  } else if (name == "pairs") {
    knobs.ordered_pairs = knob_choice(name, text, kPairs) == 1;
  } else if (name == "min_error_deg") {
    knobs.min_error_deg = knob_number(name, text);
  } else if (name == "segments_m") {
    knobs.segments_m = knob_numbers(name, text);
  } else if (name == "segment_step") {
    knobs.segment_step = knob_count(name, text);
  } else if (name == "precision") {
    knobs.single_precision = knob_choice(name, text, kPrecisions) == 1;
  } else if (name == "min_baseline_m") {
    knobs.min_baseline_m = knob_number(name, text);
  } else if (name == "count_missing") {
    knobs.count_missing = knob_switch(name, text);
  } else {
    refuse_unknown_knob(name, pose_knobs_json(knobs));
  }
}

EvalAnswer answer_of(const std::vector<ShownProtocol>& protocols, const Json& inputs,
                     const std::vector<std::string>& notes, bool json) {
  EvalAnswer answer;
  if (json) {
    Json list = Json::array();
    for (const ShownProtocol& protocol : protocols) list.push_back(protocol_json(protocol));
    answer.json = shown_json(
        Json{{"file", inputs.at("file")}, {"inputs", inputs}, {"notes", notes}, {"protocols", list}}.dump(1) +
        "\n");
    return answer;
  }
  for (const std::string& note : notes) answer.say("{}\n", printable(note));
  Table table;
  table.columns = {
      {"protocol"}, {"number"}, {"at", Align::right}, {"value", Align::right}, {"unit", Align::left, true}};
  for (const ShownProtocol& protocol : protocols) {
    std::vector<PublishedNumber> shown = protocol.published;
    if (shown.empty())
      for (const ProtocolValue& value : protocol.result)
        if (std::ranges::none_of(shown, [&](const auto& other) { return value.name == other.name; }))
          shown.push_back({value.name.c_str(), value.name.c_str()});
    for (const PublishedNumber& number : shown) add_rows(table, protocol, number);
  }
  answer.shown.emplace_back(std::move(table));
  if (protocols.size() == 1 && protocols[0].name == "eth3d") say_eth3d_lines(protocols[0].result, answer);
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
                    {"a", number_json(explanation.a)},
                    {"b", number_json(explanation.b)},
                    {"effects", effects}});
    if (json) continue;
    answer.say("{}: {} by {}, {} by {}{}\n", explanation.number, six_digits(explanation.a), a,
               six_digits(explanation.b), b, explanation.unit == "m" ? " [m]" : "");
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
    list.push_back({{"rank", candidate.rank},
                    {"protocol", candidate.protocol},
                    {"number", candidate.label},
                    {"threshold_m", number_json(candidate.threshold_m)},
                    {"value", candidate.value},
                    {"unit", candidate.unit},
                    {"changed", changed}});
    table.rows.push_back({{fmt::format("{}", candidate.rank)},
                          {candidate.protocol},
                          {candidate.label},
                          {candidate.threshold_m ? fmt::format("{:g} m", *candidate.threshold_m) : ""},
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
