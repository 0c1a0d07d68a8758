#!/usr/bin/env bash
# Renders a small picture of each scene into docs/images/: on the left a camera's image (default imaging, a longer
# lens), on the right the same view of the bare surface under absorbing water, stretched to full contrast: the darker,
# the more water.
#   scripts/make_scene_pictures.sh [AQBENCH]     (default: build/release/aqbench)
# Needs ImageMagick for the JPEG files (apt install imagemagick).
set -euo pipefail

aqbench=$(realpath "${1:-build/release/aqbench}")
root=$(cd "$(dirname "$0")/.." && pwd)
convert -version 2>/dev/null | grep -q ImageMagick || { echo "make_scene_pictures: apt install imagemagick" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$root/docs/images"

render() {  # SCENE NAME OPTION...
  "$aqbench" render "$1" --rig single_pair --width 240 --no-cache --out "$work/$1-$2" --mesh-pitch-mm 10 \
    --set single_pair.focal_px=480 "${@:3}" >/dev/null
}

for scene in flat_plane undulating tilted_plane step mound ripple_field; do
  render $scene record
  render $scene shape --imaging clean --set imaging.texture_contrast=0 --set imaging.absorption_per_m=10
  convert "$work/$scene-record/images/cam00/000000.png" \
    \( "$work/$scene-shape/images/cam00/000000.png" -normalize -depth 8 \) +append -colorspace gray -strip \
    -quality 75 "$root/docs/images/$scene.jpg"
done
# A board in air and, from the same camera, through water.
render charuco air --imaging clean --set charuco.rx_deg=25 --set charuco.rz_deg=10 --set single_pair.n_water=1
render charuco water --imaging clean --set charuco.rx_deg=25 --set charuco.rz_deg=10
convert "$work/charuco-air/images/cam00/000000.png" "$work/charuco-water/images/cam00/000000.png" +append \
  -colorspace gray -depth 8 -strip "$root/docs/images/charuco.png"
ls -l "$root/docs/images"
