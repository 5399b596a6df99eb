import { type Call, type ExecScope, hasFlag, operandPath } from "../writes/operands.js";
import { isInsideScope } from "./secrets.js";

/** What is known of a program. A call that a row does not fit is not known as harmless. */
export interface HarmlessRow {
  /** The call only reads files, which may lie anywhere unless they hold secrets. */
  readonly opens?: true;
  /** Operands are not files, or only their names are looked at. */
  readonly anywhere?: true;
  /** The first operand has to be one of these. */
  readonly verbs?: RegExp;
  /** Operands joined by blanks that take the call out. */
  readonly not?: RegExp;
  /** Words that take the call out. */
  readonly never?: RegExp;
  /** Options before the verb whose value is the next word. */
  readonly before?: RegExp;
  readonly check?: (call: Call, scope: ExecScope, all: readonly Call[]) => boolean;
}

/** Programs that run the command behind their options, which is judged by itself. */
export const WRAPS: ReadonlySet<string> = new Set([
  "env",
  "nice",
  "ionice",
  "nohup",
  "setsid",
  "time",
  "timeout",
  "stdbuf",
  "command",
  "builtin",
  "exec",
  "xargs",
  "parallel",
  "watch",
  "unbuffer",
  "flock",
  "taskset",
  "chrt",
  "caffeinate",
  "arch",
  "fakeroot",
  "strace",
  "ltrace",
  "eval",
  "alias",
  "trap",
]);

const READS: HarmlessRow = { opens: true };
const ANYWHERE: HarmlessRow = { anywhere: true };
/** Works on files of the project. */
const INSIDE: HarmlessRow = {};
/** Works on the project in the present directory. */
const PROJECT: HarmlessRow = { check: (call, scope) => isInsideScope(call.simple.cwd, scope) };
const PACKAGES_BEFORE =
  /^(-C|--cwd|--dir|--prefix|-w|--workspace|--filter|-F|--registry|--manifest-path|--project|--directory|-p|--package)$/;

/** Runs a file of the project, or asks for its version; a call that reads its program elsewhere is found as inline code. */
const interpreter = (more: Partial<HarmlessRow> = {}): HarmlessRow => ({
  check: (call, scope) => runsOwnFile(call, scope),
  ...more,
});

function runsOwnFile(call: Call, scope: ExecScope): boolean {
  if (call.simple.under.some((by) => /^(find|xargs|parallel)$/.test(by)) && !call.words.includes("-m")) return false;
  const [script] = call.operands;
  if (script === undefined) return call.words.some((word) => /^(-V|-v|--version|--help|-h|--test|-m)$/.test(word));
  const path = operandPath(script.text, call.simple.cwd);
  return path !== undefined && isInsideScope(path, scope);
}

const rows = (names: string, row: HarmlessRow): Record<string, HarmlessRow> =>
  Object.fromEntries(names.split(" ").map((name) => [name, row]));

/** Git without what rewrites its settings; what can lose work or runs programs is found by classes. */
const GIT: HarmlessRow = {
  verbs:
    /^(|status|log|diff|show|add|commit|branch|checkout|switch|restore|reset|stash|tag|merge|rebase|cherry-pick|revert|pull|push|fetch|clone|init|mv|rm|clean|blame|annotate|bisect|grep|describe|rev-parse|rev-list|ls-files|ls-tree|ls-remote|cat-file|remote|submodule|worktree|config|reflog|shortlog|archive|apply|am|format-patch|notes|gc|fsck|prune|count-objects|sparse-checkout|help|version|name-rev|merge-base|for-each-ref|show-ref|symbolic-ref|var|whatchanged|range-diff|diff-tree|diff-index|diff-files|hash-object|write-tree|read-tree|update-index|check-ignore|check-attr|cherry|lfs|maintenance|verify-commit|verify-tag|column|stripspace|interpret-trailers|show-branch|mergetool|difftool|bundle|rerere|request-pull|update-ref|commit-tree|ls-remote|pack-refs|repack|replace|get-tar-commit-id)$/,
  before: /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env)$/,
  never: /^(--exec-path=.*|--upload-pack.*|--receive-pack.*|--config-env.*)$/,
  anywhere: true,
  check: (call, scope) => isInsideScope(call.simple.cwd, scope) && gitStays(call, scope),
};

/** Directories that git is pointed at, and files that it compares without a repository, lie inside. */
function gitStays(call: Call, scope: ExecScope): boolean {
  const pointed = call.words.flatMap((word, index) => {
    const joined = /^--(git-dir|work-tree|output-directory|output)=(.*)$/.exec(word)?.[2];
    return joined !== undefined
      ? [joined]
      : /^(-C|--git-dir|--work-tree|-o|--output-directory)$/.test(word)
        ? [call.words[index + 1] ?? ""]
        : [];
  });
  const compared = call.words.includes("--no-index") ? call.operands.slice(1).map((word) => word.text) : [];
  return [...pointed, ...compared].every((text) => isInsideScope(operandPath(text, call.simple.cwd), scope));
}

const NODE_PACKAGES: HarmlessRow = {
  before: PACKAGES_BEFORE,
  verbs:
    /^(|i|install|ci|clean-install|add|remove|rm|un|uninstall|unlink|update|up|upgrade|run|run-script|rum|test|t|tst|start|stop|restart|build|dev|lint|format|check|typecheck|pack|version|view|info|show|ls|list|ll|la|outdated|audit|fund|why|explain|query|prune|dedupe|rebuild|exec|x|dlx|create|init|cache|config|get|bin|root|prefix|ping|search|docs|repo|bugs|help|doctor|store|import|licenses|workspaces?|workspace|constraints|plugin|patch|link|pkg|node|[\w@:.-]+:[\w:.-]+)$/,
  never: /^(-g|--global|--location=global|--prefix=\/.*)$/,
  not: /^(config|c) (set|delete|edit)( |$)|^(login|logout|adduser|token|owner|access|deprecate|dist-tag|org|team|profile|hook|star|unpublish|publish)( |$)/,
};

/** A request that asks for a page and keeps what it gets inside; what is sent is looked at by classes. */
const FETCHES: HarmlessRow = {
  anywhere: true,
  never: /^(-K|--config(=.*)?|--unix-socket(=.*)?|--abstract-unix-socket(=.*)?|--use-askpass.*|-e|--execute.*)$/,
};

const PIP: HarmlessRow = {
  verbs:
    /^(|install|uninstall|list|show|freeze|check|download|wheel|index|search|cache|config|debug|hash|inspect|help)$/,
  never: /^(--user|--break-system-packages|--target.*|-t|--prefix.*|--root.*)$/,
  not: /^config (set|unset|edit)/,
};

export const HARMLESS: Readonly<Record<string, HarmlessRow>> = {
  // Builtins of shells.
  ...rows(
    "cd pushd popd dirs pwd echo printf true false : test [ [[ ]] exit return break continue shift local export declare typeset readonly",
    ANYWHERE,
  ),
  ...rows(
    "unset set shopt read mapfile readarray wait jobs fg bg disown umask times type hash getopts let ulimit unalias help history",
    ANYWHERE,
  ),
  ...rows("source .", {
    check: (call, scope) => isInsideScope(operandPath(call.operands[0]?.text ?? "", call.simple.cwd), scope),
  }),
  // Readers and text tools.
  ...rows(
    "cat head tail wc grep egrep fgrep rgrep rg ag ack less more bat batcat nl tac cut tr sort uniq comm diff cmp colordiff diff3",
    READS,
  ),
  ...rows(
    "sdiff join paste column expand unexpand fold fmt pr rev shuf look od xxd hexdump strings base64 base32 md5sum sha1sum sha256sum",
    READS,
  ),
  ...rows(
    "sha512sum sha224sum sha384sum b2sum cksum sum crc32 zcat zgrep zless bzcat xzcat zstdcat jq yq xq gron fx dasel mlr csvcut",
    READS,
  ),
  ...rows(
    "csvlook csvgrep csvstat xmllint xmlstarlet tidy iconv dos2unix unix2dos file awk gawk mawk nawk sed gsed tokei cloc scc wdiff",
    READS,
  ),
  ...rows(
    "delta difft glow mdcat man info apropos whatis tldr pygmentize highlight jc htmlq pup nm objdump readelf size ldd c++filt",
    READS,
  ),
  ...rows(
    "addr2line otool lipo identify exiftool ffprobe mediainfo pdftotext pdfinfo catdoc antiword pandoc strip dwarfdump exiv2 soxi",
    READS,
  ),
  ...rows("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lz4 zip unzip zipinfo tar bsdtar 7z 7za ar cpio", {
    opens: true,
  }),
  ...rows(
    "find fd fdfind locate tree ls ll dir vdir stat du df ncdu lsblk mount findmnt which whereis basename dirname realpath readlink",
    ANYWHERE,
  ),
  ...rows(
    "date cal uname hostname whoami id groups users who w uptime free vmstat iostat nproc arch lscpu lsmem lspci lsusb lsof getent",
    ANYWHERE,
  ),
  ...rows(
    "ps pgrep top htop pstree pidof kill sleep seq yes factor bc dc expr numfmt printenv locale tty stty tput clear reset env sync",
    ANYWHERE,
  ),
  ...rows(
    "getconf ulimit sw_vers vm_stat dmesg journalctl last ss netstat ip ifconfig arp route mktemp uuidgen tsort nproc logname ccache",
    ANYWHERE,
  ),
  ...rows("ping dig nslookup host whois traceroute mtr tracepath curlie", ANYWHERE),
  ...rows("crontab", { anywhere: true, check: (call) => hasFlag(call, "-l") }),
  ...rows("date", { anywhere: true, never: /^(-s|--set.*)$/ }),
  ...rows("hostname", { anywhere: true, check: (call) => call.operands.length === 0 }),
  ...rows("ip", { anywhere: true, not: /\b(add|del|delete|set|flush|change|replace|exec|up|down)\b/ }),
  ...rows("ifconfig route arp", { anywhere: true, check: (call) => call.operands.length <= 1 }),
  ...rows("dmesg", { anywhere: true, never: /^(-C|--clear|-c|--read-clear|-D|-E|-n)$/ }),
  ...rows("hash", { anywhere: true, never: /^-p$/ }),
  ...rows("history", { anywhere: true, never: /^-[acdwrnsp]/ }),
  // Files of the project.
  ...rows("cp mv ln install", { opens: true }),
  ...rows(
    "mkdir rmdir touch rm unlink chmod chown chgrp truncate tee split csplit rename mmv dd shred patch mkfifo trash rsync",
    INSIDE,
  ),
  ...rows("rsync", { opens: true }),
  // Editors that are given no commands.
  ...rows("ed ex vi vim nvim nano emacs code", {
    never: /^(-c|--cmd|\+.*|-S|-s|-u|--eval|-l|--load|-f|--install-extension.*)$/,
  }),
  // Version control.
  git: GIT,
  ...rows(
    "tig gitk lazygit git-lfs pre-commit commitlint lint-staged husky changeset release-please lefthook",
    PROJECT,
  ),
  ...rows("hg", {
    verbs:
      /^(status|st|log|diff|add|commit|ci|update|up|branch|branches|annotate|blame|cat|summary|heads|id|root|files)$/,
  }),
  ...rows("svn", { verbs: /^(status|st|log|diff|add|update|up|info|cat|blame|ls|list|revert)$/ }),
  // Packages of the project.
  ...rows("npm pnpm yarn bun", NODE_PACKAGES),
  ...rows("npx pnpx bunx", PROJECT),
  ...rows("corepack", { verbs: /^(|enable|prepare|use|up)$/, never: /^--install-directory/ }),
  ...rows("nvm fnm volta asdf mise rbenv pyenv nodenv jenv sdk", {
    anywhere: true,
    verbs: /^(|ls|list|use|current|which|version|versions|shell|local|exec|run|x|where|--version|env|doctor)$/,
  }),
  ...rows("pip pip2 pip3", PIP),
  ...rows("uv", {
    verbs: /^(|sync|run|add|remove|lock|venv|pip|tree|export|init|build|python|version|cache|tool)$/,
    not: /^(tool (install|uninstall|upgrade)|python (install|uninstall)|pip .*--system)/,
  }),
  ...rows("poetry pdm pipenv rye hatch", {
    verbs:
      /^(|install|add|remove|update|run|lock|show|check|build|env|version|export|sync|shell|init|list|info|graph|test|fmt|outdated|search|tree)$/,
  }),
  ...rows("conda mamba micromamba", {
    anywhere: true,
    verbs: /^(|list|info|env|run|search|activate|deactivate|create|install|config)$/,
    not: /^(env (remove|create|update)|config )/,
  }),
  ...rows("gem", {
    anywhere: true,
    verbs: /^(list|search|env|environment|info|contents|which|dependency|outdated|build|specification)$/,
  }),
  ...rows("bundle bundler", {
    verbs:
      /^(|install|exec|update|add|check|list|show|info|outdated|lock|config|init|binstubs|package|cache|clean|doctor|platform)$/,
  }),
  ...rows("composer", {
    verbs:
      /^(install|update|require|remove|dump-autoload|dumpautoload|validate|show|outdated|run|run-script|exec|test|check-platform-reqs|licenses|why|audit|status|init|diagnose)$/,
  }),
  ...rows("go", {
    verbs: /^(|build|test|vet|fmt|mod|run|list|get|generate|env|version|doc|tool|work|clean|fix|bug|help)$/,
    not: /^env .*-w/,
    never: /^-w$/,
  }),
  ...rows("cargo", {
    before: /^(--manifest-path|--target-dir|--color|-Z|--config|-C)$/,
    verbs:
      /^(|\+\S+|build|b|test|t|check|c|clippy|fmt|run|r|bench|doc|d|add|remove|rm|update|tree|metadata|clean|fix|fetch|vendor|generate-lockfile|nextest|audit|deny|outdated|expand|version|search|info|new|init|locate-project|pkgid|read-manifest|verify-project|llvm-cov|tarpaulin|insta|watch|machete|udeps|miri|hack|package)$/,
  }),
  ...rows("rustup", {
    anywhere: true,
    verbs: /^(|show|which|doc|check|run|target|component|toolchain)$/,
    not: /(install|uninstall|add|remove|link)/,
  }),
  ...rows(
    "rustc rustfmt rustdoc clippy-driver cross wasm-pack trunk gofmt goimports golangci-lint staticcheck gotestsum dlv gopls air templ sqlc",
    INSIDE,
  ),
  ...rows("mix rebar3", {
    verbs:
      /^(|test|compile|deps\.get|deps\.update|deps\.tree|format|credo|dialyzer|run|phx\.server|ecto\.\w+|help|eunit|ct|docs|new|clean)$/,
  }),
  ...rows("dotnet", {
    verbs: /^(|build|test|run|restore|clean|format|watch|list|add|remove|new|sln|pack|tool|ef|--info|msbuild|vstest)$/,
    not: /^tool (install|update|uninstall)/,
  }),
  ...rows("swift", { verbs: /^(|build|test|run|package|format)$/ }),
  ...rows("xcodebuild xcrun flutter dart pod", {
    not: /^(pub (publish|global)|trunk|publish|devices|emulators|upload)/,
  }),
  ...rows("gradle gradlew mvn mvnw ant sbt mill lein clojure clj scala-cli kotlinc javac jar javadoc", {
    not: /\b(publish\w*|deploy\S*|upload\w*|release\S*)\b/,
    never: /^(publish|deploy|uploadArchives|release:.*|deploy:.*|.*:publish\w*|-I|--init-script|-b|--build-file)$/,
  }),
  ...rows("zig nim crystal v odin stack cabal opam dune esy elm purs spago gleam ocaml ocamlfind raco", {
    verbs:
      /^(|build|test|run|check|fmt|format|exec|deps|make|install-deps|bundle|compile|c|spec|clean|repl|init|update|list)$/,
  }),
  // Compilers and build tools.
  ...rows(
    "make gmake cmake ctest ninja meson scons bazel bazelisk buck2 pants just task rake nx turbo lerna moon mage waf invoke",
    INSIDE,
  ),
  ...rows(
    "gcc g++ cc c++ clang clang++ ld as ar ranlib tcc ghc javac scalac tsc tsgo swc esbuild rollup webpack vite parcel rspack",
    INSIDE,
  ),
  ...rows(
    "protoc buf flatc thrift swig bison yacc flex lex re2c asn1c autoconf automake autoreconf aclocal libtoolize pkg-config pkgconf",
    INSIDE,
  ),
  ...rows(
    "babel postcss tailwindcss sass less stylus terser uglifyjs svgo sharp cssnano browserify microbundle tsup unbuild ncc pkg vue-tsc",
    INSIDE,
  ),
  ...rows(
    "next nuxt astro gatsby remix svelte-kit ng vue-cli-service react-scripts storybook expo docusaurus vitepress eleventy hugo jekyll mkdocs",
    {
      not: /^(deploy|telemetry|eas|publish|gh-deploy|login)/,
    },
  ),
  ...rows(
    "sphinx-build sphinx-autobuild doxygen typedoc jsdoc asciidoctor latexmk pdflatex xelatex lualatex bibtex biber typst rustdoc",
    INSIDE,
  ),
  ...rows("prisma drizzle-kit knex typeorm sequelize alembic sqlfluff sqruff dbmate goose migrate", {
    not: /(reset|drop|push|deploy|undo:all|db:drop)/,
  }),
  // Linters, formatters, tests.
  ...rows(
    "eslint prettier biome oxlint stylelint standard xo rome tslint markdownlint markdownlint-cli2 cspell knip depcheck madge publint",
    INSIDE,
  ),
  ...rows(
    "attw size-limit jscpd dprint rubocop standardrb erb_lint haml_lint brakeman reek ruff black isort flake8 pylint mypy pyright",
    INSIDE,
  ),
  ...rows(
    "basedpyright pytype bandit vulture autopep8 yapf pyflakes pycodestyle pydocstyle refurb interrogate ty shellcheck shfmt hadolint",
    INSIDE,
  ),
  ...rows(
    "yamllint yamlfmt actionlint ktlint detekt checkstyle pmd spotbugs swiftlint swiftformat clang-format clang-tidy cppcheck cpplint",
    INSIDE,
  ),
  ...rows(
    "include-what-you-use vale proselint write-good alex codespell typos ansible-lint tflint tfsec checkov trivy semgrep gitleaks stylua",
    INSIDE,
  ),
  ...rows(
    "luacheck selene phpcs phpcbf phpstan psalm php-cs-fixer pint rector hlint ormolu fourmolu scalafmt scalafix cljfmt clj-kondo taplo",
    INSIDE,
  ),
  ...rows(
    "pytest py.test tox nox unittest nose2 coverage hypothesis pytest-watch jest vitest mocha ava tap tape jasmine karma c8 nyc cypress",
    INSIDE,
  ),
  ...rows(
    "playwright wdio testcafe node-tap uvu lab qunit bats rspec minitest cucumber behat phpunit pest codecept busted prove ctest valgrind",
    INSIDE,
  ),
  ...rows(
    "gcov gcovr lcov genhtml kcov hyperfine perf gprof flamegraph time ab wrk k6 vegeta nodemon ts-node-dev concurrently wait-on",
    {
      never: /^(-e|--exec|-x)$/,
    },
  ),
  // Modules that python runs with -m.
  ...rows(
    "venv virtualenv py_compile compileall json.tool http.server doctest build pydoc tokenize ast dis site zipfile tarfile calendar",
    INSIDE,
  ),
  ...rows("ensurepip pip_audit pipdeptree ipykernel pyperf flit pre_commit", INSIDE),
  // Interpreters of files of the project.
  ...rows("sh bash zsh dash ksh ash mksh fish", { check: (call, scope) => runsShellFile(call, scope) }),
  ...rows(
    "python python2 python3 pypy pypy3 ruby php lua luajit Rscript julia elixir perl raku tclsh groovy",
    interpreter(),
  ),
  ...rows("node nodejs deno ts-node tsx esno jiti vite-node", {
    check: (call, scope) => hasFlag(call, "--test", "--check") || runsOwnFile(call, scope) || runsVerb(call),
  }),
  ...rows("rails", {
    verbs:
      /^(|server|s|console|c|test|t|routes|db:\S+|generate|g|destroy|d|runner|about|notes|stats|assets:\S+|middleware)$/,
    not: /db:(drop|reset|purge)/,
  }),
  ...rows(
    "rackup puma unicorn foreman overmind gunicorn uvicorn hypercorn flask celery django-admin streamlit jupyter ipython",
    INSIDE,
  ),
  ...rows("java", {
    check: (call, scope) =>
      call.operands.every((word) => isInsideScope(operandPath(word.text, call.simple.cwd), scope)),
  }),
  // Databases, as far as they only look.
  ...rows("psql mysql mariadb sqlite3 duckdb redis-cli pg_isready mongosh", {
    anywhere: true,
    never: /^(-f|--file.*|-o|--output.*|-L|--log-file.*|--pipe|--eval|--rdb)$/,
  }),
  // The network, as far as it is read.
  ...rows("curl wget http https xh", FETCHES),
  // Keys and digests that are looked at.
  ...rows("openssl", {
    verbs: /^(version|dgst|x509|verify|md5|sha1|sha256|sha512|rand|base64|help|list|ciphers|crl|asn1parse)$/,
  }),
  ...rows("ssh-keygen", {
    check: (call) => hasFlag(call, "-l") || call.words.some((word) => /^-[a-zA-Z]*l/.test(word)),
  }),
  ...rows("ssh", { anywhere: true, check: (call) => call.words.every((word) => word === "-V") }),
  ...rows("gpg", {
    anywhere: true,
    check: (call) => hasFlag(call, "--verify", "--list-keys", "-k", "--list-secret-keys", "--fingerprint"),
  }),
  ...rows("agent", { anywhere: true }),
  ...rows("tmux screen", {
    anywhere: true,
    verbs: /^(ls|list-sessions|list-windows|list-panes|display-message|has-session|info|-ls|-V|capture-pane)$/,
  }),
  // Packages of the system, as far as they are looked at. What installs is found as package-global.
  ...rows("apt apt-get apt-cache dpkg dpkg-query rpm dnf yum apk pacman brew port snap flatpak", {
    anywhere: true,
    check: (call) => looksAtPackages(call),
  }),
};

const looksAtPackages = (call: Call): boolean =>
  /^(list|search|show|info|policy|depends|rdepends|cache|madison|deps|leaves|outdated|config|doctor|--version|query|repoquery|whatprovides|provides)$/.test(
    call.operands[0]?.text ?? "",
  ) ||
  call.words.some((word) =>
    /^(-l|-L|-s|-S|-q[a-z]*|-Q[a-z]*|--list|--listfiles|--status|-W|--show|--query)$/.test(word),
  );

/** A shell with a text is opened and found elsewhere; with a file it is a program of the project. */
function runsShellFile(call: Call, scope: ExecScope): boolean {
  if (call.words.some((word) => /^-[a-zA-Z]*c[a-zA-Z]*$/.test(word))) return true;
  const here = call.simple.redirects.some((one) => one.op.startsWith("<<"));
  return here || call.simple.feed !== undefined || runsOwnFile(call, scope);
}

/** `deno run main.ts`, `node inspect x.js`. */
function runsVerb(call: Call): boolean {
  return (
    call.program === "deno" &&
    /^(run|test|fmt|lint|check|task|cache|info|bench|doc|compile|bundle|serve|add|install)$/.test(
      call.operands[0]?.text ?? "",
    )
  );
}
