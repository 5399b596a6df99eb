# Says in one line what is missing before anything is installed.
need() { command -v "$1" >/dev/null 2>&1 || { echo "$1 is missing: $2" >&2; exit 1; }; }
need node "install Node 20.19 or newer from https://nodejs.org"
need npm "it comes with Node; install Node 20.19 or newer"
node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
  { echo "Node $(node --version) is too old: install 20.19 or newer from https://nodejs.org" >&2; exit 1; }
command -v flock >/dev/null 2>&1 || [ "$(uname)" = Darwin ] || { echo "flock is missing: install the package util-linux" >&2; exit 1; }
