#!/usr/bin/env bash
# An end-to-end reconstruction by an independent program: renders a scene without water, lets COLMAP 3.8 (Debian's,
# without CUDA) match features and triangulate them with the known poses, and scores its cloud.
#   scripts/colmap_dry_scene.sh [SCENE] [DIR]    (default: undulating, a temporary folder)
# AQBENCH=PROGRAM, WIDTH=800, RIG=ring12 in the environment change the run. Takes about two minutes on 2 cores. Also
# needs python3.
set -euo pipefail

scene=${1:-undulating}
aqbench=${AQBENCH:-build/release/aqbench}
rig=${RIG:-ring12}
width=${WIDTH:-800}

command -v colmap >/dev/null || { echo "colmap_dry_scene: COLMAP is missing; on Debian 12: apt install colmap" >&2; exit 2; }
command -v python3 >/dev/null || { echo "colmap_dry_scene: python3 is missing; on Debian 12: apt install python3" >&2; exit 2; }
[ -x "$aqbench" ] || { echo "colmap_dry_scene: $aqbench: no such program; build it, or set AQBENCH" >&2; exit 2; }
if [ $# -ge 2 ]; then
  work=$2
  [ ! -e "$work" ] || { echo "colmap_dry_scene: $work: exists already" >&2; exit 2; }
  mkdir -p "$work"
else
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
export QT_QPA_PLATFORM=offscreen
log=$work/colmap.log

step() {  # NAME COMMAND...
  local name=$1 start=$SECONDS
  shift
  "$@" >>"$log" 2>&1 || { echo "colmap_dry_scene: $name failed; the end of $log:" >&2; tail -n 20 "$log" >&2; exit 3; }
  printf '%-20s %3d s\n' "$name" $((SECONDS - start))
}

# Equal indices on both sides of the surface: no water. COLMAP reads the same images and lenses as any other program.
step render "$aqbench" render "$scene" --rig "$rig" --width "$width" --set "$rig.n_water=1" --out "$work/dataset"

# The known poses, with the ids that COLMAP's database gives its images and cameras.
known_poses() {
  python3 - "$work" <<'PYTHON'
import pathlib, sqlite3, sys
work = pathlib.Path(sys.argv[1])
model, out = work / "dataset" / "colmap", work / "known"
out.mkdir(exist_ok=True)
ids = {name: (image, camera) for image, name, camera in
       sqlite3.connect(work / "db.db").execute("select image_id, name, camera_id from images")}
rows = [line.split() for line in (model / "images.txt").read_text().splitlines() if line and line[0] != "#"]
lens = {line.split()[0]: line.split()[1:] for line in (model / "cameras.txt").read_text().splitlines()
        if line and line[0] != "#"}
with open(out / "images.txt", "w") as images, open(out / "cameras.txt", "w") as cameras:
    for row in rows:
        image, camera = ids[row[9]]
        images.write(" ".join([str(image), *row[1:8], str(camera), row[9]]) + "\n\n")
        cameras.write(" ".join([str(camera), *lens[row[8]]]) + "\n")
(out / "points3D.txt").touch()
PYTHON
}

# All cameras of a rig have the same lens, which matching already knows.
lens=$(awk '!/^#/ { out = $5; for (i = 6; i <= NF; ++i) out = out "," $i; print out; exit }' "$work/dataset/colmap/cameras.txt")
step feature_extractor colmap feature_extractor --database_path "$work/db.db" --image_path "$work/dataset/images" \
  --ImageReader.camera_model OPENCV --ImageReader.camera_params "$lens" --ImageReader.single_camera_per_image 1 --SiftExtraction.use_gpu 0
step known_poses known_poses
step exhaustive_matcher colmap exhaustive_matcher --database_path "$work/db.db" --SiftMatching.use_gpu 0
mkdir -p "$work/sparse"
step point_triangulator colmap point_triangulator --database_path "$work/db.db" --image_path "$work/dataset/images" \
  --input_path "$work/known" --output_path "$work/sparse"
step model_converter colmap model_converter --input_path "$work/sparse" --output_path "$work/cloud.ply" --output_type PLY
echo
"$aqbench" eval "$work/cloud.ply" --dataset "$work/dataset"
