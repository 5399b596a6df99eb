import type { Word } from "../options/command-line.js";
import type { WritesRow } from "./files.js";
import type { Call } from "./operands.js";
import {
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

const isRemote = (word: Word): boolean => /^[\w.@-]+:/.test(word.text);

const tar: WritesRow = (call) => {
  const indexes = listOptionWords(call, "-g --listed-incremental --index-file --volno-file");
  const archives = listOptionWords(call, "-f --file").filter((word) => !isRemote(word));
  if (given(call, "-x --extract --get")) {
    if (given(call, "-O --to-stdout --to-command")) return toWrites(indexes);
    const into = listOptionWords(call, "-C --directory");
    const top = listOptionWords(call, "--one-top-level");
    const targets = [
      ...(top.length > 0 ? top : [HERE]).map((word) => toTarget(word, { into })),
      ...toWrites(indexes).targets,
    ];
    return given(call, "-P --absolute-names") ? { targets, unknown: "tar writes where the archive says" } : { targets };
  }
  if (!given(call, "-c --create -r --append -u --update -A --catenate --concatenate --delete"))
    return toWrites(indexes);
  const made = toWrites(archives, indexes);
  if (!given(call, "--remove-files")) return made;
  // What was packed is taken away.
  const into = listOptionWords(call, "-C --directory");
  const taken = call.positionals.map((word) => toTarget(word, { into }));
  const targets = [...made.targets, ...taken];
  return given(call, "-T --files-from") ? { targets, unknown: "tar removes what a list says" } : { targets };
};

const unzip: WritesRow = (call) => {
  if (given(call, "-l -t -Z -p -c -z")) return NO_WRITES;
  const into = listOptionWords(call, "-d");
  return toWrites(into.length > 0 ? into : [HERE]);
};

const zip: WritesRow = (call) => {
  const out = listOptionWords(call, "-O --output-file --out -b --temp-path -lf --logfile-path");
  const [archive, ...packed] = call.positionals;
  return {
    targets: [
      ...toWrites(out).targets,
      ...(given(call, "-m --move") ? toWrites(packed).targets : []),
      ...(archive === undefined || archive.text === "-" ? [] : [toTarget(archive, { suffixes: ["", ".zip"] })]),
    ],
  };
};

const sevenZip: WritesRow = (call) => {
  const [verb, archive] = call.positionals;
  const work = listOptionWords(call, "-w");
  if (/^[aud]$|^rn$/.test(verb?.text ?? "")) return toWrites(archive === undefined ? [] : [archive], work);
  if (!/^[xe]$/.test(verb?.text ?? "")) return NO_WRITES;
  const into = listOptionWords(call, "-o");
  return toWrites(into.length > 0 ? into : [HERE], work);
};

/** Unpacks into the last operand, or here. */
const unpackTo =
  (from: number): WritesRow =>
  (call) =>
    toWrites(call.positionals.length > from ? call.positionals.slice(-1) : [HERE]);

const cpio: WritesRow = (call) => {
  const out = listOptionWords(call, "-O -F --file");
  if (given(call, "-p --pass-through")) return toWrites(call.positionals.slice(-1), out);
  return given(call, "-i --extract") ? toWrites([HERE], out) : toWrites(out);
};

/** `ar rc lib.a x.o`, `jar cf x.jar dir`. */
const keyed: WritesRow = (call) => {
  const [key, archive] = call.positionals;
  return /^-?[a-zA-Z]*x/.test(key?.text ?? "") ? toWrites([HERE]) : toWrites(archive === undefined ? [] : [archive]);
};

const curl: WritesRow = (call) => {
  const dirs = listOptionWords(call, "--output-dir");
  const into = dirs.slice(-1);
  const files = listOptionWords(call, "-o --output").filter((word) => word.text !== "-");
  const logs = listOptionWords(
    call,
    "-c --cookie-jar -D --dump-header --etag-save --hsts --alt-svc --libcurl --stderr --trace --trace-ascii",
  );
  const formatted = listOptionWords(call, "-w --write-out").flatMap((word) =>
    [...word.text.matchAll(/%output\{(?:>>)?([^}]*)\}/g)].map((match) => withText(word, match[1] ?? "")),
  );
  const kept = given(call, "-O --remote-name --remote-name-all -J --remote-header-name");
  const names = kept
    ? [...call.positionals, ...listOptionWords(call, "--url")].flatMap((word) => nameIn(word) ?? [])
    : [];
  const targets = [
    ...files.map((word) => toTarget(word, { into })),
    ...toWrites(logs, formatted).targets,
    ...(kept ? [toTarget(HERE, { into, names })] : []),
  ];
  const config = listOptionWords(call, "-K --config").some((word) => word.text !== "/dev/null");
  return config ? { targets, unknown: "curl writes where its configuration says" } : { targets };
};

const wget: WritesRow = (call) => {
  const documents = listOptionWords(call, "-O --output-document");
  const logs = listOptionWords(
    call,
    "-o --output-file -a --append-output --save-cookies --rejected-log --hsts-file --warc-file --warc-tempdir --warc-dedup",
  );
  const into = listOptionWords(call, "-P --directory-prefix");
  const keeps = documents.length === 0 && !given(call, "--spider -h --help -V --version");
  const names = call.positionals.flatMap((word) => nameIn(word) ?? []);
  const targets = [
    ...toWrites(documents, logs).targets,
    ...(keeps ? [into.length > 0 ? into.slice(-1) : [HERE]].flat().map((word) => toTarget(word, { names })) : []),
  ];
  return given(call, "-e --execute --config")
    ? { targets, unknown: "wget writes where its configuration says" }
    : { targets };
};

const docker: WritesRow = (call) => {
  const words = call.positionals.map((word) => word.text);
  const verb = /^(container|image|buildx|compose)$/.test(words[0] ?? "") ? words[1] : words[0];
  const last = call.positionals.at(-1);
  if (verb === "cp") return toWrites(last === undefined || /^[\w.-]+:/.test(last.text) ? [] : [last]);
  const files = toWrites(listOptionWords(call, "--iidfile --cidfile --metadata-file"));
  if (verb === "save" || verb === "export")
    return { targets: [...files.targets, ...toWrites(listOptionWords(call, "-o --output")).targets] };
  return verb === "build" || verb === "bake"
    ? { targets: [...files.targets, ...toWrites(listOptionWords(call, "-o --output").map(outputPlace)).targets] }
    : files;
};

/** `type=local,dest=out` is `out`. */
const outputPlace = (word: Word): Word => withText(word, /(?:^|,)dest=([^,]*)/.exec(word.text)?.[1] ?? word.text);

/** Programs that pack, unpack or fetch. */
export const ARCHIVERS: Readonly<Record<string, WritesRow>> = {
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
    const into = listOptionWords(call, "-d --dir");
    const files = listOptionWords(call, "-o --out");
    const logs = toWrites(listOptionWords(call, "-l --log --save-session --save-cookies")).targets;
    return { targets: [...(files.length > 0 ? files : [HERE]).map((word) => toTarget(word, { into })), ...logs] };
  },
  "dpkg-deb": (call: Call) => (given(call, "-x --extract -X -R -e") ? unpackTo(1)(call) : NO_WRITES),
  zipfile: (call: Call) =>
    toWrites(
      listOptionWords(call, "-e --extract").length + call.positionals.length > 0
        ? [...call.operands.slice(-1), ...call.operands.slice(0, 1)]
        : [],
    ),
  tarfile: (call: Call) => toWrites([...call.operands.slice(-1), ...call.operands.slice(0, 1)]),
};
