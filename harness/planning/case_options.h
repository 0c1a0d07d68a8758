#pragma once
// What the options of a case say: its method, images, camera poses, scoring and protocols, and the programs
// of others that it runs.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"
#include "harness/planning/select.h"
#include "harness/records/case.h"
#include "metrics/protocols/asked_protocols.h"
#include "metrics/score_options.h"
#include "pipeline/method/declaration.h"
#include "pipeline/method/method.h"
#include "scenes/dataset/dataset.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

// Returns whether the case has overrides of this owner.
bool has_overrides(const Case& planned, std::string_view owner);

// Adds the parameters of an owner to the options or defaults of the case, with its overrides. Throws
// Error(usage) naming a parameter.
void add_resolved(Case& planned, const std::string& owner, const std::vector<ParameterSpec>& parameters);

// Returns the method of a case: the declared one if the case carries its declaration, otherwise the
// registered one. Throws Error(usage) for an unknown one, Error(input) for an invalid declaration.
MethodSpec method_of(const Case& planned);

// Return properties of the case's MethodSpec: whether it starts an external program, reports stages of its
// own, gives depth maps in every case. False for a workload and an unknown method.
bool starts_program(const Case& planned);
bool tells_own_stages(const Case& planned);
bool is_given(const Case& planned);  // outputs that exist already
bool gives_depth_maps(const Case& planned);

// Returns whether a case needs the module `pipeline`: a workload, or a real method that runs in this program.
bool uses_libraries(const Case& planned);

// Owner of the renderer's parameters: "imaging.NAME".
inline constexpr const char* kImagingOwner = "imaging";

// Owner of calibration errors (scenes/dataset/perturb.h): "perturb.NAME".
inline constexpr const char* kPerturbOwner = "perturb";

// Returns whether `owner` is the rig of these images, imaging or perturb.
bool owns_images(const CaseImages& images, std::string_view owner);

// Returns whether a declared method's command or environment uses {dataset}.
bool asks_for_dataset(const MethodDeclaration& method);

// Returns whether images are rendered for the method of a case: for all methods that use them, except a
// program without {dataset} and depth maps, whose scoring would need the rendered ones.
bool renders_images(const Case& planned);

// Returns the image options of a case, which must have images.
DatasetRequest dataset_request(const Case& planned);

// Returns the calibration error of a case: its overrides of owner perturb, and the pinhole cameras that its
// method declares. Throws Error(usage) for an unknown one.
CalibrationError case_calibration_error(const Case& planned);

// Returns the parameters of owner kAlignmentOwner: scale (estimated, one) of the alignment of a method's own
// cameras to the true ones, and then (nothing, icp, sim3), which moves any real method's cloud to the truth.
// A sweep has one value of each.
const std::vector<ParameterSpec>& alignment_parameters();

// The alignment of a case: a similarity of its own cameras, then possibly ICP of the cloud.
struct AlignmentChoice {
  bool by_cameras = false;  // poses=own
  bool estimates_scale = true;
  std::string then;  // "nothing", "icp", "sim3"

  bool to_truth() const { return then != "nothing"; }
};

// Returns the alignment of a case with poses=own or with overrides of it, nullopt for any other case. Throws
// Error(usage) naming a parameter.
std::optional<AlignmentChoice> alignment_of(const Case& planned);

// Returns whether a method's cases have poses=own: its suite or its declaration says so. Throws Error(usage)
// where the suite gives poses to a method that finds its own, and for a method that cannot find them: one
// that is not declared in a project file, has neither {dataset} nor given outputs, or gives depth maps, which
// have no camera then.
bool finds_poses(const MethodChoice& method, const Suite* suite);

// Returns whether any method of a selection does; throws as finds_poses().
bool any_finds_poses(const Selection& selection);

// Adds the alignment to the options of a case; with poses=own all of it, else what is given. Throws
// Error(usage) for a bad value and for an error of the calibration, which a case with poses=own does not get.
void add_alignment(Case& planned, bool own_poses);

// Returns the parameters of owner kScoringOwner: thresholds_mm (comma-separated lengths), outlier_mm,
// spacing_mm and tile_mm; defaults are those of ScoreOptions.
const std::vector<ParameterSpec>& scoring_parameters();

// Sets what the overrides of owner scoring give: they come before what a recording's truth says. Throws
// Error(usage) naming the parameter of an invalid value.
void take_given_scoring(const Case& planned, ScoreOptions& options);

// Adds the scoring that is given to the options of a case, of a scene with the defaults of the others. Throws
// Error(usage) as take_given_scoring() and check(ScoreOptions) do.
void add_given_scoring(Case& planned, bool recorded);

// Returns the parameter `names` of owner kProtocolsOwner: protocols with their knobs, separated by blanks.
const std::vector<ParameterSpec>& protocols_parameters();

// Returns the protocols of a case from its overrides. Throws Error(usage) naming protocol or knob.
std::vector<AskedProtocol> case_protocols(const Case& planned);

// Returns those of files. Throws as case_protocols().
std::vector<AskedFileProtocol> case_file_protocols(const Case& planned);

// Returns whether the method of a case gives a cloud, and what protocols of a family score.
bool gives_cloud(const Case& planned);
bool gives_files(const Case& planned, FileKind kind);

// Refuses a case of which no protocol scores what its method gives, and one of images without views that are
// held out. Throws Error(usage).
void check_protocols(const Case& planned);

// Adds the protocols of a case to its defaults, since more of them change no other value, and each knob that
// is not its protocol's own to its options. Throws as case_protocols().
void add_protocols(Case& planned);

// Appends a protocol to those that the overrides have.
void ask_for_protocol(std::vector<Override>& sets, const std::string& protocol);

// Returns the programs that cases start and the code they load, each once, in the order of the cases:
// "external.command: python3 their.py {dataset} {output}", "torchscript.model: matcher.pt", "mine: THREADS=2
// python3 mine.py {dataset} {output}" of a declared method.
std::vector<std::string> foreign_code(std::span<const Case> cases);

}  // namespace aqbench
