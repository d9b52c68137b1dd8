# What scripts share that start servers of PostgreSQL; sourced after common.sh.

# Finds PostgreSQL's programs and libpq, or installs them from Debian. Sets `programs`, the folder of the former, and `as`, what
# stands before their names: the server refuses to run as root.
need_postgresql() {
  programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -1)
  as=()
  [ "$(id -u)" != 0 ] || as=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  [ -z "$programs" ] || [ ! -f /usr/include/postgresql/libpq-fe.h ] || return 0
  command -v apt-get >/dev/null || fail "There is no PostgreSQL here. Install its server and libpq."
  say "Installing PostgreSQL"
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo)
  # Debian would make a server of its own, and start it.
  { "${sudo[@]}" apt-get update &&
    "${sudo[@]}" apt-get install -y postgresql-common libpq-dev pkg-config &&
    "${sudo[@]}" sed -i 's/^#* *create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf &&
    "${sudo[@]}" apt-get install -y postgresql; } >/dev/null ||
    fail "PostgreSQL could not be installed. Run: apt-get install -y postgresql libpq-dev pkg-config"
  programs=$(find /usr/lib/postgresql -maxdepth 2 -name bin | sort -V | tail -1)
}

# Builds the program with PostgreSQL, and leaves it at the path $1.
build_with_postgresql() {
  say "Building the program with PostgreSQL"
  # In the folder of the usual build, of which all but the program's own module stays as it is. The next usual build makes
  # the usual program again; until then it is put back.
  local built
  built=$(swift build "${build_flags[@]}" --show-bin-path)
  [ ! -x "$built/boardroom" ] || cp -p "$built/boardroom" "$1.usual"
  BOARDROOM_POSTGRES=1 swift build "${build_flags[@]}" --product boardroom
  mv "$built/boardroom" "$1"
  [ ! -x "$1.usual" ] || mv "$1.usual" "$built/boardroom"
}

# Sets `python` to one that has websockets, which is installed into .venv if need be.
need_websockets() {
  python=python3
  ! python3 -c 'import websockets.asyncio.client' 2>/dev/null || return 0
  python=.venv/bin/python
  "$python" -c 'import websockets.asyncio.client' 2>/dev/null ||
    { { [ -x $python ] || python3 -m venv .venv; } && .venv/bin/pip install --quiet websockets; } ||
    fail "websockets could not be installed. Run: apt-get install -y python3-venv, and see that PyPI answers."
}

# Sets `boardroom` to the program that the options name by --program, or to nothing, and `options` to all others.
name_program() {
  boardroom=
  options=()
  while [ $# -gt 0 ]; do
    case $1 in
    --program) boardroom=$(realpath "${2:?--program takes a path}") && shift ;;
    --program=*) boardroom=$(realpath "${1#*=}") ;;
    *) options+=("$1") ;;
    esac
    shift
  done
  [ -z "$boardroom" ] || { [ -f "$boardroom" ] && [ -x "$boardroom" ]; } || fail "$boardroom is no program."
}

# What tools/cluster and its siblings do before anything is made: as `name_program`, and ends with usage or help if that is what
# comes of the options. $1: the script of tools/clusters that knows them. `python` is what runs it.
read_options() {
  local script=tools/clusters/$1.py status=0
  shift
  name_program "$@"
  "$python" -B "$script" "${options[@]}" || status=$?
  # As tools/clusters/options.py has it.
  [ $status = 10 ] || exit $status
}

# Builds the program into the folder $1, unless one was named.
need_program() {
  local folder=$1
  [ -z "$boardroom" ] || return 0
  need_swift
  need_packages
  boardroom=$folder/boardroom
  build_with_postgresql "$boardroom"
}

# Builds the program of the commit that `options` name by --from into the folder $1, and names it by --old.
need_earlier() {
  local folder=$1 tree=$1/earlier.tree commit= place
  for place in "${!options[@]}"; do
    case ${options[place]} in
    --from) commit=${options[place + 1]} ;;
    --from=*) commit=${options[place]#*=} ;;
    esac
  done
  [ -n "$commit" ] || return 0
  # The change that gave the tables their present version.
  [ "$commit" != tables ] ||
    commit=$(git log -1 --format=%H -G'static let version' -- Storage/PostgresLog/PostgresSchema.swift)
  git cat-file -e "$commit^{commit}" 2>/dev/null || fail "There is no commit $commit in this clone."
  say "Building the program of $(git log -1 --format='%h, %s' "$commit") (some minutes)"
  git worktree add --quiet --detach "$tree" "$commit"
  # It leaves no entry in the clone, whatever becomes of the build.
  trap 'rm -rf "$folder"; git worktree prune' EXIT
  (cd "$tree" && BOARDROOM_POSTGRES=1 swift build "${build_flags[@]}" --product boardroom) ||
    fail "The earlier program cannot be built."
  mv "$(cd "$tree" && swift build "${build_flags[@]}" --show-bin-path)/boardroom" "$folder/earlier"
  git worktree remove --force "$tree"
  options+=(--old "$folder/earlier")
}
