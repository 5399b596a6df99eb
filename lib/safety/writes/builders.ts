import type { Word } from "../options/command-line.js";
import type { WritesRow } from "./files.js";
import type { Call } from "./operands.js";
import {
  dropWordStart,
  given,
  HERE,
  listOptionWords,
  NO_WRITES,
  nameIn,
  toTarget,
  toWrites,
  type Writes,
  withText,
} from "./target.js";

/** `section=file` is `file`. */
const behindEquals = (word: Word): Word => dropWordStart(word, word.text.indexOf("=") + 1);

const opts =
  (options: string): WritesRow =>
  (call) =>
    toWrites(listOptionWords(call, options));

/** Compiler options with a file in their value: `-fdump-tree-all=x`, `-fopt-info-all=x`. */
const DUMPS =
  /^-f(?:dump-[\w-]+|opt-info[\w-]*|time-trace|profile-dir|profile-generate|proc-stat-report|crash-diagnostics-dir|save-optimization-record|optimization-record-file)=(.*)$/s;

/** Names that a compiler gives to what it makes where none is named. */
function madeByDefault(call: Call): readonly Word[] {
  if (
    given(call, "-o --output -E -fsyntax-only -M -MM --help --version -v -dumpversion -dumpmachine") ||
    call.positionals.length === 0
  )
    return [];
  const end = given(call, "-c") ? ".o" : given(call, "-S") ? ".s" : undefined;
  if (end === undefined) return [withText(HERE, "./a.out")];
  return call.positionals.flatMap((word) => {
    const name = nameIn(word);
    return name === undefined ? [] : [withText(word, `./${name.text.replace(/\.[^.]*$/, "")}${end}`)];
  });
}

const cc: WritesRow = (call) => {
  const argumentFiles = call.positionals.some((word) => word.text.startsWith("@"));
  const dumped = call.simple.words.flatMap((word) => {
    const file = DUMPS.exec(word.text)?.[1];
    return file === undefined ? [] : [withText(word, file)];
  });
  const written = toWrites(
    listOptionWords(call, "-o --output -MF -MJ -dumpdir -dumpbase -aux-info -fprofile-dir"),
    dumped,
    madeByDefault(call),
  );
  return argumentFiles ? { ...written, unknown: "the compiler reads its options from a file" } : written;
};

const rustc: WritesRow = (call) => {
  const emitted = listOptionWords(call, "--emit").flatMap((word) =>
    word.text.split(",").flatMap((one) => (one.includes("=") ? [withText(word, one.slice(one.indexOf("=") + 1))] : [])),
  );
  const [source] = call.positionals;
  const made =
    source === undefined || given(call, "-o --out-dir --emit --print --version") ? undefined : nameIn(source);
  return toWrites(
    listOptionWords(call, "-o --out-dir"),
    emitted,
    made === undefined ? [] : [withText(made, `./${made.text.replace(/\.rs$/, "")}`)],
  );
};

const pip: WritesRow = (call) => {
  const [verb] = call.positionals;
  const places = listOptionWords(
    call,
    "-t --target --prefix --root --log --src --cache-dir --report -w --wheel-dir -d --dest --dest-dir",
  );
  const keeps =
    /^(download|wheel)$/.test(verb?.text ?? "") &&
    listOptionWords(call, "-d --dest --dest-dir -w --wheel-dir").length === 0;
  return toWrites(places, keeps ? [HERE] : []);
};

const npm: WritesRow = (call) => {
  const [verb, sub] = call.positionals.map((word) => word.text);
  const places = listOptionWords(
    call,
    "-C --prefix --cwd --dir --pack-destination --cache --userconfig --globalconfig --logs-dir --modules-folder --store-dir --virtual-store-dir --lockfile-dir --global-dir --global-folder --link-folder --state-dir",
  );
  if (/^(pkg|set-script)$/.test(verb ?? "") && !/^(get|ls)$/.test(sub ?? ""))
    return toWrites(places, [withText(HERE, "./package.json")]);
  const project = listOptionWords(call, "--location").some((word) => word.text === "project") || given(call, "-L");
  const sets =
    (/^(config|c)$/.test(verb ?? "") && /^(set|delete|edit|rm)$/.test(sub ?? "")) ||
    /^(set|login|logout|adduser|add-user)$/.test(verb ?? "");
  return toWrites(places, sets ? [withText(HERE, project ? "./.npmrc" : "~/.npmrc")] : []);
};

const cargo: WritesRow = (call) => {
  const [verb, ...rest] = call.positionals;
  const made = /^(new|init|vendor)$/.test(verb?.text ?? "") ? rest.slice(0, 1) : [];
  return toWrites(listOptionWords(call, "--target-dir --root --out-dir --artifact-dir --lockfile-path"), made);
};

const go: WritesRow = (call) => {
  const into = listOptionWords(call, "-C");
  const files = listOptionWords(
    call,
    "-o -pkgdir -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace -outputdir -modfile",
  );
  return { targets: [...files, ...(into.length > 0 ? [HERE] : [])].map((word) => toTarget(word, { into })) };
};

/** Values of `DESTDIR=/x`, `prefix=/usr` and the like. */
const PLACE_VARIABLE =
  /^(DESTDIR|prefix|PREFIX|INSTALL_ROOT|INSTALL_PREFIX|exec_prefix|bindir|BINDIR|OUTDIR|OUT|O|BUILD_DIR|BUILDDIR)=/;

const make: WritesRow = (call) => {
  const into = listOptionWords(call, "-C --directory");
  const places = call.positionals.flatMap((word) =>
    PLACE_VARIABLE.test(word.text) ? [dropWordStart(word, word.text.indexOf("=") + 1)] : [],
  );
  const set = call.simple.assignments.some((word) => PLACE_VARIABLE.test(word.text));
  const installs =
    call.positionals.some((word) => /^(un)?install(-\w+)?$/.test(word.text)) && places.length === 0 && !set;
  const targets = [...(into.length > 0 ? [HERE] : []), ...places].map((word) => toTarget(word, { into }));
  return installs ? { targets, unknown: `${call.program} installs where its files say` } : { targets };
};

const cmake: WritesRow = (call) => {
  const [tool] = listOptionWords(call, "-E");
  if (tool !== undefined) {
    const operands = call.positionals;
    if (/^(copy|copy_directory|copy_if_different|create_symlink|create_hardlink|rename)$/.test(tool.text))
      return toWrites(operands.slice(-1));
    return /^(touch|touch_nocreate|make_directory|rm|remove|remove_directory)$/.test(tool.text)
      ? toWrites(operands)
      : NO_WRITES;
  }
  const places = listOptionWords(call, "-B --build --prefix --trace-redirect --profiling-output --graphviz");
  if (!given(call, "--install")) return toWrites(places);
  const prefix = listOptionWords(call, "--prefix").length > 0;
  return prefix ? toWrites(places) : { ...toWrites(places), unknown: "cmake installs where its files say" };
};

/** Commands of a database client and SQL that write files. */
const SQL_FILES = [
  /^\s*\.(?:o\w*|b[ai]\w*|sa\w*|cl\w*|log?|tr\w*|exc\w*|arc\w*|testc\w*)\s+(?:-\S+\s+)*(?:main\s+)?["']?([^"'\n]+?)["']?\s*$/gm,
  /\bvacuum\s+(?:\w+\s+)?into\s+["']([^"']+)["']/gi,
  /\battach\s+(?:database\s+)?["']([^"']+)["']/gi,
  /\bwritefile\s*\(\s*["']([^"']+)["']/gi,
  /\binto\s+(?:outfile|dumpfile)\s+["']([^"']+)["']/gi,
  /\\(?:o|out|g|gx|w|write|s|T|tee|copy\s.*\sto)\s+["']?([^"'\s|]+)["']?/g,
  /\bcopy\b[^;]*\bto\s+["']([^"']+)["']/gi,
];

/** Texts that a database client reads: its words, here-documents and what is echoed into it. */
function sqlFiles(texts: readonly Word[]): readonly Word[] {
  return texts.flatMap((word) =>
    SQL_FILES.flatMap((pattern) =>
      [...word.text.slice(0, 20_000).matchAll(pattern)].map((match) => withText(word, (match[1] ?? "").trim())),
    ),
  );
}

const bodies = (call: Call): readonly Word[] =>
  call.simple.redirects.flatMap((one) => (one.op.startsWith("<<") ? [one.body ?? one.target] : []));

const sqlite: WritesRow = (call) => {
  const [file] = call.positionals;
  const written =
    file === undefined || given(call, "-readonly") || /^(:memory:|)$/.test(file.text) ? [] : [withSqlName(file)];
  const places = toWrites(written, sqlFiles([...call.simple.words.slice(1), ...bodies(call)]));
  const archives = call.simple.words.some((word) => /^--?A/.test(word.text));
  return archives ? { ...places, unknown: "sqlite3 unpacks where the archive says" } : places;
};

/** `file:x.db?mode=rw` is `x.db`. */
const withSqlName = (word: Word): Word =>
  word.text.startsWith("file:") ? withText(word, word.text.slice(5).replace(/\?.*$/s, "")) : word;

const sqlClient: WritesRow = (call) =>
  toWrites(
    listOptionWords(call, "-o --output -L --log-file --tee -f --file -r --result-file -T --tab --log-error").filter(
      () => /dump|^psql$|^m/.test(call.program),
    ),
    sqlFiles([...call.simple.words.slice(1), ...bodies(call)]),
  );

/** Output options of `psql -f` and `mysql -f` read, those of the dump tools write. */
const psql: WritesRow = (call) =>
  toWrites(
    listOptionWords(call, "-o --output -L --log-file"),
    sqlFiles([...call.simple.words.slice(1), ...bodies(call)]),
  );
const mysql: WritesRow = (call) =>
  toWrites(listOptionWords(call, "--tee"), sqlFiles([...call.simple.words.slice(1), ...bodies(call)]));

const firstOf: WritesRow = (call) => toWrites(call.positionals.slice(0, 1));

/** What `print > "file"` of awk writes; undefined where only running it would tell. */
function awkWrites(program: string): { readonly files: readonly string[]; readonly unknown: boolean } {
  const files: string[] = [];
  let unknown = false;
  let printing = false;
  let depth = 0;
  for (let at = 0; at < program.length; at++) {
    const char = program[at] ?? "";
    if (char === '"') {
      at = stringEnd(program, at);
      continue;
    }
    if (char === "(") depth += 1;
    else if (char === ")") depth -= 1;
    else if (char === ";" || char === "}" || char === "{" || char === "\n") printing = false;
    else if (char === "p" && /^printf?\b/.test(program.slice(at, at + 7)) && !/\w/.test(program[at - 1] ?? " "))
      [printing, depth] = [true, 0];
    else if (char === ">" && printing && depth <= 0) {
      const from = program[at + 1] === ">" ? at + 2 : at + 1;
      const named = /^\s*"((?:[^"\\]|\\.)*)"\s*(?=[;}\n]|$)/.exec(program.slice(from, from + 4_096))?.[1];
      if (named === undefined) unknown = true;
      else files.push(named);
      at = from - 1;
      printing = false;
    }
  }
  return { files, unknown };
}

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

const awk: WritesRow = (call): Writes => {
  const sources = listOptionWords(call, "-e --source");
  const script = sources.length > 0 || given(call, "-f --file -E --exec") ? sources : call.positionals.slice(0, 1);
  const files = call.positionals
    .slice(sources.length > 0 || given(call, "-f --file -E --exec") ? 0 : 1)
    .filter((word) => !/^\w+=/.test(word.text));
  const inPlace = listOptionWords(call, "-i --include").some((word) => /(^|\/)inplace/.test(word.text));
  const found = script.map((word) => awkWrites(word.text));
  const written = found.flatMap((one) => one.files.map((text) => withText(HERE, text)));
  const places = toWrites(
    inPlace ? files : [],
    listOptionWords(call, "-o --pretty-print -p --profile -d --dump-variables"),
    written,
  );
  const open = found.some((one) => one.unknown);
  return open ? { ...places, unknown: "awk prints into a file whose name only running it tells" } : places;
};

/** Compilers, package managers, build tools, interpreters and databases. */
export const BUILDERS: Readonly<Record<string, WritesRow>> = {
  cc,
  strip: (call) =>
    given(call, "-o --output-file") ? toWrites(listOptionWords(call, "-o --output-file")) : toWrites(call.positionals),
  objcopy: (call) =>
    toWrites(
      call.positionals.slice(-1),
      listOptionWords(call, "--split-dwo"),
      listOptionWords(call, "--dump-section").map(behindEquals),
    ),
  ranlib: (call) => toWrites(call.positionals),
  ld: (call) => {
    const made = toWrites(
      listOptionWords(call, "-o --output -Map --dependency-file --out-implib --output-def -reproduce --reproduce"),
    );
    return call.positionals.some((word) => word.text.startsWith("@"))
      ? { ...made, unknown: "the linker reads its options from a file" }
      : made;
  },
  as: (call) =>
    toWrites(
      listOptionWords(call, "-o --MD"),
      listOptionWords(call, "-a").map((word) => dropWordStart(word, word.text.indexOf("=") + 1)),
    ),
  rustc,
  javac: opts("-d -h -s"),
  tsc: opts(
    "--outDir -outDir --outFile -outFile --declarationDir --tsBuildInfoFile --generateTrace --generateCpuProfile",
  ),
  pip,
  npm,
  cargo,
  go,
  make,
  gmake: make,
  cmake,
  awk,
  meson: make,
  ninja: make,
  terraform: opts("-out -state -state-out -backup"),
  python: (call) =>
    toWrites(
      listOptionWords(call, "-X").flatMap((word) =>
        word.text.startsWith("pycache_prefix=") ? [behindEquals(word)] : [],
      ),
    ),
  gofmt: (call) => (given(call, "-w") ? toWrites(call.positionals) : NO_WRITES),
  sqlite3: sqlite,
  psql,
  mysql,
  pg_dump: sqlClient,
  mysqldump: sqlClient,
  node: opts(
    `--cpu-prof-dir --cpu-prof-name --heap-prof-dir --heap-prof-name --diagnostic-dir --report-dir --report-directory --report-filename --redirect-warnings
    --test-reporter-destination --tls-keylog --snapshot-blob --trace-event-file-pattern --logfile --trace-turbo-path --trace-turbo-cfg-file
    --redirect-code-traces-to --turbo-profiling-output --perf-prof-path --localstorage-file`.replace(/\s+/g, " "),
  ),
  venv: firstOf,
  virtualenv: firstOf,
  py_compile: (call) => toWrites(call.positionals),
  compileall: (call) => toWrites(call.positionals),
  cProfile: opts("-o"),
  uv: (call) =>
    toWrites(
      listOptionWords(call, "--directory --target --prefix --cache-dir -o --output-file --out-dir"),
      call.positionals[0]?.text === "venv" ? call.positionals.slice(1, 2) : [],
    ),
  gem: opts("-i --install-dir -n --bindir --build-root"),
  composer: opts("-d --working-dir"),
  dotnet: opts("-o --output --artifacts-path --results-directory --diag"),
  mvn: opts("-l --log-file"),
  pytest: (call) =>
    toWrites(
      listOptionWords(call, "--basetemp --junitxml --junit-xml --log-file --html --json-report-file"),
      listOptionWords(call, "-o --override-ini").map(behindEquals),
    ),
  eslint: (call) =>
    toWrites(
      listOptionWords(call, "-o --output-file --cache-file --cache-location"),
      given(call, "--fix") ? call.positionals : [],
    ),
  prettier: (call) =>
    toWrites(listOptionWords(call, "--cache-location"), given(call, "-w --write") ? call.positionals : []),
  biome: (call) => (given(call, "--write --fix --apply") ? toWrites(call.positionals.slice(1)) : NO_WRITES),
};
