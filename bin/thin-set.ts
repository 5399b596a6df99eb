import type { CodeKind } from "../lib/base/perf/code-cache.js";
import { THIN_SET, WHOLE_SET } from "./thin-set.gen.js";

/** Longest command path, in words. */
const WORDS_MAX = 3;
/** Words and options of command lines that stay: followed views, services, screens. */
const STAYS = new Set([
  "tail",
  "watch",
  "daemon",
  "gateway",
  "proxy",
  "dashboard",
  "acp",
  "worker",
  "serve",
  "-f",
  "--follow",
  "--headless",
  "--inline",
]);
/** Options whose command line is answered from what is here, or belongs to another home. */
const NOT_THIN = new Set(["--help", "-h", "--profile", "-p", "--headless", "--inline", "-f", "--follow"]);
/** Sub-commands that the owner of the root home runs: boards are there. */
const ROOT_COMMANDS = new Set(["kanban"]);

/** The owner can run this command line without the caller's terminal or standard input. */
export function isThin(argv: readonly string[]): boolean {
  const options = beforeTerminator(argv);
  if (options.some((word) => NOT_THIN.has(word) || word.startsWith("--profile="))) return false;
  if (isTurn(argv)) return options.every((word) => !READS_INPUT.has(word));
  const words = leadingWords(argv);
  const names = words.map((_, at) => words.slice(0, at + 1).join(" "));
  return names.some((name) => THIN_SET.has(name)) && !names.some((name) => WHOLE_SET.has(name));
}

/** One turn whose prompt stands on the line: `agent -z PROMPT`. A prompt of `-`, and options that add standard input, need the whole program. */
export function isTurn(argv: readonly string[]): boolean {
  const at = argv.indexOf("-z");
  const prompt = argv[at + 1];
  return at >= 0 && prompt !== undefined && !prompt.startsWith("-");
}

const READS_INPUT = new Set(["--stdin", "-"]);

/** The process ends soon, so that the engine need not optimise. False for everything that may stay. */
export function isShort(argv: readonly string[]): boolean {
  const options = beforeTerminator(argv);
  if (options.some((word) => STAYS.has(word))) return false;
  if (options.some((word) => word === "-z" || word.startsWith("--oneshot"))) return true;
  const first = leadingWords(argv)[0];
  if (first === "chat") return options.some((word) => word === "-q" || word.startsWith("--query"));
  return first !== undefined;
}

/** A list needs half of what others do. What moves whole boards may work for seconds. */
const OF_BOARDS: ReadonlyMap<string, CodeKind> = new Map([
  ["list", "look"],
  ["ls", "look"],
  ["boards", "boards"],
]);

/** Of a command line that is short, or opens the screen. */
export function codeKind(argv: readonly string[]): CodeKind {
  if (!isShort(argv)) return "screen";
  const options = beforeTerminator(argv);
  if (options.some((word) => word === "--help" || word === "-h")) return "short"; // loads next to nothing
  const [first, second] = leadingWords(argv);
  if (first === "kanban") return OF_BOARDS.get(second ?? "") ?? "board";
  return first === undefined || first === "chat" ? "turn" : "short";
}

/** The command line opens the whole screen, which waits for its viewer. */
export function isScreen(argv: readonly string[]): boolean {
  const words = leadingWords(argv);
  return (
    beforeTerminator(argv).every((word) => !STAYS.has(word)) &&
    (words.length === 0 || (words.length === 1 && words[0] === "chat"))
  );
}

/** Boards, and what belongs to them, are with the owner of the root home. */
export function wantsRoot(argv: readonly string[]): boolean {
  return ROOT_COMMANDS.has(argv[0] ?? "");
}

function leadingWords(argv: readonly string[]): readonly string[] {
  const end = argv.findIndex((word) => word.startsWith("-"));
  return argv.slice(0, Math.min(WORDS_MAX, end === -1 ? argv.length : end));
}

function beforeTerminator(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  return end === -1 ? argv : argv.slice(0, end);
}
