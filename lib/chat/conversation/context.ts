import type { MessageRecord, SessionRecord, Transcript } from "../../contracts/chat/chat.js";
import type { ContextPart, ContextReport } from "../../contracts/chat/usage.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { Compactor, Gauge } from "../compaction/compactor.js";
import { cutOf } from "../compaction/cut.js";
import { historyOf, itemTokens } from "../compaction/history.js";
import type { Numbers } from "../compaction/numbers.js";
import type { PromptBlock } from "../prompt/prompt.js";
import { toTokens } from "../tokens/estimate.js";
import { toolSchemas } from "../tokens/schemas.js";

/** What a look at the next request of a conversation finds. */
export interface ContextFacts {
  readonly session: SessionRecord;
  readonly choice: ModelChoice;
  readonly system: string;
  /** Blocks that the system prompt would be made of now; it may be older. */
  readonly blocks: readonly PromptBlock[];
  readonly tools: readonly { readonly toolset: string; readonly chars: number }[];
  readonly messages: readonly MessageRecord[];
  readonly gauge: Gauge;
  readonly numbers: Numbers;
  readonly automatic: ContextReport["automatic"];
  readonly compactions: number;
}

/** The next request as it would be made now. */
export interface RequestPreview {
  readonly choice: ModelChoice;
  readonly system: string;
  readonly blocks: readonly PromptBlock[];
  readonly tools: readonly ToolEntry[];
}

/** Look at the next request of a conversation. Changes nothing. */
export async function contextNow(
  compactor: Compactor,
  transcript: Transcript,
  { choice, system, blocks, tools }: RequestPreview,
): Promise<Omit<ContextReport, "last_request">> {
  const messages = await transcript.messages();
  const { numbers, automatic, count } = await compactor.outlook(choice);
  const schemas = toolSchemas(tools);
  return breakDown({
    session: transcript.session,
    choice,
    system,
    messages,
    numbers,
    automatic,
    compactions: count,
    blocks,
    tools: tools.map(({ toolset }, at) => ({ toolset, chars: JSON.stringify(schemas[at]).length })),
    gauge: compactor.gauge({ choice, system, tools: schemas }, messages),
  });
}

const LARGEST = 5;
/** Shorter lines stand in several blocks. */
const LINE = 12;

/** Break the next request down (core part, 14.3). Parts are estimates; where a provider has counted the whole they are brought to its sum. */
function breakDown(facts: ContextFacts): Omit<ContextReport, "last_request"> {
  const { session, choice, gauge, numbers, messages } = facts;
  const rough = [...systemParts(facts), ...toolParts(facts), ...messageParts(messages)].filter(
    ({ tokens }) => tokens > 0,
  );
  const total = Math.round(gauge.tokens);
  return {
    session_id: session.id,
    lineage_root: session.lineage_root,
    model: choice.model,
    provider: choice.provider.id,
    window: choice.window,
    trigger: numbers.trigger,
    total,
    exact: gauge.exact,
    percent: Math.round((total / choice.window) * 1_000) / 10,
    free: Math.max(0, choice.window - total),
    parts: scaled(rough, total),
    largest: largestOf(messages),
    compaction: outlook(facts),
    automatic: facts.automatic,
    compactions: facts.compactions,
  };
}

/** The stored prompt by its blocks; what none of them explains was another text when the prompt was made. */
function systemParts({ system, blocks }: ContextFacts): ContextPart[] {
  let rest = system;
  const take = (text: string): number => {
    if (text === "" || !rest.includes(text)) return 0;
    rest = rest.replace(text, () => "");
    return text.length;
  };
  const parts = blocks.map(({ name, text }) => {
    // A block that has changed since, e.g. by a directory in one of its lines, is known by its other lines.
    const chars = take(text) || text.split("\n").reduce((sum, line) => sum + (line.length < LINE ? 0 : take(line)), 0);
    return { group: "system", name, tokens: toTokens(chars) } as const;
  });
  const left = rest.trim();
  return left === ""
    ? parts
    : [...parts, { group: "system", name: "as it was when the prompt was made", tokens: toTokens(left.length) }];
}

function toolParts({ tools }: ContextFacts): ContextPart[] {
  return sums(tools.map(({ toolset, chars }) => [toolset, toTokens(chars)])).map(([name, tokens]) => ({
    group: "tools",
    name,
    tokens,
  }));
}

function messageParts(messages: readonly MessageRecord[]): ContextPart[] {
  return sums(messages.map((message) => [nameOf(message), itemTokens(message)])).map(([name, tokens]) => ({
    group: "messages",
    name,
    tokens,
  }));
}

function nameOf({ role, kind, toolName }: MessageRecord): string {
  if (kind !== undefined) return kind === "summary" ? "summary of earlier messages" : "notes of compaction";
  return role === "tool" ? `results of ${toolName ?? "tool"}` : role;
}

/** Largest first. */
function sums(rows: readonly (readonly [string, number])[]): [string, number][] {
  const by = new Map<string, number>();
  for (const [name, tokens] of rows) by.set(name, (by.get(name) ?? 0) + tokens);
  return [...by].toSorted(([, a], [, b]) => b - a);
}

/** The parts brought to the sum that is known, by their largest remainders. */
function scaled(parts: readonly ContextPart[], total: number): ContextPart[] {
  const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
  if (sum === 0) return [];
  const shares = parts.map(({ tokens }) => (tokens * total) / sum);
  const left = total - shares.reduce((all, share) => all + Math.floor(share), 0);
  const byRemainder = shares
    .map((share, at) => ({ at, remainder: share - Math.floor(share) }))
    .toSorted((a, b) => b.remainder - a.remainder);
  const extra = new Set(byRemainder.slice(0, Math.max(0, left)).map(({ at }) => at));
  return parts.map((part, at) => ({ ...part, tokens: Math.floor(shares[at] ?? 0) + (extra.has(at) ? 1 : 0) }));
}

function largestOf(messages: readonly MessageRecord[]): ContextReport["largest"] {
  return messages
    .map((message) => ({
      id: message.id,
      role: message.role,
      tool: message.toolName ?? null,
      tokens: itemTokens(message),
    }))
    .toSorted((a, b) => b.tokens - a.tokens)
    .slice(0, LARGEST);
}

function outlook({ messages, numbers, gauge, system, tools }: ContextFacts): ContextReport["compaction"] {
  const { items } = historyOf(messages);
  const rough =
    toTokens(system.length + tools.reduce((sum, { chars }) => sum + chars, 0)) +
    items.reduce((sum, item) => sum + itemTokens(item), 0);
  const { first, last, tailBudget } = numbers;
  const cut = cutOf(items, { first, last, tailBudget, scale: gauge.exact ? gauge.tokens / Math.max(1, rough) : 1 });
  if (cut === undefined) return null;
  const kept = items.length - cut.tail + cut.pinned.length;
  return { first: cut.head, summarised: items.length - cut.head - kept, last: kept };
}
