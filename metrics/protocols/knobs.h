#pragma once
// Knobs of protocols by name: how their values are read from text and written as text.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parameters.h"
#include "core/text.h"

namespace aqbench {

// A knob of a setting: how its value is read from and written into a setting as text.
template <class Knobs>
struct Knob {
  const char* name;  // with its unit
  std::function<std::string(const Knobs& knobs)> text;
  // Throws Error(usage) naming the knob for a text that is no value of it.
  std::function<void(Knobs& knobs, const std::string& text)> set;
  std::vector<std::string> usual = {};  // values seen in publications, which --which-protocol tries
  bool of_distances = true;             // it changes what is compared; else only how it is counted
};

// A protocol of files: a setting of knobs.
template <class Knobs>
struct KnobProtocol {
  const char* name;
  const char* summary;
  const char* source;  // paper, or the file of the reference program
  Knobs knobs;
};

// Returns the protocol of this name; nullptr if there is none.
template <class Knobs>
const KnobProtocol<Knobs>* find_protocol(std::span<const KnobProtocol<Knobs>> protocols,
                                         std::string_view name) {
  for (const KnobProtocol<Knobs>& protocol : protocols)
    if (protocol.name == name) return &protocol;
  return nullptr;
}

// Throws Error(usage) "knob NAME: 'TEXT': expected EXPECTED".
[[noreturn]] void refuse_knob(const char* name, const std::string& text, std::string_view expected);

// Read the value of a knob: a number of at least 0, the same or "inf", numbers separated by commas (in
// ascending order; none of an empty text), or a word, of which the place among `words` is returned. Throw
// Error(usage) naming the knob.
double number_of_knob(const char* name, const std::string& text);
double limit_of_knob(const char* name, const std::string& text);
std::vector<double> numbers_of_knob(const char* name, const std::string& text);
std::size_t choice_of_knob(const char* name, const std::string& text, const std::vector<std::string>& words);

// Return a knob that is a number of at least 0; such a number or "inf"; a list of numbers; a whole number
// between two others; one of a few words, in the order of the enumeration or of false and true; yes or no.
template <class Knobs>
Knob<Knobs> number_knob(const char* name, double Knobs::*member, std::vector<std::string> usual = {}) {
  return {name, [=](const Knobs& knobs) { return fmt::format("{}", knobs.*member); },
          [=](Knobs& knobs, const std::string& text) { knobs.*member = number_of_knob(name, text); },
          std::move(usual)};
}

template <class Knobs>
Knob<Knobs> limit_knob(const char* name, double Knobs::*member, std::vector<std::string> usual = {}) {
  return {name, [=](const Knobs& knobs) { return fmt::format("{}", knobs.*member); },
          [=](Knobs& knobs, const std::string& text) { knobs.*member = limit_of_knob(name, text); },
          std::move(usual)};
}

template <class Knobs>
Knob<Knobs> numbers_knob(const char* name, std::vector<double> Knobs::*member,
                         std::vector<std::string> usual = {}) {
  return {name, [=](const Knobs& knobs) { return fmt::format("{}", fmt::join(knobs.*member, ",")); },
          [=](Knobs& knobs, const std::string& text) { knobs.*member = numbers_of_knob(name, text); },
          std::move(usual)};
}

template <class Knobs, class Whole>
Knob<Knobs> whole_knob(const char* name, Whole Knobs::*member, double least, double most,
                       std::vector<std::string> usual = {}) {
  return {name, [=](const Knobs& knobs) { return fmt::format("{}", knobs.*member); },
          [=](Knobs& knobs, const std::string& text) {
            const double whole = number_of_knob(name, text);
            if (whole != std::floor(whole) || whole < least || whole > most)
              refuse_knob(name, text, fmt::format("a whole number from {:.0f} to {:.0f}", least, most));
            knobs.*member = static_cast<Whole>(whole);
          },
          std::move(usual)};
}

template <class Knobs, class Choice>
Knob<Knobs> choice_knob(const char* name, Choice Knobs::*member, std::vector<std::string> words,
                        std::vector<std::string> usual = {}) {
  return {name, [=](const Knobs& knobs) { return words[static_cast<std::size_t>(knobs.*member)]; },
          [=](Knobs& knobs, const std::string& text) {
            knobs.*member = static_cast<Choice>(choice_of_knob(name, text, words));
          },
          std::move(usual)};
}

template <class Knobs>
Knob<Knobs> switch_knob(const char* name, bool Knobs::*member) {
  return choice_knob<Knobs>(name, member, {"no", "yes"}, {"yes", "no"});
}

// Sets a knob by its name. Throws Error(usage) for an unknown name and for a value that does not fit.
template <class Knobs>
void set_knob(std::span<const Knob<Knobs>> table, Knobs& knobs, std::string_view name,
              const std::string& text) {
  find_named("knob", name, table).set(knobs, text);
}

// Returns all values by name.
template <class Knobs>
std::vector<std::pair<std::string, std::string>> knob_texts(std::span<const Knob<Knobs>> table,
                                                            const Knobs& knobs) {
  std::vector<std::pair<std::string, std::string>> texts;
  for (const Knob<Knobs>& knob : table) texts.emplace_back(knob.name, knob.text(knobs));
  return texts;
}

}  // namespace aqbench
