import { faultPoint } from "../../base/fault.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { TurnId } from "../../base/units.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type {
  CompactionEnded,
  CompactionReason,
  CompactionRecord,
  CompactionStarted,
} from "../../contracts/chat/compact.js";
import { compactionLines } from "../../contracts/chat/compaction-lines.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import { cutOf } from "./cut.js";
import { type ConversationHistory, historyOf, type Item, sumTokens } from "./history.js";
import { inputLines, portions } from "./input.js";
import { localSummary } from "./local.js";
import { noteText, parseChangedFiles } from "./note.js";
import type { Numbers } from "./numbers.js";
import { oldPicturesRemoved } from "./old-pictures.js";
import { type Assembled, assembleSegment, type HistoryParts, splitHistory, unsummarised } from "./plan.js";
import { callsOf, pruned } from "./prune.js";
import { afterCompaction, COMPACTION_RECORD } from "./record.js";
import { summaryBudget, summaryQuestion, transcriptRoom } from "./summarise.js";
import type { Summariser } from "./summary.js";

export interface CompactDeps {
  readonly transcript: Transcript;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "session">;
  readonly summariser: Summariser;
  redact(text: string): string;
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  /** Background processes that run. */
  processes(): readonly { readonly id: string; readonly command: string }[];
}

/** One compaction that is wanted. */
export interface CompactWish {
  readonly reason: CompactionReason;
  readonly choice: ModelChoice;
  readonly numbers: Numbers;
  readonly record: CompactionRecord;
  /** Rough tokens of system prompt and tool schemas. */
  readonly fixed: number;
  /** Tokens of the next request as far as a provider has counted them. */
  readonly tokens?: number;
  readonly turn?: TurnId;
  /** Words of the user about what matters. */
  readonly focus?: string;
  /** Exchanges to keep as they are. */
  readonly keep?: number;
  /** Earlier attempts for the same request. */
  readonly pass?: number;
  /** Files that the running turn has changed. */
  readonly changed: Iterable<string>;
  readonly signal: AbortSignal;
  /** A line for the viewers of the turn. */
  line?(text: string): void;
}

/** `nothing`: there is nothing to take out, and no notice was given. */
export type CompactOutcome =
  | { readonly kind: "nothing"; readonly messages: number; readonly tokens: number }
  /** `poor`: it would have saved nothing. */
  | { readonly kind: "failed"; readonly ended: CompactionEnded; readonly poor: boolean }
  | { readonly kind: "done"; readonly ended: CompactionEnded; readonly record: CompactionRecord };

/** Rough tokens of the next request, and what one of them is in the provider's count. */
function measure(
  items: readonly Item[],
  { fixed, tokens }: Pick<CompactWish, "fixed" | "tokens">,
): { tokens: number; scale: number } {
  const rough = Math.max(1, fixed + sumTokens(items));
  return { tokens: tokens ?? rough, scale: tokens === undefined ? 1 : tokens / rough };
}

const NO_GAIN = "no changes: the summary would be as long as the messages it replaces";

/** Compact a conversation: cut, summarise, go on in a new segment (core part, 8.3). Whatever fails leaves it as it was. */
export async function compact(deps: CompactDeps, wish: CompactWish): Promise<CompactOutcome> {
  const history = historyOf(await deps.transcript.messages());
  const { tokens, scale } = measure(history.items, wish);
  const messages = history.items.length;
  const { first, last, tailBudget } = wish.numbers;
  const { keep, pass } = wish;
  const options = { ...(keep === undefined ? {} : { exchanges: keep }), ...(pass === undefined ? {} : { pass }) };
  const cut = cutOf(history.items, {
    first,
    last,
    tailBudget,
    scale,
    ...options,
  });
  if (cut === undefined)
    return wish.reason === "overflow" ? shorten(deps, wish, history, scale) : { kind: "nothing", messages, tokens };
  const began = deps.clock.mono();
  await begin(deps, wish, { tokens, messages });
  const parts = splitHistory(history, cut);
  const summary = await summaryOf(deps, wish, history, { ...parts, scale });
  const facts = { reason: wish.reason, tokens_before: tokens, messages_before: messages, count: wish.record.count };
  const ms = () => Math.round(deps.clock.mono() - began);
  if (!summary.ok) {
    const same = { tokens_after: tokens, messages_after: messages, method: "model" } as const;
    return fail(deps, wish, {
      ok: false,
      ...facts,
      ...same,
      new_session_id: null,
      duration_ms: ms(),
      error: summary.why,
    });
  }
  faultPoint("compaction.summarised");
  const assembled = assembleSegment(parts, summary.text, await noteOf(deps, wish));
  const after = Math.round((wish.fixed + assembled.tokens) * scale);
  if (after >= tokens && assembled.messages >= messages) {
    const same = { tokens_after: tokens, messages_after: messages, method: summary.method } as const;
    return fail(deps, wish, { ok: false, ...facts, ...same, new_session_id: null, duration_ms: ms(), error: NO_GAIN });
  }
  return commit(deps, wish, assembled, {
    ok: true,
    ...facts,
    tokens_after: after,
    messages_after: assembled.messages,
    method: summary.method,
    duration_ms: ms(),
    count: wish.record.count + 1,
  });
}

/** Newest messages whose results stay whole when nothing but results can be shortened; each attempt leaves fewer. */
const WHOLE = 4;
/** What that has to save. */
const WORTH = 0.1;

/** Shorten a conversation without a middle to summarise, e.g. one batch of calls with large results: each long result is cut to a line. */
async function shorten(
  deps: CompactDeps,
  wish: CompactWish,
  { items, summary }: ConversationHistory,
  scale: number,
): Promise<CompactOutcome> {
  const callOf = callsOf(items);
  const until = items.length - (WHOLE >> (wish.pass ?? 0));
  const withoutOld = oldPicturesRemoved(items, until);
  const kept = items.map((item, at) => withoutOld(at < until ? pruned(item, callOf) : item));
  const [tokens, after] = [items, kept].map((list) => Math.round((wish.fixed + sumTokens(list)) * scale));
  const size = { tokens: tokens ?? 0, messages: items.length };
  if ((after ?? 0) > size.tokens * (1 - WORTH)) return { kind: "nothing", ...size };
  await begin(deps, wish, size);
  const note = await noteOf(deps, wish);
  const assembled =
    summary === undefined ? unsummarised(kept, note) : assembleSegment({ head: [], kept, middle: [] }, summary, note);
  return commit(deps, wish, assembled, {
    ok: true,
    reason: wish.reason,
    method: "local",
    duration_ms: 0,
    count: wish.record.count + 1,
    tokens_before: size.tokens,
    tokens_after: after ?? 0,
    messages_before: size.messages,
    messages_after: assembled.messages,
  });
}

async function begin(
  { transcript, live }: CompactDeps,
  wish: CompactWish,
  size: { tokens: number; messages: number },
): Promise<void> {
  const { reason, numbers, turn } = wish;
  const data: CompactionStarted = { reason, ...size, trigger: numbers.trigger, window: numbers.window };
  await transcript.event(turn, "compaction.started", { ...data });
  faultPoint("compaction.started");
  live("turn.phase", { phase: "compacting" });
  tell(wish, "compaction.started", data);
}

async function fail({ transcript }: CompactDeps, wish: CompactWish, ended: CompactionEnded): Promise<CompactOutcome> {
  await transcript.event(wish.turn, "compaction.ended", { ...ended });
  tell(wish, "compaction.ended", ended);
  return { kind: "failed", ended, poor: ended.error === NO_GAIN };
}

async function commit(
  { transcript, ids, clock }: CompactDeps,
  wish: CompactWish,
  { items }: Assembled,
  event: Omit<CompactionEnded, "new_session_id">,
): Promise<CompactOutcome> {
  const { id: from } = transcript.session;
  const id = ids.session(clock.now());
  const { tokens_before: tokens, tokens_after: after, messages_before: messages } = event;
  const record = afterCompaction(wish.record, { from, to: id, tokens, messages }, 1 - after / Math.max(1, tokens));
  await transcript.nextSegment({
    id,
    items,
    event,
    ...(wish.turn === undefined ? {} : { turn: wish.turn }),
    // What the results of calls have said is no longer before the model's eyes, and is said again.
    records: { directory_context: null, [COMPACTION_RECORD]: JSON.stringify(record) },
  });
  faultPoint("compaction.committed");
  const ended: CompactionEnded = { ...event, new_session_id: id };
  tell(wish, "compaction.ended", ended);
  return { kind: "done", ended, record };
}

function tell({ line }: CompactWish, event: string, data: CompactionStarted | CompactionEnded): void {
  for (const text of compactionLines(event, { ...data })) line?.(text);
}

type Written =
  | { readonly ok: true; readonly text: string; readonly method: "model" | "local" }
  | { readonly ok: false; readonly why: string };

/** The user's newest messages that stand in for a focus. */
const ASKS = 3;

/** One question where the middle fits into it; else one for each portion, which brings the summary of those before up to date. */
async function summaryOf(
  deps: CompactDeps,
  wish: CompactWish,
  history: ConversationHistory,
  { middle, scale }: HistoryParts & { scale: number },
): Promise<Written> {
  const { choice, numbers, signal, focus, turn } = wish;
  const { redact, summariser, transcript } = deps;
  const budget = summaryBudget(sumTokens(middle), numbers.window);
  const asks = history.items.filter(({ role }) => role === "user").slice(-ASKS);
  let { summary } = history;
  for (const portion of portions(inputLines(middle, redact), transcriptRoom(numbers.window, budget, scale))) {
    const question = summaryQuestion({
      transcript: portion,
      earlier: summary,
      focus,
      asks: asks.map(({ content }) => content),
      budget,
      redact,
    });
    const answer = await summariser.summarise(question, {
      lineage: transcript.session.lineage_root,
      choice,
      signal,
      used: (use) => transcript.addSideUsage(use, turn),
    });
    if (!answer.ok && (answer.aborted || numbers.abort)) return { ok: false, why: answer.why };
    if (!answer.ok) return { ok: true, text: localSummary(middle, summary, redact), method: "local" };
    summary = redact(answer.text);
  }
  return { ok: true, text: summary ?? "", method: "model" };
}

async function noteOf({ transcript, processes, redact }: CompactDeps, { changed }: CompactWish): Promise<string> {
  const [todo, goal, files] = await Promise.all([
    transcript.record("todo"),
    transcript.record("goal"),
    transcript.record("files_changed"),
  ]);
  const now = new Set(changed);
  const paths = [...parseChangedFiles(files).filter((path) => !now.has(path)), ...now];
  return redact(noteText({ todo, goal, processes: processes(), files: paths }));
}
