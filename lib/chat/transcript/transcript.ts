import type { DomainEvent, Row, Store, Tx } from "../../../storage/store.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import * as usages from "../../../storage/tables/sessions/usage.js";
import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId, TurnId } from "../../base/units.js";
import type {
  Along,
  MessageRecord,
  NewMessage,
  SessionRecord,
  Transcript,
  TurnResult,
} from "../../contracts/chat/chat.js";
import type { NextSegment, PreviousSegment, SideUse } from "../../contracts/chat/compact.js";
import { TODO, todoChanged } from "../../contracts/chat/todo.js";
import type { Usage } from "../../contracts/models/model.js";
import { STEER, takeItem } from "./queue-store.js";
import { keepRecent } from "./recent.js";
import { beginSegment, reopenSegment, type TranscriptSegment } from "./segment.js";
import { sessionInfo } from "./session-record.js";
import { titleFrom } from "./sessions-title.js";
import { settleCalls } from "./transcript-recovery.js";

export interface TranscriptDeps {
  readonly store: Store;
  readonly clock: Clock;
  /** Run of the board worker whose conversation this is. Its turns survive a restart of the owner. */
  readonly run?: number;
}

/** The record of one conversation over the session store. `session` follows what is written through it. */
export function openTranscript(deps: TranscriptDeps, session: SessionRecord): Transcript {
  return new StoredTranscript(deps, session);
}

class StoredTranscript implements Transcript {
  readonly joins = true;
  readonly #deps: TranscriptDeps;
  #session: SessionRecord;

  constructor(deps: TranscriptDeps, session: SessionRecord) {
    this.#deps = deps;
    this.#session = session;
  }

  get session(): SessionRecord {
    return this.#session;
  }

  messages(): Promise<readonly MessageRecord[]> {
    return this.#deps.store.read((q) => messages.conversation(q, this.#session.id));
  }

  async beginTurn(
    message: NewMessage,
    request?: string,
    item?: string,
  ): Promise<{ turn: TurnId; message: MessageRecord }> {
    const { store, clock, run = null } = this.#deps;
    const at = clock.now();
    const session = this.#session;
    try {
      const begun = await store.write("chat.begin", (tx) =>
        openNextTurn(tx, { session, message, at, run, request, item }),
      );
      this.#session = { ...session, last_active_at: at, message_count: session.message_count + 1, ...begun.title };
      return { turn: begun.turn, message: begun.message };
    } catch (error) {
      return throwBusy(error, session.id);
    }
  }

  async append(turn: TurnId, added: readonly NewMessage[], along: Along = {}): Promise<readonly MessageRecord[]> {
    const { store, clock } = this.#deps;
    const place = { session: this.#session.id, turn, at: clock.now() };
    const { steps: storing, bases } = messages.appendSteps(added, place, 1);
    const steps = [turns.mustBeOpen(place.session, turn), ...storing];
    const idOf = (base: number) => ({ from: base + 1, column: "id" });
    const [first, ...rest] = bases.map((base) => addedEvent(place, idOf(base)));
    const events = first === undefined ? [] : [first];
    if (along.usage) {
      const { of: used, promptTokens } = along.usage;
      steps.push(turns.usageStep(place.session, used, promptTokens), usages.mainUsageStep({ ...place, usage: used }));
      events.push(usageEvent(place, withUsage(this.#session, used, promptTokens), used));
    }
    for (const payload of along.begun ?? []) events.push({ kind: "tool.started", ...place, payload });
    events.push(...rest);
    if (along.event) {
      const { kind, data } = along.event;
      events.push({ kind, ...place, payload: { ...data, result_message_id: idOf(bases.at(-1) ?? 0) } });
    }
    if (along.steer !== undefined) {
      steps.push(
        lineage.removeStep({ root: this.#session.lineage_root, name: STEER, json: JSON.stringify(along.steer) }),
      );
      events.push({ kind: "steer.delivered", ...place, payload: { text: along.steer } });
    }
    if (along.record !== undefined)
      steps.push(lineage.setStep({ root: this.#session.lineage_root, ...along.record }, place.at));
    const written = store.script("chat.append", steps, events).then((rows) => {
      const records = added.map((message, index) => toRecord(message, place, rows[(bases[index] ?? 0) + 1]));
      keepRecent(store, records); // in the first step after the commit: its listeners come second
      return records;
    });
    const stored = await named(written, place.session, turn);
    const calls = added.reduce((sum, message) => sum + (message.toolCalls?.length ?? 0), 0);
    const { message_count, tool_call_count } = this.#session;
    this.#session = {
      ...this.#session,
      last_active_at: place.at,
      message_count: message_count + added.length,
      tool_call_count: tool_call_count + calls,
    };
    if (along.usage) this.#session = withUsage(this.#session, along.usage.of, along.usage.promptTokens);
    return stored;
  }

  async draft(turn: TurnId, text: string): Promise<void> {
    await this.#deps.store.script("chat.draft", [turns.draftStep(turn, text)]);
  }

  async event(turn: TurnId | undefined, kind: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    const place = { at: this.#deps.clock.now(), session: this.#session.id, ...(turn === undefined ? {} : { turn }) };
    await this.#deps.store.script("chat.event", [], [{ kind, ...place, payload: data }]);
  }

  async addUsage(turn: TurnId, usage: Usage, promptTokens: number): Promise<void> {
    const place = { session: this.#session.id, turn, at: this.#deps.clock.now() };
    const counted = withUsage(this.#session, usage, promptTokens);
    const steps = [turns.usageStep(place.session, usage, promptTokens), usages.mainUsageStep({ ...place, usage })];
    await this.#deps.store.script("chat.usage", steps, [usageEvent(place, counted, usage)]);
    this.#session = counted;
  }

  async setSystemPrompt(prompt: string, model: string, provider: string): Promise<void> {
    const at = this.#deps.clock.now();
    const next = { ...this.#session, system_prompt: prompt, model, provider };
    await this.#deps.store.write("chat.prompt", async (tx) => {
      await sessions.setPrompt(tx, next.id, { prompt, model, provider });
      const stored = await sessions.get(tx, next.id); // a title may have been given beside this conversation
      tx.emit({ kind: "session.info", at, session: next.id, payload: sessionInfo(stored ?? next) });
    });
    this.#session = next;
  }

  record(name: string): Promise<string | undefined> {
    return this.#deps.store.read((q) => lineage.get(q, this.#session.lineage_root, name));
  }

  async setRecord(name: string, json: string): Promise<void> {
    const at = this.#deps.clock.now();
    const { id: session, lineage_root: root } = this.#session;
    await this.#deps.store.write("chat.record", async (tx) => {
      await lineage.set(tx, { root, name, json }, at);
      if (name !== TODO) return;
      const turn = (await turns.openTurn(tx, session))?.turn_id;
      tx.emit({
        kind: "todo.changed",
        at,
        session,
        payload: todoChanged(json),
        ...(turn === undefined ? {} : { turn }),
      });
    });
  }

  async nextSegment(next: NextSegment): Promise<readonly MessageRecord[]> {
    return this.#goOnIn(await beginSegment(this.#deps.store, this.#session, next, this.#deps.clock.now()));
  }

  async previousSegment(previous: PreviousSegment): Promise<readonly MessageRecord[]> {
    return this.#goOnIn(await reopenSegment(this.#deps.store, this.#session, previous, this.#deps.clock.now()));
  }

  #goOnIn({ session, messages: kept }: TranscriptSegment): readonly MessageRecord[] {
    this.#session = session;
    return kept;
  }

  async addSideUsage(use: SideUse, turn?: TurnId): Promise<void> {
    const { id: session, estimated_cost_usd: before } = this.#session;
    const steps = usages.sideUsageSteps({ ...use, session, turn: turn ?? "", at: this.#deps.clock.now() });
    await this.#deps.store.script("chat.side", steps);
    const { costUsd } = use.usage;
    if (costUsd !== undefined) this.#session = { ...this.#session, estimated_cost_usd: (before ?? 0) + costUsd };
  }

  async endTurn(turn: TurnId, result: TurnResult): Promise<void> {
    const { store, clock } = this.#deps;
    const place = { session: this.#session.id, turn, at: clock.now() };
    await store.write("chat.end", async (tx) => {
      await settleCalls(tx, place);
      if (!(await turns.close(tx, turn, result.exit_reason, place.at))) throw ended(place.session, turn);
      tx.emit({ kind: "turn.ended", at: place.at, session: place.session, turn, payload: { ...result } });
    });
    this.#session = { ...this.#session, last_active_at: place.at };
  }
}

/** What opens a turn. */
export interface TurnStartRecord {
  readonly session: SessionRecord;
  readonly message: NewMessage;
  readonly at: EpochMs;
  readonly run: number | null;
  readonly request: string | undefined;
  /** Item of the queue that it was. */
  readonly item: string | undefined;
  /** The exchange repeats what its chat was sent: the text that gives an untitled conversation its title. */
  readonly mirrored?: string;
}

/** @throws E_STATE in place of the conflict of two open turns, and what else it was as it is */
export function throwBusy(error: unknown, session: SessionId): never {
  if (!(error instanceof AppError) || error.code !== "E_CONFLICT") throw error;
  throw new AppError("E_STATE", `a turn of session ${session} is already running`, {
    session,
    hint: "wait for it, or interrupt it",
  });
}

/** Open the next turn of a session and store its user message. @throws E_NOT_FOUND, E_CONFLICT while another turn is open */
export async function openNextTurn(tx: Tx, { session, message, at, run, request, item, mirrored }: TurnStartRecord) {
  const next = await turns.nextTurn(tx, session.id, at);
  if (next === undefined)
    throw new AppError("E_NOT_FOUND", `session ${session.id} no longer exists, or continues in a newer one`, {
      session: session.id,
      hint: "open it again by name to get the newest one",
    });
  const place = { session: session.id, turn: next.turn, at };
  await turns.open(tx, { ...place, run });
  if (item !== undefined) await takeItem(tx, { root: session.lineage_root, session: session.id, at }, item);
  const rows = await turns.apply(tx, messages.messageSteps(message, place, 0));
  const stored = toRecord(message, place, rows[1]);
  const title = next.first ? titleFrom(mirrored ?? message.content) : "";
  const titled = title !== "" && (await sessions.offerTitle(tx, session.id, title)) === 1;
  const payload = {
    turn_id: next.turn,
    user_message_id: stored.id,
    source: session.source,
    ...(request === undefined ? {} : { request }),
    ...(mirrored === undefined ? {} : { mirrored: true }),
  };
  tx.emit({ kind: "turn.started", at, session: session.id, turn: next.turn, payload });
  tx.emit(addedEvent(place, stored.id));
  if (titled) tx.emit({ kind: "session.info", at, session: session.id, payload: sessionInfo({ ...session, title }) });
  return { turn: next.turn, message: stored, title: titled ? { title, title_source: "auto" as const } : {} };
}

type Place = messages.Place;

/** Stored as a reference; a viewer reads the message. `id` may name the step of the script that makes it. */
export function addedEvent({ session, turn, at }: Place, id: number | { from: number; column: string }): DomainEvent {
  return { kind: "message.added", at, session, turn, payload: { message_id: id } };
}

function toRecord(message: NewMessage, { session, turn, at }: Place, rows: readonly Row[] | undefined): MessageRecord {
  const [row] = rows ?? [];
  return {
    ...message,
    id: Number(row?.["id"]),
    ordinal: Number(row?.["ordinal"]),
    session_id: session,
    turn_id: turn,
    created_at: at,
    active: true,
    ...(message.durationMs === undefined ? {} : { durationMs: Math.round(message.durationMs) }),
  };
}

const ended = (session: SessionId, turn: TurnId) =>
  new AppError("E_CONFLICT", `turn ${turn} has ended; nothing can be added to it`, { session, turn });

/** Say which rule a script broke. Step 0 is the open turn; the only other step that expects a row is the place of a result. */
async function named<T>(written: Promise<T>, session: SessionId, turn: TurnId): Promise<T> {
  try {
    return await written;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "E_CONFLICT") throw error;
    if (error.data["step"] === 0) throw ended(session, turn);
    throw new AppError("E_CONFLICT", `turn ${turn}: the result does not match an open call`, {
      session,
      turn,
    });
  }
}

function withUsage(session: SessionRecord, usage: Usage, promptTokens: number): SessionRecord {
  return {
    ...session,
    api_call_count: session.api_call_count + 1,
    input_tokens: session.input_tokens + usage.input,
    output_tokens: session.output_tokens + usage.output,
    cache_read_tokens: session.cache_read_tokens + usage.cacheRead,
    cache_write_tokens: session.cache_write_tokens + usage.cacheWrite,
    reasoning_tokens: session.reasoning_tokens + usage.reasoning,
    last_prompt_tokens: promptTokens,
    estimated_cost_usd:
      usage.costUsd === undefined ? session.estimated_cost_usd : (session.estimated_cost_usd ?? 0) + usage.costUsd,
  };
}

/** Event `usage` (core part, 1.4): counters of one request, and those of the session with it. An unknown cost is null. */
function usageEvent(place: Place, session: SessionRecord, usage: Usage): DomainEvent {
  const { api_call_count, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens } =
    session;
  const whole = { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens };
  const request = {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
  };
  const payload = {
    ...request,
    total_tokens: totalOf(request),
    last_prompt_tokens: session.last_prompt_tokens,
    estimated_cost_usd: usage.costUsd ?? null,
    cost_status: costStatus(usage),
    session: {
      api_calls: api_call_count,
      ...whole,
      total_tokens: totalOf(whole),
      estimated_cost_usd: session.estimated_cost_usd,
    },
  };
  return { kind: "usage", ...place, payload };
}

function costStatus({ costUsd, estimated }: Usage): "unknown" | "estimated" | "exact" {
  if (costUsd === undefined) return "unknown";
  return estimated === true ? "estimated" : "exact";
}

const totalOf = (
  of: Readonly<Record<"input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens", number>>,
): number => of.input_tokens + of.output_tokens + of.cache_read_tokens + of.cache_write_tokens;
