#pragma once
// The members of a struct and their place in JSON: one table, of which core/json_members.h makes the writer,
// the reader with its checks, and the schema. A struct has
//
//   template <class Row> static void members(const Row& row) {
//     row("name", &Stage::name, kNotEmpty);
//     row("peak_bytes", &Stage::peak_bytes, 0, "Tensor memory.");
//   }
//
// with a row for each key in the order of the file; row.group(KEY, RULES, ABOUT, ROWS) puts members into an
// object of their own, row.part(&Stage::times) those of a member among the others. If values depend on each
// other, `void after_reading(const JsonPlace& place)` checks them.

namespace aqbench {

class JsonPlace;

// Rules of a row; combined with |. Those of a list hold for its elements.
enum MemberRule : unsigned {
  kOrNull = 1,        // an empty text, or a number that is not finite, is null
  kLeftOut = 2,       // a value is left out where it is empty or, a number or text, as in a new struct
  kNotEmpty = 4,      // a text or list must not be empty, an optional value not null
  kNotNegative = 8,   // a number or a signed integer
  kSha256 = 16,       // a text: 64 hexadecimal digits
  kUtc = 32,          // a text: "2026-05-20T10:11:12Z"
  kAlways = 64,       // in the short form, too, which leaves out every other empty value
  kShortInside = 128  // in the short form the value itself has the short form
};

// The form of a struct: the short one leaves out empty values.
enum class JsonForm { whole, brief };
inline JsonForm inside_of(JsonForm form, unsigned rules) {
  return (rules & kShortInside) != 0 ? form : JsonForm::whole;
}

inline bool may_lack(unsigned rules, JsonForm form) {
  return (rules & kLeftOut) != 0 || (form == JsonForm::brief && (rules & kAlways) == 0);
}

}  // namespace aqbench
