import type { ParsedCommand } from "../shell/types.js";
import { type Call, type ExecScope, hasFlag, operandPath, wholeTree } from "./operands.js";

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

const DISK = /^\/dev\/(sd[a-z]|hd[a-z]|nvme\d|vd[a-z]|xvd[a-z]|mmcblk\d|r?disk\d|loop\d|mapper\/|md\d|dm-\d|sr\d|root)/;

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

function removal(call: Call, program: string, scope: ExecScope): string | undefined {
  if (program !== "rm" && program !== "rmdir" && program !== "shred" && program !== "find") return undefined;
  if (program === "rm" && hasFlag(call, "--no-preserve-root")) return "removal of the root directory";
  if (program === "find" && !findRemovesAll(call)) return undefined;
  const operands = program === "find" ? call.operands.slice(0, firstTest(call)) : call.operands;
  for (const word of operands) {
    const path = operandPath(word.text, call.simple.cwd);
    const tree = path === undefined ? undefined : wholeTree(path);
    if (tree !== undefined && SYSTEM_ROOTS.has(tree)) return `removal of ${path ?? tree}`;
    if (tree !== undefined && tree === scope.userHome) return "removal of the home directory";
  }
  return undefined;
}

const FIND_TESTS = /^-(i?name|i?path|i?regex|empty|size|mtime|mmin|newer\w*|user|group|perm|ctime|atime|inum|links|samefile|type)$/;

/** `find DIR -delete` without a test takes everything. */
function findRemovesAll(call: Call): boolean {
  const deletes =
    call.words.includes("-delete") ||
    call.words.some((word, index) => /^-(exec|execdir|ok)$/.test(word) && /(^|\/)(rm|shred)$/.test(call.words[index + 1] ?? ""));
  return deletes && !call.words.some((word) => FIND_TESTS.test(word));
}

function firstTest(call: Call): number {
  const index = call.words.findIndex((word) => word.startsWith("-") || word === "(" || word === "!");
  return index === -1 ? call.operands.length : index;
}

function disk(call: Call, program: string): string | undefined {
  const help = hasFlag(call, "--help", "--version", "-V");
  if (/^(mkfs(\.|$)|mke2fs$|newfs)/.test(program) && !help) return "making a file system";
  if (program === "dd" && call.words.some((word) => word.startsWith("of=") && DISK.test(word.slice(3)))) return "writing over a disk";
  const redirected = call.simple.redirects.some((one) => one.op.includes(">") && DISK.test(one.target.text));
  const last = /^(cp|mv|install|ln|rsync)$/.test(program) ? call.operands.at(-1) : undefined;
  const teed = (/^(tee|shred|truncate)$/.test(program) ? call.operands : [last]).some((word) => word !== undefined && DISK.test(word.text));
  return redirected || teed ? "writing over a disk" : undefined;
}

function killsAll(call: Call): boolean {
  const [first = "", ...rest] = call.words;
  if (call.words.length === 1) return first === "-1";
  const after = first === "-s" || first === "-n" ? rest.slice(1) : /^-/.test(first) && first !== "--" ? rest : call.words;
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
  if ((program === "init" || program === "telinit") && /^[06]$/.test(call.words[0] ?? "")) return `${program} ${call.words[0] ?? ""}`;
  const verb = program === "systemctl" ? (call.operands[0]?.text ?? "") : "";
  return /^(poweroff|reboot|halt|kexec|soft-reboot)$/.test(verb) ? `systemctl ${verb}` : undefined;
}

/** Between the braces of the function its own name stands before a single `&`. Names with other signs are nobody's function. */
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
