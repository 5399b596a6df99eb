import { type OfflineStep, type RuleContext, understand } from "./rules.js";

/** What a request asks for: groups one after the other, the steps of a group at once. */
export interface OfflinePlan {
  readonly groups: readonly (readonly OfflineStep[])[];
  /** Parts that no rule understands. */
  readonly unknown: readonly string[];
}

/** Most parts of one request that are looked at. */
const MAX_PARTS = 200;

export function planRequest(request: string, context: RuleContext): OfflinePlan {
  const groups: (readonly OfflineStep[])[] = [];
  const unknown: string[] = [];
  for (const part of partsOf(request, context)) {
    const group = groupOf(part, context);
    if (group) groups.push(group);
    else unknown.push(part);
  }
  return { groups, unknown };
}

/** Lines, and parts of lines between ` then `. A part that says nothing by itself belongs to the text of the one before it. */
function partsOf(request: string, context: RuleContext): readonly string[] {
  const out: string[] = [];
  for (const line of request.split(/\r?\n/)) {
    let last: string | undefined;
    for (const piece of splitOutsideQuotes(bare(line), "then")) {
      const joined = last === undefined ? undefined : `${last} then ${piece}`;
      const belongs = joined !== undefined && !groupOf(piece, context) && groupOf(joined, context);
      if (belongs) out.pop();
      last = belongs && joined !== undefined ? joined : piece;
      out.push(last);
    }
  }
  return out.filter((part) => part !== "").slice(0, MAX_PARTS);
}

/** A line without the marks of a list. */
function bare(line: string): string {
  return line
    .trim()
    .replace(/^(?:[-*•]|\d{1,3}[.)])\s+/, "")
    .replace(/^\[[ x]\]\s+/i, "")
    .trim();
}

function groupOf(part: string, context: RuleContext): readonly OfflineStep[] | undefined {
  const plain = part.replace(/^(?:(?:and|then|first|next|finally|please)[,:]? )+/i, "");
  return directGroup(part, context) ?? (plain === part ? undefined : directGroup(plain, context));
}

function directGroup(part: string, context: RuleContext): readonly OfflineStep[] | undefined {
  const several = readsOf(part, context);
  if (several) return several;
  const step = understand(part, context) ?? understand(part.replace(/[.!]$/, ""), context);
  return step ? [step] : undefined;
}

/** `read a and read b`, `read a and b`: reads that run at once. */
function readsOf(part: string, context: RuleContext): readonly OfflineStep[] | undefined {
  const pieces = splitOutsideQuotes(part, "and");
  if (pieces.length < 2) return undefined;
  const verb = /^(?:read|show|cat|print|display)\b/i.exec(part)?.[0];
  const steps: OfflineStep[] = [];
  for (const piece of pieces) {
    const step =
      understand(piece, context) ??
      (verb === undefined || /\s/.test(piece) ? undefined : understand(`${verb} ${piece}`, context));
    if (step?.kind !== "call" || !step.read) return undefined;
    steps.push(step);
  }
  return steps;
}

function splitOutsideQuotes(text: string, word: "then" | "and"): readonly string[] {
  const separator = ` ${word} `;
  const pieces: string[] = [];
  let quote = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (quote !== "") quote = char === quote ? "" : quote;
    else if ((char === '"' || char === "`") && text.indexOf(char, at + 1) > 0) quote = char;
    else if (text.slice(at, at + separator.length).toLowerCase() === separator) {
      pieces.push(text.slice(from, at));
      from = at + separator.length;
      at = from - 1;
    }
  }
  pieces.push(text.slice(from));
  return pieces.map((piece) => piece.trim().replace(/,$/, "")).filter((piece) => piece !== "");
}
