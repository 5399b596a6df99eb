import type { Range } from "../options/command-line.js";
import { findProgramEntry, INTERPRETERS, SHELLS } from "../options/programs.js";
import { writeTargets } from "../writes/find.js";
import { type Call, hasFlag, operandPath } from "../writes/operands.js";

const DOWNLOADERS = /^(curl|wget|fetch|aria2c|http|https|xh|lwp-request)$/;
/** A download stands in the range, or feeds what stands there. */
const includesDownload = (range: Range | undefined, all: readonly Call[], depth = 0): boolean =>
  range !== undefined &&
  depth < 16 &&
  all
    .slice(range.from, range.to)
    .some((call) => DOWNLOADERS.test(call.program) || includesDownload(call.simple.feed, all, depth + 1));

/** Files that the line itself downloads. */
function downloaded(all: readonly Call[]): readonly string[] {
  return all
    .filter((call) => DOWNLOADERS.test(call.program))
    .flatMap((call) => {
      const named = writeTargets(call).filter((path) => path !== undefined);
      const keeps = call.program === "wget" || hasFlag(call, "-O", "--remote-name", "--remote-name-all");
      const last = keeps
        ? (call.positionals
            .at(-1)
            ?.text.replace(/[?#].*$/, "")
            .split("/")
            .at(-1) ?? "")
        : "";
      const kept = last === "" ? undefined : operandPath(last, call.simple.cwd);
      return kept === undefined ? named : [...named, kept];
    });
}

/** What it reads is its program, and not the data of a script that it is given. */
const takesCode = (call: Call): boolean =>
  !/^(eval|source|\.)$/.test(call.program) &&
  (call.program === "xargs" ||
    hasFlag(call, "-s") ||
    call.operands.every((word) => /^(-|\/dev\/(stdin|fd\/0))$/.test(word.text)));

/** The call runs what the line downloads: through a pipe, a substitution, or a file (core part, 20.4). */
export function runsDownload(call: Call, all: readonly Call[]): boolean {
  const runs =
    SHELLS.has(call.program) ||
    findProgramEntry(INTERPRETERS, call.program) !== undefined ||
    /^(eval|source|\.|xargs)$/.test(call.program);
  if (!runs) return false;
  const script = call.operands[0] === undefined ? undefined : operandPath(call.operands[0].text, call.simple.cwd);
  if (script !== undefined && call.program !== "xargs" && downloaded(all).includes(script)) return true;
  const redirected = call.simple.redirects.some((one) =>
    one.target.inner.some((range) => includesDownload(range, all)),
  );
  return (
    redirected ||
    (takesCode(call) && includesDownload(call.simple.feed, all)) ||
    call.simple.words.some((word) => word.inner.some((range) => includesDownload(range, all)))
  );
}
