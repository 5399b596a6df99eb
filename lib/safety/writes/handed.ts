import { literalWord, type Word } from "../options/command-line.js";
import { type Call, hasFlag, toCall } from "./operands.js";
import { writesOf } from "./table.js";
import { HERE, toTarget, type WriteTarget } from "./target.js";

/** Names that another program hands over: the places in which it finds them, or "unknown". */
export type HandedTargets = readonly WriteTarget[] | "unknown";

const FILTERS = /^(grep|egrep|fgrep|sort|uniq|head|tail|tac|tr|cut|sed|shuf|rev|tee|cat)$/;
const DEPTH_AT_MOST = 8;
/** Stands for the names in a trial reading of the call. */
const PROBE = "\u0001handed";

/** What `xargs`, `parallel` and `find -exec` hand to a call that writes it. */
export function findHanded(call: Call, targets: readonly WriteTarget[], calls: readonly Call[]): HandedTargets {
  const by = call.simple.under.at(-1);
  if (by === "find") return targets.some(({ word }) => word.text.includes("{}")) ? finderOf(call, calls) : [];
  if (by !== "xargs" && by !== "parallel") return [];
  return takesHanded(call) ? sourceOf(call, calls, 0) : [];
}

/** A further operand, or the text that stands for it, would be written. */
function takesHanded(call: Call): boolean {
  const probe = literalWord(PROBE);
  const longer = toCall({ ...call.simple, words: [...call.simple.words, probe] });
  const filled = (word: Word) => word.text === PROBE || word.text.includes("{}");
  return [...writesOf(call).targets, ...writesOf(longer).targets].some(
    ({ word, into }) => filled(word) || into.some(filled),
  );
}

function finderOf(call: Call, calls: readonly Call[]): HandedTargets {
  const finder = calls.slice(0, calls.indexOf(call)).findLast((one) => one.program === "find");
  return finder === undefined ? "unknown" : rootsOf(finder);
}

/** Directories that `find` goes through. */
function rootsOf(finder: Call): readonly WriteTarget[] {
  const words = finder.simple.words.slice(1).filter((word) => !/^-[HLPO]\d?$/.test(word.text));
  const end = words.findIndex((word) => /^[-(!]/.test(word.text));
  const roots = end === -1 ? words : words.slice(0, end);
  return (roots.length === 0 ? [HERE] : roots).map((word) => toTarget(word));
}

function sourceOf({ simple }: Call, calls: readonly Call[], depth: number): HandedTargets {
  const feeder = simple.feed === undefined ? undefined : calls.slice(simple.feed.from, simple.feed.to).at(-1);
  if (feeder === undefined || depth > DEPTH_AT_MOST) return "unknown";
  const { program, positionals } = feeder;
  const verb = positionals[0]?.text ?? "";
  if (program === "find") return rootsOf(feeder);
  if (program === "git" && /^(ls-files|diff|grep|status|show)$/.test(verb)) return [toTarget(HERE)];
  if (program === "ls") return (positionals.length === 0 ? [HERE] : positionals).map((word) => toTarget(word));
  if (/^(echo|printf)$/.test(program))
    return positionals.flatMap((word) => word.text.split(/\s+/).map((text) => toTarget({ ...word, text })));
  const listing =
    /^(e?grep|rg)$/.test(program) &&
    hasFlag(feeder, "-l", "--files-with-matches", "-L", "--files-without-match", "--files");
  if (listing && (feeder.simple.feed === undefined || positionals.length > 1)) {
    const places = positionals.slice(hasFlag(feeder, "-e", "--regexp", "-f", "--file", "--files") ? 0 : 1);
    return (places.length === 0 ? [HERE] : places).map((word) => toTarget(word));
  }
  return FILTERS.test(program) && feeder.simple.feed !== undefined ? sourceOf(feeder, calls, depth + 1) : "unknown";
}
