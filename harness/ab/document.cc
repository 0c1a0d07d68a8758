#include "harness/ab/document.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"

namespace aqbench {
namespace {

AbSideInfo read_ab_side(const JsonPlace& place) {
  place.allow_only({"label", "variant", "injected", "program_sha256", "file_sha256", "version", "commit",
                    "dirty", "compiler", "flags", "build_type", "sanitizers"});
  AbSideInfo side;
  side.label = place.at("label").text();
  side.variant = place.at("variant").text();
  for (const JsonPlace& fault : place.at("injected").elements()) side.injected.push_back(fault.text());
  side.program_sha256 = place.at("program_sha256").text();
  side.file_sha256 = place.at("file_sha256").text();
  side.build = build_from_json(place);
  return side;
}

int read_small_int(const JsonPlace& place) {
  const std::int64_t value = place.integer();
  if (value < 0 || value > 1000000) place.fail(fmt::format("is {}", value));
  return static_cast<int>(value);
}

AbSettings read_ab_settings(const JsonPlace& place) {
  place.allow_only({"alpha", "tau", "delta", "looks", "power", "bootstrap_draws", "resolution_draws", "seed",
                    "confirm", "separately"});
  AbSettings settings;
  settings.policy.alpha = place.at("alpha").number();
  settings.policy.tau = place.at("tau").number();
  settings.policy.delta = place.at("delta").number();
  settings.policy.looks = read_small_int(place.at("looks"));
  settings.policy.power = place.at("power").number();
  settings.policy.bootstrap_draws = read_small_int(place.at("bootstrap_draws"));
  settings.policy.resolution_draws = read_small_int(place.at("resolution_draws"));
  settings.policy.seed = place.at("seed").count();
  settings.confirm = place.at("confirm").boolean();
  settings.separately = place.at("separately").boolean();
  check(settings.policy);
  // Limited because the cost of verifying grows with them.
  if (settings.policy.resolution_draws > kMaxResolutionDraws)
    place.at("resolution_draws").fail(fmt::format("is above {}", kMaxResolutionDraws));
  if (settings.policy.bootstrap_draws > kMaxBootstrapDraws)
    place.at("bootstrap_draws").fail(fmt::format("is above {}", kMaxBootstrapDraws));
  return settings;
}

AbRunInfo read_ab_run(const JsonPlace& place) {
  place.allow_only({"id", "started_utc", "finished_utc", "complete", "samples_file", "exec", "warm_runs",
                    "pairs_per_look", "resumed"});
  AbRunInfo run;
  run.id = place.at("id").text();
  run.started_utc = place.at("started_utc").text();
  run.finished_utc = place.at("finished_utc").text();
  run.complete = place.at("complete").boolean();
  run.samples_file = place.at("samples_file").text();
  run.exec = place.at("exec").boolean();
  run.warm_runs = read_small_int(place.at("warm_runs"));
  run.pairs_per_look = static_cast<std::size_t>(read_small_int(place.at("pairs_per_look")));
  // Limited because the cost of verifying grows with it; `aqbench ab` takes no more.
  if (run.pairs_per_look > max_pairs_per_look(1))
    place.at("pairs_per_look").fail(fmt::format("is above {}", max_pairs_per_look(1)));
  run.resumed = read_small_int(place.at("resumed"));
  return run;
}

}  // namespace

AbRunOptions run_options_of(const AbDocument& document) {
  AbRunOptions options;
  options.settings = document.settings;
  options.pairs_per_look = document.run.pairs_per_look;
  return options;
}

std::string subject_of(const AbSideInfo& side) {
  return side.file_sha256.empty() ? side.program_sha256 : side.file_sha256 + ":" + side.program_sha256;
}

bool is_a_a(const AbDocument& document) {
  return !document.a.program_sha256.empty() && document.a.program_sha256 == document.b.program_sha256 &&
         document.a.file_sha256 == document.b.file_sha256 && document.a.variant == document.b.variant &&
         document.a.injected == document.b.injected;
}

Json to_json(const AbRunInfo& run) {
  return {{"id", run.id},
          {"started_utc", run.started_utc},
          {"finished_utc", run.finished_utc},
          {"complete", run.complete},
          {"samples_file", run.samples_file},
          {"exec", run.exec},
          {"warm_runs", run.warm_runs},
          {"pairs_per_look", run.pairs_per_look},
          {"resumed", run.resumed}};
}

Json to_json(const AbSettings& settings) {
  const PairedPolicy& policy = settings.policy;
  return {{"alpha", policy.alpha},
          {"tau", policy.tau},
          {"delta", policy.delta},
          {"looks", policy.looks},
          {"power", policy.power},
          {"bootstrap_draws", policy.bootstrap_draws},
          {"resolution_draws", policy.resolution_draws},
          {"seed", policy.seed},
          {"confirm", settings.confirm},
          {"separately", settings.separately}};
}

Json to_json(const AbSideInfo& side) {
  Json json = {{"label", side.label},
               {"variant", side.variant},
               {"injected", side.injected},
               {"program_sha256", side.program_sha256},
               {"file_sha256", side.file_sha256}};
  add_build(json, side.build);
  return json;
}

AbRunInfo ab_run_from_json(const Json& json, const std::string& source) {
  return read_ab_run(JsonPlace(json, source));
}

AbSettings ab_settings_from_json(const Json& json, const std::string& source) {
  return read_ab_settings(JsonPlace(json, source));
}

AbSideInfo ab_side_from_json(const Json& json, const std::string& source) {
  return read_ab_side(JsonPlace(json, source));
}

AbDocument ab_document_from_json(const Json& json, const std::string& source) {
  const JsonPlace root(json, source);
  const std::int64_t version = root.at("aqbench_ab").integer();
  if (version < kOldestAbSchemaVersion || version > kAbSchemaVersion)
    throw Error(ErrorKind::not_comparable,
                fmt::format("{}: schema version {}, this program reads {} to {}", source, version,
                            kOldestAbSchemaVersion, kAbSchemaVersion));
  root.allow_only({"aqbench_ab", "run", "settings", "a", "b", "notes", "environment", "decision", "samples"});
  AbDocument document;
  document.schema_version = static_cast<int>(version);
  document.run = read_ab_run(root.at("run"));
  document.settings = read_ab_settings(root.at("settings"));
  document.a = read_ab_side(root.at("a"));
  document.b = read_ab_side(root.at("b"));
  for (const JsonPlace& note : root.at("notes").elements()) document.notes.push_back(note.text());
  root.at("environment").members();
  document.environment = root.at("environment").value();
  document.samples = ab_samples_from_json(root.at("samples").value(), source + ": samples");
  // The protocol of units that were run can be checked; samples from a file have none.
  if ((document.run.pairs_per_look == 0) != !document.run.samples_file.empty())
    root.at("run").at("pairs_per_look").fail("must be above 0, and 0 with samples_file");
  return document;
}

std::string settings_line(const AbSettings& settings) {
  const PairedPolicy& policy = settings.policy;
  return fmt::format("tau {:.4g} %, delta {:.4g} %, alpha {:.4g}, {} planned look{}{}{}", 100 * policy.tau,
                     100 * policy.delta, policy.alpha, policy.looks, policy.looks == 1 ? "" : "s",
                     settings.confirm ? ", flags confirmed with fresh pairs" : ", flags not confirmed",
                     settings.separately ? ", every case judged alone" : "");
}

}  // namespace aqbench
