#include "core/command_line/flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <boost/program_options/variables_map.hpp>
#include <sstream>

#include "core/parameters.h"

namespace aqbench {
namespace {

constexpr HelpTask kSweep[] = {{"choose what runs", "suite,scene,method,workload,axis,seed,repeat,set"},
                               {"images", "rig,width"},
                               {"time it", "repetitions,precision,threads,timeout"},
                               {"judge it", "baseline,gate,protocol"},
                               {"see it first, keep it, go on", "dry-run,out,keep-clouds,note,json,resume"}};

constexpr HelpTask kAb[] = {{"two builds, commands, variants or methods",
                             "a,b,cmd-a,cmd-b,gbench-a,gbench-b,variant,method-a,method-b"},
                            {"of which cases", "suite,scene,method,workload,set"},
                            {"judge", "metric,margin,policy,quick,compare-output"},
                            {"what was measured already", "bundle-a,bundle-b,samples"},
                            {"this machine", "calibrate"},
                            {"keep it, go on", "out,json,resume"}};

constexpr HelpTask kEval[] = {{"the truth", "scene,mesh,truth,dataset,rig,set"},
                              {"bring the cloud to it", "unit,align,crop"},
                              {"score", "protocol,thresholds,max-distance,depth,charuco"},
                              {"see more", "all,json,tiles"}};

namespace po = boost::program_options;

constexpr unsigned kHelpWidth = 100;

Strings long_names(const po::options_description& all) {
  Strings names;
  for (const auto& option : all.options()) names.push_back("--" + option->long_name());
  return names;
}

void add_flag(const FlagText& flag, po::options_description& group) {
  auto add = group.add_options();
  if (flag.value_name == nullptr) {
    add(flag.name, flag.help);
  } else if (flag.repeatable) {
    add(flag.name, po::value<Strings>()->composing()->value_name(flag.value_name), flag.help);
  } else {
    auto* const value = po::value<std::string>()->value_name(flag.value_name);
    if (flag.default_value != nullptr) value->default_value(flag.default_value);
    if (flag.value_optional) value->implicit_value("");
    add(flag.name, value, flag.help);
  }
}

// Boost keeps every value as text; the table's rows parse it. With tasks only their flags are described.
po::options_description described(const CommandLineText& line, std::span<const HelpTask> tasks = {}) {
  po::options_description all("", kHelpWidth, kHelpWidth / 2);
  std::vector<po::options_description> groups;
  if (tasks.empty()) {
    for (const FlagText& flag : line.flags) {
      if (flag.group != nullptr) groups.emplace_back(flag.group, kHelpWidth, kHelpWidth / 2);
      add_flag(flag, groups.empty() ? all : groups.back());
    }
    all.add_options()("help,h", kHelp);
    if (!help_tasks(command_of(line)).empty()) all.add_options()("help-all", kHelpAll);
  }
  for (const HelpTask& task : tasks) {
    groups.emplace_back(task.title, kHelpWidth, kHelpWidth / 2);
    for (const std::string_view name : split_at(task.flags, ','))
      if (const auto flag = std::ranges::find(line.flags, name,
                                              [](const FlagText& one) { return std::string_view(one.name); });
          flag != line.flags.end())
        add_flag(*flag, groups.back());
  }
  for (const auto& group : groups) all.add(group);
  return all;
}

po::variables_map parse_or_throw(const CommandLineText& line, const po::options_description& all,
                                 const Arguments& arguments) {
  po::options_description with_positional;
  with_positional.add(all);
  po::positional_options_description positions;
  for (const PositionalText& argument : line.positional) {
    if (argument.repeatable)
      with_positional.add_options()(argument.name, po::value<Strings>());
    else
      with_positional.add_options()(argument.name, po::value<std::string>());
    positions.add(argument.name, argument.repeatable ? -1 : 1);
  }
  const int style = po::command_line_style::unix_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(
      po::command_line_parser(arguments).options(with_positional).positional(positions).style(style).run(),
      values);
  po::notify(values);
  return values;
}

std::vector<FlagValue> values_of(const std::string& name, const po::variable_value& value) {
  std::vector<FlagValue> values;
  if (const auto* const texts = boost::any_cast<Strings>(&value.value()))
    for (const std::string& text : *texts) values.push_back({name, text, value.defaulted()});
  else if (const auto* const text = boost::any_cast<std::string>(&value.value()))
    values.push_back({name, *text, value.defaulted()});
  return values;
}

// Returns "--rig or --dataset".
std::string alternatives(const std::vector<std::string_view>& words, const char* before) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}{}{}", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", before, words[i]);
  return text;
}

// Refuses a value that is none of those in the value's name, "ray|z".
void check_choices(const CommandLineText& line, const GivenValues& given) {
  for (const FlagText& flag : line.flags) {
    const auto choices = split_at(flag.value_name == nullptr ? "" : flag.value_name, '|');
    const auto values = given.find(flag.name);
    if (choices.size() < 2 || values == given.end()) continue;
    for (const FlagValue& value : values->second)
      if (std::ranges::find(choices, value.text) == choices.end())
        value.refuse_text("expected " + alternatives(choices, ""));
  }
}

// Returns "eval --depth" or "ab --samples, which runs nothing".
std::string mode_text(const CommandLineText& line, Modes mode) {
  const std::string_view command = command_of(line);
  for (const ModeText& known : line.modes)
    if (known.mode == mode)
      return fmt::format("{} {}{}{}", command, known.words, *known.note == 0 ? "" : ", which ", known.note);
  return std::string(command);
}

// Throws Error(usage): "--camera: only with --depth (this is eval CLOUD alone)".
[[noreturn]] void refuse_mode(const CommandLineText& line, const FlagText& flag, Modes mode) {
  std::vector<std::string_view> words;
  for (const ModeText& known : line.modes)
    if ((known.mode & flag.modes) != 0) words.push_back(known.words);
  throw usage_error("--{}: only with {} (this is {})", flag.name, alternatives(words, ""),
                    mode_text(line, mode));
}

// Returns the usage in one line for errors: the command's first form, and where to find the others.
std::string usage_in_a_line(const CommandLineText& line) {
  std::istringstream words(line.usage);
  std::string text, word;
  for (bool is_first = true; words >> word; is_first = false) {
    if (!is_first && word == "aqbench") return text + ", or another form (see --help)";
    text += (is_first ? "" : " ") + word;
  }
  return text;
}

void require_positional(const CommandLineText& line, const po::variables_map& values) {
  for (const PositionalText& argument : line.positional)
    if (!argument.optional && values.count(argument.name) == 0)
      throw usage_error("{} is missing; usage: {}", argument.name, usage_in_a_line(line));
}

}  // namespace

std::span<const HelpTask> help_tasks(std::string_view command) {
  if (command == "sweep") return kSweep;
  if (command == "ab") return kAb;
  if (command == "eval") return kEval;
  return {};
}

std::string_view command_of(const CommandLineText& line) { return split_at(line.usage, ' ')[1]; }

std::string help_text(const CommandLineText& line, bool whole) {
  const auto tasks = whole ? std::span<const HelpTask>() : help_tasks(command_of(line));
  std::ostringstream options;
  options << described(line, tasks);
  if (tasks.empty())
    return fmt::format("usage: {}\n\n{}\n\noptions:\n{}", line.usage, line.description, options.str());
  return fmt::format("usage: {}\n\n{}\n\n{}\nall {} options: aqbench {} --help-all\n", line.usage,
                     line.description, options.str(), line.flags.size(), command_of(line));
}

GivenValues split_arguments(const CommandLineText& line, const Arguments& arguments) {
  const po::options_description all = described(line);
  try {
    const po::variables_map values = parse_or_throw(line, all, arguments);
    const bool whole = values.count("help-all") != 0;
    if (whole || values.count("help") != 0) throw HelpWanted{help_text(line, whole), line};
    require_positional(line, values);
    GivenValues given;
    for (const auto& [name, value] : values) given[name] = values_of(name, value);
    check_choices(line, given);
    return given;
  } catch (const po::unknown_option& error) {
    const std::string& name = error.get_option_name();
    throw UnknownOption(unknown_name_message("option", name, long_names(all)), command_of(line), name);
  } catch (const po::too_many_positional_options_error&) {
    throw usage_error("too many arguments; usage: {}", usage_in_a_line(line));
  } catch (const po::error& error) {
    throw Error(ErrorKind::usage, error.what());
  }
}

Modes only_mode(std::span<const ModeText> modes, Modes chosen) {
  if (std::has_single_bit(chosen)) return chosen;
  std::vector<std::string_view> words;
  for (const ModeText& known : modes)
    if (chosen == 0 || (chosen & known.mode) != 0) words.push_back(known.words);
  throw Error(ErrorKind::usage, "give one of " + alternatives(words, ""));
}

void check_given(const CommandLineText& line, const GivenValues& given, Modes mode) {
  for (const PositionalText& argument : line.positional)
    if (given.contains(argument.name) && (argument.modes & mode) == 0)
      throw usage_error("{}: not with {}", argument.name, mode_text(line, mode));
  for (const FlagText& flag : line.flags)
    if (given.contains(flag.name) && (flag.modes & mode) == 0) refuse_mode(line, flag, mode);
  for (const FlagText& flag : line.flags) {
    if (flag.needs == nullptr || !given.contains(flag.name)) continue;
    for (const std::string_view needed : split_at(flag.needs, ',')) {
      const auto names = split_at(needed, '|');
      if (std::ranges::none_of(names, [&](const auto name) { return given.contains(std::string(name)); }))
        throw usage_error("--{}: needs {}", flag.name, alternatives(names, "--"));
    }
  }
}

}  // namespace aqbench
