import type { ParsedCommand, Word } from "../options/command-line.js";
import { glob } from "../paths/glob.js";
import { findWriteTargets } from "../writes/find.js";
import { type Call, type ExecScope, hasFlag, operandPath, wholeTree } from "../writes/operands.js";

/** Directories whose removal ends the system (core part, 20.3). */
const SYSTEM_ROOTS = new Set(
  [
    "",
    "home",
    "root",
    "etc",
    "usr",
    "var",
    "bin",
    "sbin",
    "boot",
    "lib",
    "lib64",
    "dev",
    "proc",
    "sys",
    "Users",
    "System",
    "Library",
    "private",
  ].map((name) => `/${name}`),
);

const DISK =
  /^\/dev\/(sd[a-z]|hd[a-z]|nvme\d|vd[a-z]|xvd[a-z]|mmcblk\d|r?disk\d|loop\d|mapper\/|disk\/|md\d|dm-\d|sr\d|root)/;

/** What no setting allows. The text names it; undefined when the call is nothing of the kind. */
export function hardlineOf(call: Call, scope: ExecScope): string | undefined {
  const program = call.program.toLowerCase();
  return (
    removal(call, program, scope) ??
    disk(call, program) ??
    (program === "kill" && killsAll(call) ? "a signal to every process" : undefined) ??
    power(call, program)
  );
}

/** The word, or a pattern that may mean it, names a directory of the system. */
function systemRoot(path: string, word: Word): string | undefined {
  const tree = wholeTree(path);
  if (SYSTEM_ROOTS.has(tree)) return path;
  return word.glob && /[*?[]/.test(path)
    ? [...SYSTEM_ROOTS].find((root) => root !== "/" && glob(tree.replaceAll("[^", "[!")).path(root))
    : undefined;
}

function removal(call: Call, program: string, scope: ExecScope): string | undefined {
  if (program !== "rm" && program !== "rmdir" && program !== "shred" && program !== "find") return undefined;
  if (program === "rm" && hasFlag(call, "--no-preserve-root")) return "removal of the root directory";
  if (program === "find" && !findRemovesAll(call)) return undefined;
  const operands = program === "find" ? rootsOfFind(call) : call.positionals;
  for (const word of operands) {
    const path = operandPath(word.text, call.simple.cwd);
    if (path === undefined) continue;
    const root = systemRoot(path, word);
    if (root !== undefined) return `removal of ${root}`;
    if (wholeTree(path) === scope.userHome) return "removal of the home directory";
  }
  return undefined;
}

/** Tests that leave most files alone; a name of nothing but stars, and the type, leave none. */
const FIND_TESTS =
  /^-(i?name|i?path|i?wholename|i?regex|empty|size|mtime|mmin|newer\w*|user|group|perm|ctime|atime|inum|links|samefile)$/;

/** `find DIR -delete` without a test takes everything. */
function findRemovesAll(call: Call): boolean {
  const deletes =
    call.words.includes("-delete") ||
    call.words.some(
      (word, index) => /^-(exec|execdir|ok)$/.test(word) && /(^|\/)(rm|shred)$/.test(call.words[index + 1] ?? ""),
    );
  return (
    deletes &&
    !call.words.some((word, index) => FIND_TESTS.test(word) && !/^[*./]*$/.test(call.words[index + 1] ?? "x"))
  );
}

/** Directories that `find` goes through: what stands before the first test, options of its own left out. */
function rootsOfFind({ simple }: Call): readonly Word[] {
  const words = simple.words
    .slice(1)
    .filter(({ text }, at, all) => !/^-([HLP]+|O\d?|D)$/.test(text) && all[at - 1]?.text !== "-D");
  const end = words.findIndex(({ text }) => /^[-(!]/.test(text));
  return end === -1 ? words : words.slice(0, end);
}

function disk(call: Call, program: string): string | undefined {
  const help = hasFlag(call, "--help", "--version", "-V");
  if (/^(mkfs(\.|$)|mke2fs$|newfs)/.test(program) && !help) return "making a file system";
  if (program === "dd" && call.words.some((word) => word.startsWith("of=") && DISK.test(word.slice(3))))
    return "writing over a disk";
  const { paths } = findWriteTargets(call, { calls: [call] });
  return paths.some((path) => DISK.test(path)) ? "writing over a disk" : undefined;
}

function killsAll(call: Call): boolean {
  const [first = "", ...rest] = call.words;
  if (call.words.length === 1) return first === "-1";
  const after =
    first === "-s" || first === "-n" ? rest.slice(1) : /^-/.test(first) && first !== "--" ? rest : call.words;
  return after.filter((word) => word !== "--").includes("-1");
}

const POWER = new Set(["shutdown", "reboot", "halt", "poweroff", "kexec"]);

function power(call: Call, program: string): string | undefined {
  if (hasFlag(call, "--help", "--version")) return undefined;
  const kernel = [
    ...call.simple.redirects.filter((one) => one.op.includes(">")).map((one) => one.target),
    ...(program === "tee" ? call.operands : []),
  ];
  if (kernel.some((word) => word.text === "/proc/sysrq-trigger")) return "a command to the kernel";
  if (POWER.has(program)) return `${program} of the machine`;
  const [verb = "", unit = ""] = call.positionals.map((word) => word.text);
  if ((program === "init" || program === "telinit") && /^[06]$/.test(verb)) return `${program} ${verb}`;
  if (program !== "systemctl" && program !== "loginctl") return undefined;
  if (/^(poweroff|reboot|halt|kexec|soft-reboot)$/.test(verb)) return `${program} ${verb}`;
  return /^(isolate|start)$/.test(verb) && /^(poweroff|reboot|halt|kexec)\.target$/.test(unit)
    ? `${program} ${verb} ${unit}`
    : undefined;
}

/** Between the braces of the function its own name stands before a single `&`. Names with other signs do not belong to functions. */
function startsItselfBehind(name: string, text: string): boolean {
  if (!/^[\w:.]{1,64}$/.test(name)) return false;
  const own = name.replaceAll(".", "\\.");
  const begun = text.search(new RegExp(`(?<![\\w.])${own}\\s*(?:\\(\\)\\s*)?\\{`));
  if (begun < 0) return false;
  const body = text.slice(text.indexOf("{", begun) + 1, begun + 600);
  const end = body.indexOf("}");
  return new RegExp(`(?<![\\w.])${own}\\s*&(?!&)`).test(end < 0 ? body : body.slice(0, end));
}

/** A function that starts itself on both sides of a pipe, or again in the background. */
export function isForkBomb(parsed: ParsedCommand, text = ""): boolean {
  if ([...parsed.functions].some((name) => startsItselfBehind(name, text))) return true;
  return parsed.commands.some((simple) => {
    const name = simple.words[0]?.text ?? "";
    if (!parsed.functions.has(name) || simple.feed === undefined) return false;
    return parsed.commands.slice(simple.feed.from, simple.feed.to).some((feeder) => feeder.words[0]?.text === name);
  });
}
