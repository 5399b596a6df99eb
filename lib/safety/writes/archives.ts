import type { Word } from "../options/command-line.js";
import type { Call } from "./operands.js";
import type { Row } from "./files.js";
import { given, HERE, NOTHING, named, nameIn, toTarget, toWrites, type Writes, withText } from "./target.js";

const isRemote = (word: Word): boolean => /^[\w.@-]+:/.test(word.text);

const tar: Row = (call) => {
  const indexes = named(call, "-g --listed-incremental --index-file --volno-file");
  const archives = named(call, "-f --file").filter((word) => !isRemote(word));
  if (given(call, "-x --extract --get")) {
    if (given(call, "-O --to-stdout --to-command")) return toWrites(indexes);
    const into = named(call, "-C --directory");
    const top = named(call, "--one-top-level");
    const targets = [...(top.length > 0 ? top : [HERE]).map((word) => toTarget(word, { into })), ...toWrites(indexes).targets];
    return given(call, "-P --absolute-names") ? { targets, unknown: "tar writes where the archive says" } : { targets };
  }
  if (!given(call, "-c --create -r --append -u --update -A --catenate --concatenate --delete")) return toWrites(indexes);
  const made = toWrites(archives, indexes);
  if (!given(call, "--remove-files")) return made;
  // What was packed is taken away.
  const into = named(call, "-C --directory");
  const taken = call.positionals.map((word) => toTarget(word, { into }));
  const targets = [...made.targets, ...taken];
  return given(call, "-T --files-from") ? { targets, unknown: "tar removes what a list says" } : { targets };
};

const unzip: Row = (call) => {
  if (given(call, "-l -t -Z -p -c -z")) return NOTHING;
  const into = named(call, "-d");
  return toWrites(into.length > 0 ? into : [HERE]);
};

const zip: Row = (call) => {
  const out = named(call, "-O --output-file --out -b --temp-path -lf --logfile-path");
  const [archive, ...packed] = call.positionals;
  return {
    targets: [
      ...toWrites(out).targets,
      ...(given(call, "-m --move") ? toWrites(packed).targets : []),
      ...(archive === undefined || archive.text === "-" ? [] : [toTarget(archive, { suffixes: ["", ".zip"] })]),
    ],
  };
};

const sevenZip: Row = (call) => {
  const [verb, archive] = call.positionals;
  const work = named(call, "-w");
  if (/^[aud]$|^rn$/.test(verb?.text ?? "")) return toWrites(archive === undefined ? [] : [archive], work);
  if (!/^[xe]$/.test(verb?.text ?? "")) return NOTHING;
  const into = named(call, "-o");
  return toWrites(into.length > 0 ? into : [HERE], work);
};

/** Unpacks into the last operand, or here. */
const unpackTo =
  (from: number): Row =>
  (call) =>
    toWrites(call.positionals.length > from ? call.positionals.slice(-1) : [HERE]);

const cpio: Row = (call) => {
  const out = named(call, "-O -F --file");
  if (given(call, "-p --pass-through")) return toWrites(call.positionals.slice(-1), out);
  return given(call, "-i --extract") ? toWrites([HERE], out) : toWrites(out);
};

/** `ar rc lib.a x.o`, `jar cf x.jar dir`. */
const keyed: Row = (call) => {
  const [key, archive] = call.positionals;
  return /^-?[a-zA-Z]*x/.test(key?.text ?? "") ? toWrites([HERE]) : toWrites(archive === undefined ? [] : [archive]);
};

const curl: Row = (call) => {
  const dirs = named(call, "--output-dir");
  const into = dirs.slice(-1);
  const files = named(call, "-o --output").filter((word) => word.text !== "-");
  const logs = named(call, "-c --cookie-jar -D --dump-header --etag-save --hsts --alt-svc --libcurl --stderr --trace --trace-ascii");
  const formatted = named(call, "-w --write-out").flatMap((word) =>
    [...word.text.matchAll(/%output\{(?:>>)?([^}]*)\}/g)].map((match) => withText(word, match[1] ?? "")),
  );
  const kept = given(call, "-O --remote-name --remote-name-all -J --remote-header-name");
  const names = kept ? [...call.positionals, ...named(call, "--url")].flatMap((word) => nameIn(word) ?? []) : [];
  const targets = [
    ...files.map((word) => toTarget(word, { into })),
    ...toWrites(logs, formatted).targets,
    ...(kept ? [toTarget(HERE, { into, names })] : []),
  ];
  const config = named(call, "-K --config").some((word) => word.text !== "/dev/null");
  return config ? { targets, unknown: "curl writes where its configuration says" } : { targets };
};

const wget: Row = (call) => {
  const documents = named(call, "-O --output-document");
  const logs = named(
    call,
    "-o --output-file -a --append-output --save-cookies --rejected-log --hsts-file --warc-file --warc-tempdir --warc-dedup",
  );
  const into = named(call, "-P --directory-prefix");
  const keeps = documents.length === 0 && !given(call, "--spider -h --help -V --version");
  const names = call.positionals.flatMap((word) => nameIn(word) ?? []);
  const targets = [
    ...toWrites(documents, logs).targets,
    ...(keeps ? [into.length > 0 ? into.slice(-1) : [HERE]].flat().map((word) => toTarget(word, { names })) : []),
  ];
  return given(call, "-e --execute --config") ? { targets, unknown: "wget writes where its configuration says" } : { targets };
};

const docker: Row = (call) => {
  const words = call.positionals.map((word) => word.text);
  const verb = /^(container|image|buildx|compose)$/.test(words[0] ?? "") ? words[1] : words[0];
  const last = call.positionals.at(-1);
  if (verb === "cp") return toWrites(last === undefined || /^[\w.-]+:/.test(last.text) ? [] : [last]);
  const files = toWrites(named(call, "--iidfile --cidfile --metadata-file"));
  if (verb === "save" || verb === "export") return { targets: [...files.targets, ...toWrites(named(call, "-o --output")).targets] };
  return verb === "build" || verb === "bake"
    ? { targets: [...files.targets, ...toWrites(named(call, "-o --output").map(outputPlace)).targets] }
    : files;
};

/** `type=local,dest=out` is `out`. */
const outputPlace = (word: Word): Word => withText(word, /(?:^|,)dest=([^,]*)/.exec(word.text)?.[1] ?? word.text);

/** Programs that pack, unpack or fetch. */
export const ARCHIVERS: Readonly<Record<string, Row>> = {
  tar,
  unzip,
  bsdunzip: unzip,
  zip,
  "7z": sevenZip,
  cpio,
  ar: keyed,
  jar: keyed,
  unrar: unpackTo(2),
  unar: unpackTo(9),
  curl,
  wget,
  docker,
  aria2c: (call: Call): Writes => {
    const into = named(call, "-d --dir");
    const files = named(call, "-o --out");
    const logs = toWrites(named(call, "-l --log --save-session --save-cookies")).targets;
    return { targets: [...(files.length > 0 ? files : [HERE]).map((word) => toTarget(word, { into })), ...logs] };
  },
  "dpkg-deb": (call: Call) => (given(call, "-x --extract -X -R -e") ? unpackTo(1)(call) : NOTHING),
  zipfile: (call: Call) =>
    toWrites(
      named(call, "-e --extract").length + call.positionals.length > 0 ? [...call.operands.slice(-1), ...call.operands.slice(0, 1)] : [],
    ),
  tarfile: (call: Call) => toWrites([...call.operands.slice(-1), ...call.operands.slice(0, 1)]),
};
