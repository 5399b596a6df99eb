import { AppError } from "../../base/errors.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { MessageRecord } from "../../contracts/chat/chat.js";
import type {
  CompactionEnded,
  CompactionReason,
  CompactionRecord,
  CompactionUndone,
} from "../../contracts/chat/compact.js";
import { shortTokens } from "../../contracts/chat/compaction-lines.js";
import type { Config } from "../../contracts/config/config.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import { COMPRESSION_ABORT } from "../config/compaction-keys.js";
import { estimateTokens, toTokens } from "../tokens/estimate.js";
import type { BeforeRequest, RequestSetting, TurnCompaction } from "../transcript/turn-port.js";
import { type CompactDeps, type CompactOutcome, type CompactWish, compact } from "./compact.js";
import { itemTokens, sumTokens } from "./history.js";
import { lateTrigger, littleGrowth, type Numbers, numbersFor } from "./numbers.js";
import { afterPoor, afterUndo, COMPACTION_RECORD, readRecord } from "./record.js";

export interface CompactorDeps extends CompactDeps {
  readonly config: Config;
  /** A system prompt for the new segment. */
  rebuild(): Promise<string>;
  /** The conversation goes on in another segment: what its tools know of the model's reading is void. */
  moved(): void;
}

export interface ManualWish {
  readonly focus?: string;
  readonly keep?: number;
}

/** Size of the next request. */
export interface Gauge {
  readonly tokens: number;
  /** A provider counted most of it. */
  readonly exact: boolean;
}

/** Compaction of one conversation. The caller runs one thing at a time. */
export interface Compactor {
  /** For a turn that begins with this system prompt. `line` is for its viewers. */
  forTurn(system: string, line?: (text: string) => void): TurnCompaction;
  /** @throws E_STATE when there is too little to compact */
  manual(setting: RequestSetting, wish: ManualWish, signal: AbortSignal): Promise<CompactionEnded>;
  /** @throws E_STATE without a compaction to undo, or when the conversation would no longer fit its window */
  undo(setting: RequestSetting): Promise<CompactionUndone>;
  /** The stored conversation was changed beside its turns. */
  changed(): void;
  /** Tokens of the next request, and whether a provider counted most of them. */
  gauge(setting: RequestSetting, messages: readonly MessageRecord[]): Gauge;
  record(): Promise<CompactionRecord>;
  /** Numbers that hold now, and whether a compaction comes by itself. */
  outlook(choice: ModelChoice): Promise<{
    readonly numbers: Numbers;
    readonly automatic: "on" | "off" | "stopped" | "late";
    readonly count: number;
  }>;
}

/** The last request that was counted. */
interface Counted {
  readonly segment: SessionId;
  /** Messages that it had. */
  readonly stored: number;
  readonly tokens: number;
}

/** Passes at the start of a turn (core part, 8.2 a). */
const PASSES = 3;
/** Shares of the trigger at which the user is notified, greatest first. */
const SHARES = [0.85, 0.7] as const;
/** Front ends at a terminal or of the program itself; every other source is a messaging platform. */
const OWN_SOURCES: ReadonlySet<string> = new Set([
  "cli",
  "workspace",
  "inline",
  "worker",
  "cron",
  "subagent",
  "tool",
  "background",
]);
const HYGIENE = { share: 0.85, messages: 4 };
/** Share of the window above which no compaction has helped enough. */
const FULL_SHARE = 0.95;
/** Share of the window that an undone conversation may have. */
const UNDO_SHARE = 0.95;

const STOPPED =
  "Two compactions in a row saved less than a tenth; automatic compaction is now off here. /compress and /new still work.";

export function createCompactor(deps: CompactorDeps): Compactor {
  return new ConversationCompactor(deps);
}

class ConversationCompactor implements Compactor {
  readonly #deps: CompactorDeps;
  #record: CompactionRecord | undefined;
  #counted: Counted | undefined;
  /** No request was counted since the last compaction: another one would go by the estimate of that one. */
  #uncounted = false;
  /** What the record of the session tells of its last request does not hold any more. */
  #stale = false;

  constructor(deps: CompactorDeps) {
    this.#deps = deps;
  }

  changed(): void {
    this.#stale = true;
    this.#counted = undefined;
    this.#record = undefined;
  }

  async record(): Promise<CompactionRecord> {
    this.#record ??= readRecord(await this.#deps.transcript.record(COMPACTION_RECORD));
    return this.#record;
  }

  async outlook(choice: ModelChoice) {
    const { count, stopped, late } = await this.record();
    const numbers = await this.#numbers(choice);
    const automatic = !numbers.enabled ? "off" : stopped ? "stopped" : late ? "late" : "on";
    return { numbers, automatic, count } as const;
  }

  forTurn(system: string, line?: (text: string) => void): TurnCompaction {
    let current = system;
    let last: BeforeRequest | undefined;
    let pass = 0;
    const run = async (
      request: BeforeRequest,
      reason: CompactionReason,
      tokens: number | undefined,
    ): Promise<CompactOutcome> => {
      const setting = { ...request, system: current };
      const outcome = await this.#compact(setting, {
        reason,
        pass,
        turn: request.turn,
        changed: request.changed,
        signal: request.signal,
        ...(tokens === undefined ? {} : { tokens }),
        ...(line === undefined ? {} : { line }),
      });
      if (outcome.kind === "done") current = await this.#deps.rebuild();
      return outcome;
    };
    return {
      before: async (request) => {
        last = request;
        const numbers = await this.#numbers(request.choice);
        const { transcript } = this.#deps;
        const size = async () => this.gauge({ ...request, system: current }, await transcript.messages());
        if (!numbers.enabled || request.signal.aborted) return current;
        if (request.first) await this.#atStart({ request, numbers, size, run });
        else await this.#atRound({ request, numbers, size, run });
        return current;
      },
      counted: (stored, tokens) => {
        pass = 0;
        this.#uncounted = false;
        this.#counted = { segment: this.#deps.transcript.session.id, stored, tokens };
      },
      makeRoom: async () => {
        if (last === undefined) return false;
        const numbers = await this.#numbers(last.choice);
        if (!numbers.enabled) return false;
        const { tokens } = this.gauge({ ...last, system: current }, await this.#deps.transcript.messages());
        // The provider has just said that the window is full, whatever was counted.
        const outcome = await run(last, "overflow", Math.max(tokens, numbers.window));
        pass += 1;
        return outcome.kind === "done";
      },
    };
  }

  async #atStart({ request, numbers, size, run }: Due): Promise<void> {
    if (await this.#hygiene({ request, numbers, size, run })) return;
    await this.#makeRoomAtStart({ request, numbers, size, run });
    await this.#warnIfFull(request, numbers, (await size()).tokens);
  }

  async #makeRoomAtStart({ request, numbers, size, run }: Due): Promise<void> {
    for (let pass = 0; pass < PASSES; pass++) {
      const { tokens, exact } = await size();
      const messages = (await this.#deps.transcript.messages()).length;
      if (pass === 0) await this.#tell(request, numbers, tokens);
      if (tokens < numbers.trigger || messages <= numbers.first + numbers.last + 1) return;
      if (pass === 0 && (await this.#deferred(numbers, tokens))) return;
      if (await this.#silent()) return;
      const outcome = await run(request, "start", exact ? tokens : undefined);
      if (outcome.kind !== "done") return;
    }
  }

  /** Little has come since a provider counted less than the trigger: the next count decides. */
  async #deferred({ trigger }: Numbers, tokens: number): Promise<boolean> {
    const counted = this.#counted;
    return counted !== undefined && counted.tokens < trigger && tokens - counted.tokens < littleGrowth(trigger);
  }

  async #atRound({ request, numbers, size, run }: Due): Promise<void> {
    if (this.#uncounted) return;
    const { tokens } = await size();
    await this.#tell(request, numbers, tokens);
    if (tokens < numbers.trigger || (await this.#silent())) return;
    const outcome = await run(request, "round", tokens);
    await this.#warnIfFull(request, numbers, outcome.kind === "done" ? outcome.ended.tokens_after : tokens);
  }

  /** A conversation on a messaging platform never ends by itself: it is compacted in time (core part, 8.7). */
  async #hygiene({ request, numbers, size, run }: Due): Promise<boolean> {
    const { transcript } = this.#deps;
    if (OWN_SOURCES.has(transcript.session.source)) return false;
    const messages = (await transcript.messages()).length;
    const { tokens } = await size();
    const due =
      messages >= HYGIENE.messages && (tokens >= numbers.window * HYGIENE.share || messages >= numbers.hygiene);
    if (!due || (await this.#silent())) return false;
    const outcome = await run(request, "hygiene", tokens);
    await this.#warnIfFull(request, numbers, outcome.kind === "done" ? outcome.ended.tokens_after : tokens);
    return true;
  }

  /** What compaction cannot shorten, as one answer of megabytes, would be sent with every request. */
  async #warnIfFull(
    request: { readonly turn: TurnId | undefined },
    { window }: Numbers,
    tokens: number,
  ): Promise<void> {
    if (tokens < window * FULL_SHARE) return;
    const text = `The conversation has ${shortTokens(tokens)} tokens, the model's context window ${shortTokens(window)}, and compaction cannot free enough. Start a new session with /new, remove the large message with /undo, or choose a model with a larger window with /model.`;
    await this.#notice(request, "warning", { code: "context_full", text });
  }

  /** Nothing automatic happens: it has helped too little, or the last failure is a moment ago and nothing may be lost to one. */
  async #silent(): Promise<boolean> {
    const { stopped } = await this.record();
    const { summariser, transcript, config } = this.#deps;
    return stopped || (config.get(COMPRESSION_ABORT) && summariser.holds(transcript.session.lineage_root));
  }

  async #numbers(choice: ModelChoice): Promise<Numbers> {
    const numbers = numbersFor(this.#deps.config, choice.model, choice.window);
    const { late } = await this.record();
    return late ? { ...numbers, trigger: Math.max(numbers.trigger, lateTrigger(choice.window)) } : numbers;
  }

  gauge({ system, tools }: RequestSetting, messages: readonly MessageRecord[]): Gauge {
    const { session } = this.#deps.transcript;
    const told = this.#stale ? undefined : fromRecord(session.last_prompt_tokens, messages);
    const counted = this.#counted?.segment === session.id ? this.#counted : told;
    if (counted === undefined) return { tokens: fixedTokens({ system, tools }) + sumTokens(messages), exact: false };
    this.#counted = { segment: session.id, stored: counted.stored, tokens: counted.tokens };
    let tokens = counted.tokens;
    for (let at = counted.stored; at < messages.length; at++) tokens += itemTokens(messages[at] ?? NOTHING);
    return { tokens, exact: true };
  }

  async #compact(
    setting: RequestSetting,
    wish: Omit<CompactWish, "choice" | "numbers" | "record" | "fixed">,
  ): Promise<CompactOutcome> {
    const before = await this.record();
    const outcome = await compact(this.#deps, {
      ...wish,
      choice: setting.choice,
      numbers: await this.#numbers(setting.choice),
      record: before,
      fixed: fixedTokens(setting),
    });
    if (outcome.kind === "nothing") return outcome;
    this.#uncounted = true; // the next one goes by what a provider counts
    if (outcome.kind === "failed") {
      if (outcome.poor) await this.#keepRecord(afterPoor(before));
    } else {
      const { transcript } = this.#deps;
      this.#record = outcome.record;
      this.#counted = {
        segment: transcript.session.id,
        stored: (await transcript.messages()).length,
        tokens: outcome.ended.tokens_after,
      };
      this.#deps.moved();
    }
    if ((await this.record()).stopped && !before.stopped) {
      await this.#deps.transcript.event(wish.turn, "notice", {
        level: "warning",
        code: "compaction_stopped",
        text: STOPPED,
      });
      wish.line?.(STOPPED);
    }
    return outcome;
  }

  async manual(setting: RequestSetting, wish: ManualWish, signal: AbortSignal): Promise<CompactionEnded> {
    const { exact, tokens } = this.gauge(setting, await this.#deps.transcript.messages());
    const outcome = await this.#compact(setting, {
      reason: "manual",
      ...wish,
      signal,
      changed: [],
      ...(exact ? { tokens } : {}),
    });
    if (outcome.kind !== "nothing") {
      await this.#warnIfFull({ turn: undefined }, await this.#numbers(setting.choice), outcome.ended.tokens_after);
      return outcome.ended;
    }
    const { messages } = outcome;
    throw new AppError("E_STATE", `No changes: compaction keeps all ${messages} messages of the conversation`, {
      messages,
      hint: "continue; a longer conversation can be compacted",
    });
  }

  async undo(setting: RequestSetting): Promise<CompactionUndone> {
    const { transcript } = this.#deps;
    const record = await this.record();
    const { last } = record;
    if (last === undefined || last.to !== transcript.session.id)
      throw new AppError("E_STATE", "no compaction to undo", {
        hint: "only the last one can be undone, once",
      });
    const messages = await transcript.messages();
    const since = messages.filter(({ kind, copiedFrom }) => kind === undefined && copiedFrom === undefined);
    const { window } = setting.choice;
    const before = this.gauge(setting, messages).tokens;
    const tokens = last.tokens + sumTokens(since);
    if (tokens > window * UNDO_SHARE) throw tooLarge(tokens, window);
    const undone = {
      tokens_before: before,
      tokens_after: tokens,
      messages_before: messages.length,
      messages_after: last.messages + since.length,
    };
    const next = afterUndo(record);
    const back = await transcript.previousSegment({
      id: last.from,
      records: { directory_context: null, [COMPACTION_RECORD]: JSON.stringify(next) },
      event: undone,
    });
    this.#record = next;
    this.#counted = { segment: transcript.session.id, stored: back.length, tokens };
    this.#deps.moved();
    return { ...undone, new_session_id: last.from };
  }

  async #keepRecord(record: CompactionRecord): Promise<void> {
    this.#record = record;
    await this.#deps.transcript.setRecord(COMPACTION_RECORD, JSON.stringify(record));
  }

  /** Said once for each share in a segment. */
  async #tell(request: BeforeRequest, { trigger, window }: Numbers, tokens: number): Promise<void> {
    const share = SHARES.find((one) => tokens >= trigger * one);
    if (share === undefined || tokens >= trigger) return;
    const { transcript } = this.#deps;
    const record = await this.record();
    const { id: segment } = transcript.session;
    if (record.told?.segment === segment && record.told.share >= share) return;
    await this.#keepRecord({ ...record, told: { segment, share } });
    const text = `The conversation has ${shortTokens(tokens)} of ${shortTokens(window)} tokens: ${Math.round(share * 100)} % of the way to its compaction at ${shortTokens(trigger)}.`;
    await this.#notice(request, "info", { code: `context_${Math.round(share * 100)}`, text });
  }

  async #notice(
    { turn }: { readonly turn: TurnId | undefined },
    level: "info" | "warning",
    said: { code: string; text: string },
  ): Promise<void> {
    await this.#deps.transcript.event(turn, "notice", { level, ...said });
  }
}

interface Due {
  readonly request: BeforeRequest;
  readonly numbers: Numbers;
  size(): Promise<Gauge>;
  run(request: BeforeRequest, reason: CompactionReason, tokens: number | undefined): Promise<CompactOutcome>;
}

const NOTHING = { content: "" };

/** Rough tokens of what every request has besides its messages. */
const fixedTokens = ({ system, tools }: Pick<RequestSetting, "system" | "tools">): number =>
  toTokens(system.length) + estimateTokens([], tools);

/** What the record of a resumed session tells: its last request had everything up to the newest answer. */
function fromRecord(tokens: number, messages: readonly MessageRecord[]): Omit<Counted, "segment"> | undefined {
  const answer = messages.findLastIndex(({ role, kind }) => role === "assistant" && kind === undefined);
  return tokens > 0 && answer >= 0 ? { tokens, stored: answer } : undefined;
}

const tooLarge = (tokens: number, window: number): AppError =>
  new AppError(
    "E_STATE",
    `the conversation would have ${tokens} of ${window} tokens, more than ${UNDO_SHARE * 100} % of the window`,
    {
      tokens,
      window,
      hint: "continue with the compacted conversation, or choose a model with a larger window",
    },
  );
