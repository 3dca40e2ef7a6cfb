# shellcheck shell=bash
# Shared by the other scripts; source it, do not run it.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root" || exit 1

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# A length of time in words: "50 s", "3 min".
in_words() {
  if (($1 < 100)); then printf '%d s' "$1"; else printf '%d min' $((($1 + 30) / 60)); fi
}

# Reads a build's output and shows only how far it got, and how long the rest will take: one line that moves on a
# terminal, else a line every tenth of the way.
show_progress() {
  local line shown=-1 tenth left start=$SECONDS
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    local done_steps=${BASH_REMATCH[1]} all_steps=${BASH_REMATCH[2]}
    ((done_steps > 0)) || continue
    left=""
    if ((SECONDS - start >= 10 && done_steps < all_steps)); then
      left=", about $(in_words $(((SECONDS - start) * (all_steps - done_steps) / done_steps))) left"
    fi
    if [[ -t 1 ]]; then
      printf '\r   %d of %d%s\033[K' "$done_steps" "$all_steps" "$left"
      continue
    fi
    tenth=$((10 * done_steps / all_steps))
    if ((tenth != shown)); then
      printf '   %d of %d%s\n' "$done_steps" "$all_steps" "$left"
      shown=$tenth
    fi
  done
  if [[ -t 1 ]]; then printf '\r\033[K'; fi
}

# Runs a command with its output in a log file, and shows the log when the command fails.
logged() {
  local log=$1
  shift
  if "$@" >"$log" 2>&1; then return 0; fi
  cat "$log" >&2
  die "failed: $* (log: $log)"
}

# configure_and_build PRESET [TARGET...]: quiet as long as all goes well.
configure_and_build() {
  local preset=$1 folder log start=$SECONDS
  shift
  local -a targets=()
  if (($# > 0)); then targets=(--target "$@"); fi
  folder=build/$preset
  if [[ $preset == command ]]; then folder=build/release; fi
  mkdir -p "$folder"
  say "configuring $folder"
  logged "$folder/configure.log" cmake --preset "$preset"
  grep -A 2 'CMake Warning' "$folder/configure.log" >&2 || true

  say "building $folder"
  log="$folder/build.log"
  if ! cmake --build "$folder" "${targets[@]}" 2>&1 | tee "$log" | show_progress; then
    # Finished steps say nothing of interest; what is left are the messages.
    grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Generating\|Re-running\|Re-checking\)' "$log" >&2
    die "the build failed (log: $log)"
  fi
  say "built in $(in_words $((SECONDS - start)))"
}
