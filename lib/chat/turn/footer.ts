import type { TurnUsage } from "./turn-usage.js";

const MAX_ENTRIES = 10; // core part, 19.2

/** Record what a call did to files: a failed change is remembered until a later call changes the same path. */
export function recordMutations(
  turnUsage: TurnUsage,
  call: {
    readonly tool: string;
    readonly content: string;
    readonly changed: readonly string[];
    readonly notChanged: readonly string[];
  },
): void {
  for (const path of call.changed) {
    turnUsage.changed.add(path);
    turnUsage.notChanged.delete(path);
  }
  for (const path of call.notChanged)
    turnUsage.notChanged.set(path, { tool: call.tool, error: firstLine(call.content) });
}

/** Advice under an answer when files that a call should have changed did not change; empty when all did. */
export function mutationFooter(turnUsage: TurnUsage): string {
  const entries = [...turnUsage.notChanged];
  if (entries.length === 0) return "";
  const head =
    `⚠️ File-mutation verifier: ${entries.length} file(s) were NOT modified this turn despite any wording above that may suggest otherwise. ` +
    "Run `git status` or `read_file` to confirm.";
  const lines = entries
    .slice(0, MAX_ENTRIES)
    .map(([path, { tool, error }]) => `  • \`${path}\` — [${tool}] ${quoted(error)}`);
  const more = entries.length > MAX_ENTRIES ? [`  • … and ${entries.length - MAX_ENTRIES} more`] : [];
  return [head, ...lines, ...more].join("\n");
}

/** Paths in backticks, so that chat platforms do not take them for files to attach. */
function quoted(text: string): string {
  return text.replaceAll(/(^|[\s("'[])(~?\/[^\s`'"()[\]]*[^\s`'"()[\].,:;!?])/g, "$1`$2`");
}

/** A JSON string that may have been cut. */
function unescaped(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner; // cut in the middle of an escape: shown as it is
  }
}

/** The message of an error result, without its JSON around it, at most 180 characters. */
function firstLine(content: string): string {
  const hit = /"error":\s*"((?:[^"\\]|\\.)*)"/.exec(content);
  const text = hit?.[1] === undefined ? content : unescaped(hit[1]);
  return [...wholeSentence(text.split("\n"))].slice(0, 180).join("");
}

/** A first line that announces what follows ends with the sentence before, or takes the next line along. */
function wholeSentence([first = "", ...rest]: readonly string[]): string {
  if (!first.trimEnd().endsWith(":")) return first;
  const sentences = /^(.*[.!?])\s+\S[^.!?]*:\s*$/.exec(first)?.[1];
  const next = rest.find((line) => line.trim() !== "");
  return (
    sentences ??
    (next === undefined ? first.trimEnd().slice(0, -1) : `${first.trimEnd()} ${next.trim().replace(/^[•*-] /, "")}`)
  );
}
