import { AppError } from "../../base/errors.js";
import type {
  MemoryChange,
  MemoryEntry,
  MemoryOutcome,
  MemoryPlace,
  MemoryPreview,
  PendingMemory,
} from "../../contracts/memory/memory.js";
import type { CommandContext, CommandResult } from "../define.js";
import { plainLines } from "../render/plain.js";
import { minute } from "../render/sessions.js";

/** Other readers of a chat do not see the memory: it is its owner's. @throws E_FORBIDDEN */
export function requireMaster({ origin, member }: CommandContext): void {
  if (origin === undefined || (member?.group === false && member.tier === "admin")) return;
  throw new AppError("E_FORBIDDEN", "the memory is private to the owner of this agent", {
    hint: "use agent memory at a terminal, or a direct chat of an admin",
  });
}

/** `1 entry`, `2 entries`. */
export const entryCount = (n: number): string => (n === 1 ? "1 entry" : `${n} entries`);

/** Where a command was typed, as far as the memory looks at it. */
export const memoryPlace = ({ cwd, env }: CommandContext): MemoryPlace => ({ cwd, env });

/** `project /work/alpha`, `board ops`, `user`. */
export const scopeText = ({ scope, of }: Pick<MemoryEntry, "scope" | "of">): string =>
  of === "" ? scope : `${scope} ${of}`;

/** One line of facts, and the text below it. */
export function entryText(entry: MemoryEntry): string {
  const { id, target, created_at, used_at, expires_at, source, text } = entry;
  const facts = [
    target === "user" ? "user profile" : scopeText(entry),
    `written ${minute(created_at)}`,
    ...(used_at === null ? [] : [`used ${minute(used_at)}`]),
    ...(expires_at === null ? [] : [`expires ${minute(expires_at)}`]),
    SOURCES[source.kind],
    ...(entry.untrusted ? ["from content of others"] : []),
  ];
  return `${id}  ${facts.join(", ")}\n  ${plainLines(text).replaceAll("\n", "\n  ")}`;
}

const SOURCES = { turn: "by the agent", person: "by you", import: "imported", edited: "edited by hand" } as const;

const previewText = ({ id, text, age }: MemoryPreview): string => `  ${id} (${age} old)  ${plainLines(text)}`;

export function pendingText({ id, change, scope, of, why, near, created_at }: PendingMemory): string {
  const about = near.length === 0 ? [] : ["  near to:", ...near.map((one) => `  ${previewText(one)}`)];
  const lines = [
    `${id}  ${minute(created_at)}, ${scopeText({ scope, of })}, waits because ${why}`,
    `  ${changeText(change)}`,
  ];
  return [...lines, ...about].join("\n");
}

function changeText(change: MemoryChange): string {
  if (change.action === "remove") return `remove ${change.which}`;
  const text = plainLines(change.content).replaceAll("\n", "\n  ");
  return change.action === "add" ? `add: ${text}` : `replace ${change.which} by: ${text}`;
}

/** What became of a change that a person made. */
export function outcomeResult(outcome: MemoryOutcome): CommandResult {
  if (outcome.done === "nothing")
    return {
      text: [outcome.message, ...outcome.about.map(previewText)].join("\n"),
      data: outcome,
      exit: 1,
    };
  return { text: `${outcome.message} ${outcome.usage}`, data: outcome };
}
