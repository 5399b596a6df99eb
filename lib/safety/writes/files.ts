import type { Word } from "../options/command-line.js";
import { sedWrites } from "../shell/sed.js";
import type { Call } from "./operands.js";
import {
  given,
  HERE,
  listOptionWords,
  listPrefixedWords,
  NO_WRITES,
  nameIn,
  toTarget,
  toTargets,
  toWrites,
  type Writes,
  type WriteTarget,
  withText,
} from "./target.js";

/** How one program of the table writes. */
export type WritesRow = (call: Call) => Writes;

const all: WritesRow = (call) => toWrites(call.positionals);
const afterFirst: WritesRow = (call) => toWrites(call.positionals.slice(given(call, "--reference") ? 0 : 1));
const isRemote = (word: Word): boolean => /^([\w.@-]+:|rsync:\/\/|\w+:\/\/)/.test(word.text);

/** Sources and a destination: a directory gets their names. */
function copies(call: Call, more: readonly Word[] = []): Writes {
  const into = listOptionWords(call, "-t --target-directory");
  const sources = into.length > 0 ? call.positionals : call.positionals.slice(0, -1);
  const places =
    into.length > 0
      ? into
      : call.positionals.length > 1
        ? call.positionals.slice(-1)
        : call.program === "ln"
          ? [HERE]
          : call.positionals;
  const names = (sources.length === 0 ? call.positionals : sources).flatMap((word) => nameIn(word) ?? []);
  const copied = places.filter((word) => !isRemote(word)).map((word) => toTarget(word, { names }));
  // By a hard link the file itself is written later, wherever it is.
  const hard =
    call.program === "ln" ? !given(call, "-s --symbolic") : call.program === "cp" && given(call, "-l --link");
  return { targets: [...copied, ...toTargets(more), ...(hard ? toTargets(sources) : [])] };
}

const install: WritesRow = (call) => (given(call, "-d --directory") ? all(call) : copies(call));

const chmod: WritesRow = (call) => {
  // `chmod -x FILE`: the mode looks like an option.
  const dashed = call.options.some(
    (option) => option.names.length === 1 && /^-[rwxXst]/.test(option.text) && !/^-R$/.test(option.text),
  );
  return dashed ? all(call) : afterFirst(call);
};

/** Files of `sed -i`, and those that its commands `w` name. */
const sed: WritesRow = (call) => {
  const script = given(call, "-e --expression -f --file") ? 0 : 1;
  const written = sedWrites(call.words).map((text) => withText(HERE, text));
  const edited = given(call, "-i --in-place") ? call.positionals.slice(script) : [];
  // `-i../kept/*` puts the old text elsewhere; the star stands for the name.
  const kept = listOptionWords(call, "-i --in-place").filter((word) => word.text.includes("/"));
  const copies = kept.flatMap((suffix) =>
    edited.map((word) => withText(suffix, suffix.text.replaceAll("*", nameIn(word)?.text ?? ""))),
  );
  return toWrites(edited, written, copies);
};

const inPlace: WritesRow = (call) =>
  given(call, "-i") ? toWrites(call.positionals.slice(given(call, "-e -E") ? 0 : 1)) : NO_WRITES;

const mktemp: WritesRow = (call) => {
  const into = listOptionWords(call, "-p --tmpdir");
  const [template] = call.positionals;
  if (template === undefined) return toWrites(into);
  // `-t` and `--tmpdir` alone mean the temporary directory.
  return into.length === 0 && given(call, "-t --tmpdir") ? NO_WRITES : { targets: [toTarget(template, { into })] };
};

const shuf: WritesRow = (call) => toWrites(listOptionWords(call, "-o --output"));
const sort: WritesRow = (call) => toWrites(listOptionWords(call, "-o --output -T --temporary-directory"));

const split: WritesRow = (call) => {
  const [prefix] = call.positionals.slice(1);
  return { targets: [toTarget(prefix ?? withText(HERE, "./x"), { suffixes: ["aa"] })] };
};

const csplit: WritesRow = (call) => {
  const [prefix] = listOptionWords(call, "-f --prefix");
  return { targets: [toTarget(prefix ?? withText(HERE, "./xx"), { suffixes: ["00"] })] };
};

/** Programs that replace what they are given, or put the result beside it. */
const beside: WritesRow = (call) => {
  const reads = given(call, "-c --stdout --to-stdout -l --list -t --test") || /cat$/.test(call.program);
  return toWrites(reads ? [] : call.positionals, listOptionWords(call, "-o --output-dir-flat --output-dir-mirror"));
};

const find: WritesRow = (call) => {
  const words = call.simple.words;
  return toWrites(words.filter((_, at) => /^-(fprint0?|fprintf|fls)$/.test(words[at - 1]?.text ?? "")));
};

const patch: WritesRow = (call) => {
  const into = listOptionWords(call, "-d --directory");
  const files = [...call.positionals.slice(0, 1), ...listOptionWords(call, "-o --output -r --reject-file -B --prefix")];
  return {
    targets: [
      ...files.filter((word) => word.text !== "-").map((word) => toTarget(word, { into })),
      toTarget(HERE, { into }),
    ],
  };
};

const rsync: WritesRow = (call) => {
  const logs = listOptionWords(
    call,
    "--backup-dir --log-file --write-batch --only-write-batch --partial-dir -T --temp-dir",
  );
  const moved = given(call, "--remove-source-files") ? call.positionals.slice(0, -1) : [];
  // What is linked hard from there is written later through the new name.
  const linked = listOptionWords(call, "--link-dest");
  const written = copies(call, [...logs, ...moved, ...linked]);
  // With one operand it only lists.
  return call.positionals.length > 1 ? written : toWrites(logs);
};

const mv: WritesRow = (call) => {
  const sources =
    listOptionWords(call, "-t --target-directory").length > 0 ? call.positionals : call.positionals.slice(0, -1);
  return copies(call, sources);
};

const sshKeygen: WritesRow = (call) => {
  if (given(call, "-l -y -F -B -e -L -Q -Y -h")) return NO_WRITES;
  const files = listOptionWords(call, "-f");
  const place =
    files.length > 0 ? files : [withText(HERE, given(call, "-R -H") ? "~/.ssh/known_hosts" : "~/.ssh/id_rsa")];
  return { targets: place.map((word): WriteTarget => toTarget(word, { suffixes: ["", ".pub"] })) };
};

const openssl: WritesRow = (call) =>
  toWrites(
    listOptionWords(
      call,
      "-out -keyout -writerand -outdir -sess_out -keylogfile -certsout -respout -reqout -CAserial -extracertsout -cacertsout -cert_out",
    ),
  );

const script: WritesRow = (call) => {
  const logs = listOptionWords(call, "-O --log-out -I --log-in -B --log-io -T --log-timing -t --timing");
  return toWrites(
    logs,
    call.positionals.length > 0 ? call.positionals.slice(0, 1) : logs.length > 0 ? [] : [withText(HERE, "typescript")],
  );
};

const editor: WritesRow = (call) =>
  toWrites(
    call.positionals.filter((word) => !word.text.startsWith("+")),
    listOptionWords(call, "-w -W"),
  );

const second: WritesRow = (call) => toWrites(call.positionals.slice(1, 2));
const lastOf: WritesRow = (call) => toWrites(call.positionals.slice(-1));
const opts =
  (options: string): WritesRow =>
  (call) =>
    toWrites(listOptionWords(call, options));

/** Programs of the system that work on files. */
export const FILE_TOOLS: Readonly<Record<string, WritesRow>> = {
  cp: copies,
  ln: copies,
  scp: copies,
  mv,
  install,
  rsync,
  tee: all,
  truncate: all,
  touch: all,
  mkdir: all,
  mkfifo: all,
  shred: all,
  chattr: afterFirst,
  chown: afterFirst,
  chgrp: afterFirst,
  chmod,
  setfacl: all,
  mknod: (call) => toWrites(call.positionals.slice(0, 1)),
  dd: (call) => toWrites(listPrefixedWords(call, "of=")),
  shuf,
  mktemp,
  sed,
  perl: inPlace,
  ruby: inPlace,
  sort,
  uniq: second,
  split,
  csplit,
  find,
  patch,
  openssl,
  "ssh-keygen": sshKeygen,
  script,
  gzip: beside,
  bzip2: beside,
  xz: beside,
  zstd: beside,
  compress: beside,
  uncompress: beside,
  dos2unix: all,
  unix2dos: all,
  vim: editor,
  vi: editor,
  nvim: editor,
  nano: editor,
  pico: editor,
  emacs: editor,
  ed: editor,
  ex: editor,
  micro: editor,
  view: editor,
  xxd: second,
  "json.tool": second,
  strace: opts("-o --output"),
  ltrace: opts("-o --output"),
  time: opts("-o --output"),
  ssh: opts("-E -S"),
  less: opts("-o -O -k"),
  nohup: () => toWrites([withText(HERE, "nohup.out")]),
  tcpdump: opts("-w"),
  gpg: opts("-o --output --log-file --status-file"),
  base64: opts("-o --output"),
  iconv: opts("-o --output"),
  screen: (call) =>
    toWrites(listOptionWords(call, "-Logfile"), given(call, "-L") ? [withText(HERE, "screenlog.0")] : []),
  tmux: (call) =>
    toWrites(/^(save-buffer|saveb)$/.test(call.positionals[0]?.text ?? "") ? call.positionals.slice(-1) : []),
  ffmpeg: lastOf,
  convert: lastOf,
  magick: lastOf,
  mogrify: all,
  sponge: all,
  logger: opts("--none"),
  yq: (call) => (given(call, "-i --inplace --in-place") ? toWrites(call.positionals.slice(1)) : NO_WRITES),
};
