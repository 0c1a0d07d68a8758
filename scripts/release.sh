#!/usr/bin/env bash
# Builds what a release consists of into a folder: wheel, portable folders, Debian packages, their SHA-256, and notes
# made of the changelog. Uploads nothing. The sources must be committed.
#   scripts/release.sh [FOLDER]     default: build/release/VERSION
# NO_FULL=1 leaves the portable folder with all modules out, NO_TRY=1 the trials, which need root.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project.aqbench VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
out=${1:-build/release/$version}
[ -z "$(git status --porcelain)" ] || { echo "release: commit first: git status is not clean" >&2; exit 2; }
commit=$(git rev-parse HEAD)
rm -rf "$out"
mkdir -p "$out"

make wheel portable
cp build/release/wheels/*.whl build/release/portable/aqbench-"$version"-linux-x86_64.tar.zst "$out"
if [ -z "${NO_FULL:-}" ]; then
  make portable-full
  cp build/release/portable/aqbench-full-"$version"-linux-x86_64.tar.zst "$out"
fi
make packages
cp build/release/packages/*.deb "$out"
[ "$(git rev-parse HEAD)$(git status --porcelain)" = "$commit" ] ||
  { echo "release: the sources changed meanwhile" >&2; exit 1; }
git archive --format=tar --prefix="aqbench-$version/" "$commit" | zstd -q -19 -o "$out/aqbench-$version-source.tar.zst"
if [ -z "${NO_TRY:-}" ]; then
  scripts/try_wheel.sh "$out"/aqbench-*.whl "$out"/aqbench-"$version"-linux-x86_64.tar.zst
  scripts/try_ci.py "$out"/aqbench-*.whl
  scripts/try_packages.sh "$out"
fi

{
  printf '# aqbench %s\n\nCommit %s.\n\n' "$version" "$commit"
  # The topmost part of the changelog, without its heading.
  awk '/^## / { if (++part == 2) exit; next } part == 1' CHANGELOG.md
  printf '\n## Files\n| file | bytes | SHA-256 |\n|---|---|---|\n'
  (cd "$out" && for file in *.whl *.tar.zst *.deb; do
    printf '| %s | %s | %s |\n' "$file" "$(stat -c %s "$file")" "$(sha256sum "$file" | cut -d ' ' -f 1)"
  done)
  printf '\ndocs/install.md says which file is for what, and what a version promises.\n'
} >"$out/NOTES.md"
(cd "$out" && sha256sum -- *.whl *.tar.zst *.deb NOTES.md >SHA256SUMS)
ls -l "$out"
