import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { type ExecScope, inspect } from "./exec.js";
import { createWrittenLog, noteWritten } from "./written.js";

const FILES: Readonly<Record<string, string>> = {
  "package.json":
    '{"scripts":{"lint":"node scripts/lint.js","test":"node --test test","all":"npm run lint && npm test"}}',
  "scripts/lint.js": "",
  "src/cli.js": "",
  Makefile: "app: c/main.c\n\tcc $(CFLAGS) -o app c/main.c\n",
  "c/main.c": "",
  "py/stats.py": "",
  ".agent/permissions.yaml": "version: 1\n",
  ".git/config": "",
  "n/permissions.yaml": "",
  "n/deep/.agent/permissions.yaml": "",
};

/** What is asked about the last of some steps; the earlier ones have run. `write PATH` is a write of the file tool. */
function lastClasses(t: TestContext): (steps: string) => readonly string[] {
  const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "runs-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const userHome = join(root, "user");
  const project = join(userHome, "project");
  for (const dir of [".ssh", "outside", "documents"]) mkdirSync(join(userHome, dir), { recursive: true });
  writeFileSync(join(userHome, ".ssh/id_rsa"), "x");
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), text);
  }
  const paths = {
    home: layOutHome(join(userHome, ".agent")),
    userHome,
    project,
    env: {},
    temporary: [join(root, "tmp")],
  };
  return (steps) => {
    const written = createWrittenLog();
    const scope: ExecScope = { ...paths, cwd: project, written };
    let found: readonly string[] = [];
    for (const step of steps.split(" ⇒ ")) {
      const file = /^write (\S+)$/.exec(step)?.[1];
      if (file !== undefined) {
        written.file(resolve(project, file));
        continue;
      }
      const { calls, risks, blocked } = inspect(step, scope);
      found = blocked === undefined ? [...new Set(risks.map((risk) => risk.class))] : ["blocked"];
      for (const call of calls) noteWritten(written, call, written.has);
    }
    return found;
  };
}

/** Each line asks as this class. */
function asks(title: string, kind: string, lines: readonly string[]): void {
  test(title, (t) => {
    const classes = lastClasses(t);
    const missed = lines.filter((line) => !classes(line).includes(kind));
    assert.deepEqual(
      missed.map((line) => `${line}: ${classes(line).join(", ")}`),
      [],
    );
  });
}

/** No line asks. */
function runs(title: string, lines: readonly string[]): void {
  test(title, (t) => {
    const classes = lastClasses(t);
    const asked = lines.filter((line) => classes(line).length > 0);
    assert.deepEqual(
      asked.map((line) => `${line}: ${classes(line).join(", ")}`),
      [],
    );
  });
}

asks("a variable by which programs find settings or code is asked about, however it is set", "inline-code", [
  "HOME=$PWD/h git status",
  "env -i HOME=h git log",
  "HOME=$PWD/h; git status",
  "read -r HOME <<< h; git status",
  "printf -v HOME %s h; git status",
  "for HOME in h; do git status; done",
  "mapfile -t HOME < h.txt",
  `: \${GIT_DIR:=evil}; git status`,
  "declare -n r=HOME; r=h",
  'export "$(cat vars)"',
  "XDG_CONFIG_DIRS=h git status",
  "GIT_TEMPLATE_DIR=t git init x",
  "SYSTEM_WGETRC=w wget -q http://127.0.0.1/",
  "LD_LIBRARY_PATH=$PWD/l ls",
  "GCONV_PATH=. iconv -f X -t Y README.md",
  "env 'BASH_FUNC_ls%%=() { touch x; }' bash scripts/count.sh",
  "export 'BASH_FUNC_ls%%=() { touch x; }'",
  "BASH_CMDS[ls]=./x; ls",
  "LUA_INIT='os.execute(1)' lua x.lua",
  "GNUMAKEFLAGS='--eval=x' make",
  "RUSTC_WRAPPER=./x cargo build",
  "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='touch x' cargo run",
  "GOFLAGS=-toolexec=./x go build .",
  "NPM_CONFIG_SCRIPT_SHELL=./x npm test",
  "npm_config_node_options='-r ./x' npm test",
  "export CDPATH=/home",
  "CDPATH=/home; cd x",
]);

runs("variables that only say how something looks, or name a compiler, do not ask", [
  "HOME=$HOME git status",
  "export FOO=bar; echo $FOO",
  "CC=clang CFLAGS='-O2 -g' make app",
  "NODE_ENV=test NODE_OPTIONS=--max-old-space-size=4096 npm test",
  "GIT_PAGER=cat git log",
  "PYTHONPATH=py python3 py/stats.py",
  "CARGO_TERM_COLOR=never cargo build",
  "LANG=C LC_ALL=C sort a.txt",
  "unset HOME",
]);

asks("modules are not loaded from where this conversation wrote, whatever order export and write had", "new-code", [
  "mkdir l; echo x > l/sitecustomize.py; PYTHONPATH=l python3 py/stats.py",
  "export PYTHONPATH=l ⇒ write l/sitecustomize.py ⇒ python3 py/stats.py",
  "write l/m.py ⇒ PYTHONPATH=l python3 py/stats.py",
  "write l/m.js ⇒ NODE_PATH=l node src/cli.js",
  "write l/M.pm ⇒ PERL5LIB=l perl p.pl",
  "write l/m.rb ⇒ RUBYLIB=l ruby x.rb",
  "PYTHONPATH=../outside python3 py/stats.py",
  "write py/unittest.py ⇒ cd py && python3 -m unittest",
  "write py/json/__init__.py ⇒ cd py && python3 -m unittest",
]);

asks("make asks before it gives a text of the line to a shell or reads it as a makefile", "inline-code", [
  "make CFLAGS='-v; touch x;' app",
  "make 'CFLAGS=$(shell touch x)' app",
  "make 'CFLAGS!=touch x' app",
  "CFLAGS='-v; touch x;' make app",
  "make -e app",
  "make --environment-over app",
  "make SHELL=./x app",
  "make MAKEFLAGS=--eval=x app",
  "make -E'$(shell touch x)' -n",
  "make -nE '$(shell touch x)'",
  "make --ev='x:;touch y' x",
  "make CFLAGS=-B. app",
  "make CFLAGS='-wrapper ./x' app",
]);

runs("make takes plain values of variables", [
  "make CFLAGS=-O0 app",
  "make CC=clang V=1 app",
  "make 'CFLAGS=-O2 -DX=1' app",
  "make -n -j2 app",
]);

asks("git asks before it takes a setting that can name a program, or an option that does", "inline-code", [
  "git clone -qu 'touch x; git-upload-pack' . copy",
  "git clone --templ=t . copy",
  "git init -q --template=t",
  "git rebase -qx 'touch x' HEAD~1",
  "git rebase --ex 'touch x' HEAD~1",
  "git difftool -yx 'touch x' HEAD~1",
  "git grep --open='touch' hello",
  "git pull --upload-p='touch x' .",
  "git --exec-p=e status",
  "git -c include.path=x.cfg status",
  "git -c trailer.x.cmd='touch x' interpret-trailers --trailer x",
  "git -c tar.x.command='touch x' archive --format=x HEAD",
  "git -c remote.x.uploadpack='touch x' fetch x",
  "git -c alias.x='!touch y' x",
  "git clone --conf core.fsmonitor=x . copy",
  "git config core.bare true",
  "git config --unset core.bare",
  "git config --rename-section core other",
  "git config include.path ../evil",
]);

runs("git takes settings of colours, names and line ends", [
  "git -c color.ui=never log",
  "git -c user.name=A -c user.email=a@b.c commit -m x",
  "git -c core.pager=cat log",
  "git config user.name A",
  "git config --get core.bare",
  "git switch -c topic2",
  "git commit -c HEAD",
  "git config --list",
]);

asks("a git directory whose settings this conversation wrote is not worked in unasked", "new-code", [
  "write b/HEAD ⇒ write b/config ⇒ cd b && git status",
  "write b/config ⇒ git --git-dir=b log",
  "write sub/.git/config ⇒ git -C sub status",
  "write sub/.git/config ⇒ cd sub/deep; git status",
]);

asks("a script that a package script names is new code when this conversation wrote it", "new-code", [
  "write scripts/lint.js ⇒ npm run -s lint",
  "write scripts/lint.js ⇒ npm run lint --silent",
  "write scripts/lint.js ⇒ yarn lint",
  "write scripts/lint.js ⇒ node --run lint",
  "write scripts/lint.js ⇒ npm run all",
  "write scripts/lint.js ⇒ cd src && npm run lint",
]);

asks("a file that an option or the settings of a tool name is new code when this conversation wrote it", "new-code", [
  "write p.sed ⇒ sed --fil=p.sed README.md",
  "write p.sed ⇒ sed -nfp.sed README.md",
  "write p.awk ⇒ awk --fil p.awk README.md",
  "write p.sql ⇒ sqlite3 :memory: '.read p.sql'",
  "write x.js ⇒ node -r./x.js src/cli.js",
  "write x.js ⇒ node -r ./x src/cli.js",
  "write x.mjs ⇒ node --test-reporter=./x.mjs --test",
  "write x/__main__.py ⇒ python3 x",
  "write x.py ⇒ python3 -im x",
  "write x.sh ⇒ bash -rcfile x.sh -i",
  "write x.sh ⇒ bash --init-file x.sh -ic true",
  "write X.pm ⇒ perl -MX p.pl",
  "write x.mk ⇒ make --makef=x.mk",
  "write l/Makefile ⇒ make --dir=l",
  "write l/package.json ⇒ npm --prefix l test",
  "write package.json ⇒ npm pack",
  "write CMakeLists.txt ⇒ cmake -S . -B build",
  "write build.rs ⇒ cargo build",
  "write webpack.config.js ⇒ npx webpack",
  "write eslint.config.js ⇒ npx eslint .",
  "write .pre-commit-config.yaml ⇒ pre-commit run",
  "write x.c ⇒ gcc x.c ⇒ ./a.out",
  "printf 'int main(){}' | gcc -w -xc - && ./a.out",
  "rustc x.rs ⇒ ./x",
]);

asks("runs of the project may load what this conversation wrote: tests, modules, sources of a build", "new-code", [
  "write test/x.test.js ⇒ npm test",
  "write test/x.test.js ⇒ node --test test",
  "write test/x.test.js ⇒ cd src && npx jest",
  "write py/test_x.py ⇒ cd py && python3 -m unittest",
  "write py/stats.py ⇒ python3 py/test_stats.py",
  "write src/pkg/x.py ⇒ PYTHONPATH=src pytest",
  "write src/greet.js ⇒ node src/cli.js",
  "write src/greet.js ⇒ ./scripts/lint.js",
  "write src/greet.js ⇒ npm run all",
  "write c/main.c ⇒ make app",
  "write src/x.go ⇒ go test ./...",
  "write src/lib.rs ⇒ cargo build",
  "sed -i s/a/b/ src/greet.js && node src/cli.js",
]);

runs("a program that is compiled from what was there before is not new", [
  "gcc -Wall c/main.c -o app && ./app",
  "cc -g c/main.c ⇒ ./a.out",
]);

asks(
  "a program that is compiled from what was written, or from a source that an option brings in, is new",
  "new-code",
  [
    "write c/main.c ⇒ gcc c/main.c -o app ⇒ ./app",
    "write c/main.h ⇒ gcc c/main.c -o app ⇒ ./app",
    "echo x > c/x.c && gcc c/main.c c/x.c -o app && ./app",
    "gcc -include c/x.h c/main.c -o app && ./app",
    "gcc -DX=y c/main.c -o app && ./app",
    "gcc -o app @options && ./app",
  ],
);

runs("texts and data that this conversation wrote make no run of the project new", [
  "write notes.md ⇒ npm test",
  "write data/people.csv ⇒ python3 py/stats.py",
  "jq . package.json > items.json ⇒ node src/cli.js",
  "write src/greet.js ⇒ node --version",
  "write src/greet.js ⇒ git status",
  "write src/greet.js ⇒ grep -r hello src",
  "write package.json ⇒ npm ls",
]);

asks("options of other programs that name a command are read as the program does", "inline-code", [
  "gcc -B. c/main.c",
  "gcc -specs=x c/main.c",
  "gcc -fplugin=./x.so c/main.c",
  "gcc -Wl,-plugin,./x.so c/main.c",
  "ar --plug ./x.so rc x.a c.o",
  "zip -qTTT 'touch x;' a.zip README.md",
  "tar cfF a.tar x.sh README.md",
  "tar --rmt-comm=x -cf host:a.tar README.md",
  "go build -toolexec=./x .",
  "go test -exec ./x .",
  "cargo --config build.rustc-wrapper=1 build",
  "npm test --script-s=./x",
  "npm --userconfig=x test",
]);

asks("what a program takes away, or writes by a shortened or joined option, counts as written", "outside-write", [
  "strip -o../outside/x a.out",
  "strip ../outside/x",
  "shuf --outp ../outside/x a.txt",
  "zip -qm a.zip ../documents/letter.txt",
  "tar cf a.tar --remove-f ../documents/letter.txt",
  "sed -i../../outside/* s/a/b/ README.md",
  "gcc -Wl,-Map,../outside/x c/main.c",
  "gcc -Xlinker -Map=../outside/x c/main.c",
  "gcc -Wp,-MD,../outside/x -c c/main.c",
  "gcc -fdump-tree-all=../outside/x -c c/main.c",
  "make CFLAGS='-o ../outside/x' app",
  "node --trace-event-file-pattern=../outside/x src/cli.js",
  "node --prof --logfile=../outside/x src/cli.js",
  "objcopy --dump-section .text=../outside/x a.out",
  "git clone -q evil c2; touch c2/o/x",
]);

asks("the project's permission rules are not taken away or replaced with their directory", "blocked", [
  "rm .agent/permissions.yaml",
  "unlink .agent/permissions.yaml",
  "cd .agent && rm permissions.yaml",
  "mv .agent old",
  "mv .agent/permissions.yaml x",
  "cp -r n/. .agent/",
  "cp -rT n .agent",
  "rsync -a n/ .agent/",
  "cp -r n/deep/. .",
  "mkdir m; echo x > m/permissions.yaml; cp -r m/. .agent/",
  "git mv .agent old",
  "git checkout HEAD~1 -- .agent/permissions.yaml",
  "git restore .agent",
  "ln -s .agent a; rm a/permissions.yaml",
  "patch -p1 <<'X'\n--- a/.agent/permissions.yaml\n+++ b/.agent/permissions.yaml\nX",
]);

asks("a stash or a sync that takes the project's rules along asks", "system-write", [
  "git stash -qu",
  "git stash push --include-un",
  "git stash -a",
  "rsync -a --delete n/ .",
  "mv .git .g",
  "rm .git/config",
]);

runs("copies, moves and stashes beside the project's rules do not ask", [
  "git stash",
  "cp -r n m",
  "mv n m",
  "cp -r n/. src/",
  "rm n/permissions.yaml",
  "mkdir x; tar czf s.tgz src && tar xzf s.tgz -C x && ls x/src",
  "mkdir tmp; touch tmp/a tmp/b",
  "git checkout -- src/cli.js",
  "git restore src",
]);

asks("a secret is not read through a link that the line makes", "unknown-program", [
  "mkdir t; ln -s ../../.ssh t/s; rev t/s/id_rsa",
  "ln -s ../.ssh s; cat s/*",
  "ln -s .. h; base64 h/.ssh/id_rsa",
]);

asks("a client that reads commands of its own is asked about when one of them starts a program", "inline-code", [
  "sqlite3 :memory: '.sy touch x'",
  "echo '.shell touch x' | sqlite3",
  "sqlite3 <<< '.shell touch x'",
  "sqlite3 :memory: '.import \"|touch x\" t'",
  "sqlite3 :memory: '.o |touch x'",
  "sqlite3 :memory: '.load ./p'",
  `sqlite3 :memory: "select edit('x','touch y')"`,
  "tr a b < x | sqlite3",
  "ed README.md <<< '!touch x'",
  "printf 'r !touch x\\nq\\n' | ed README.md",
  "printf 'w ../outside/x\\nq\\n' | ed README.md",
  "ex -s README.md <<< 'g/x/!touch y'",
  "psql <<< '\\! touch x'",
  "gdb -q <<< 'shell touch x'",
  "dc <<< '!touch x'",
  "gnuplot -e 'system \"touch x\"'",
]);

runs("clients and editors that only work on their own data do not ask", [
  "sqlite3 t.db 'create table t(a); select * from t'",
  "sqlite3 -csv :memory: 'select 1, 2' .tables",
  "echo 'select 1' | sqlite3 :memory:",
  "cat schema.sql | sqlite3 t.db",
  "printf '1d\\nw\\nq\\n' | ed README.md",
  "ed README.md <<< 'g/x/s//y/\nw\nq'",
]);

asks("installs for the whole system are found behind shortened options and other verbs", "package-global", [
  "npm --loc=global i x",
  "npm i --globa x",
  "pnpm -g add x",
  "pip install --use x",
  "pip install --targ=/opt x",
  "uv pip install --system x",
  "uv --quiet tool install x",
  "cargo +nightly install x",
  "gem inst x",
  "apt-get -y install x",
  "dpkg --ins x.deb",
  "rpm --insta x.rpm",
  "pacman --sync x",
  "corepack enable",
  "conda install -n base x",
]);

runs("packages of the project are installed unasked", [
  "npm install --silent",
  "npm i -D x",
  "pip install -r requirements.txt",
  "cargo add x",
  "gem build x.gemspec",
  "conda list",
  "corepack --version",
]);

asks("what ends the machine is refused behind options, patterns and programs that write", "blocked", [
  "rm --recurs --forc /usr",
  "rm -rf /e*c",
  "find -L / -type f -delete",
  "find ~ -name '*' -delete",
  "systemctl -H x poweroff",
  "systemctl isolate reboot.target",
  "loginctl poweroff",
  "telinit -t 1 6",
  "curl -o /dev/sda file:///x",
  "openssl rand -out /dev/sda 100",
  "dd if=x of=/dev//sda",
  "tar cf /dev/disk/by-id/x .",
  "kill --sig KILL -- -1",
]);

asks("an output option of a program that no table knows counts as a place that is written", "outside-write", [
  "esbuild x.js --outfile=../outside/x",
  "pandoc README.md -o ../outside/x",
  "pandoc README.md -o../outside/x",
  "protoc --cpp_out=../outside x.proto",
  "jest --coverageDirectory=../outside",
  "mocha -O output=../outside/x",
  "valgrind --log-file=../outside/x ls",
  "iconv -o ../outside/x README.md",
  "mktemp -p ../outside",
  "mktemp ../outside/XXXX",
  "pytest -o cache_dir=../outside",
  "python3 -X pycache_prefix=../outside py/stats.py",
]);

asks("an expression, a redirection or a setting of the shell does not change what later names mean", "inline-code", [
  "((HOME=1)); git status",
  "exec {HOME}>x; git status",
  "shopt -s expand_aliases\nalias ls=touch\nls ../outside/x",
  "shopt -s cdable_vars; cd outside",
  'read "$name" <<< h',
]);

runs("outputs in the project and switches with the letter of an output do not ask", [
  "esbuild x.js --outfile=build/x.js",
  "pandoc README.md -o docs/x.html",
  "ls -o ../documents",
  "grep -o x ../documents/letter.txt",
  "mktemp",
  "mktemp -d -t work",
  "n=1; ((n+=1)); echo $n",
  "shopt -s nullglob; ls *.md",
]);
