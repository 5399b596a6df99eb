import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";
import type { Receipt } from "../../contracts/gateway/outbox.js";
import type { Platform, TurnPhase } from "../../contracts/gateway/platform.js";
import type { Outbox } from "../outbox/outbox.js";
import type { VisibleTexts } from "../outbox/visible-texts.js";
import { toSendTarget } from "../targets/event-target.js";
import { sendsOf } from "../text/answer-sends.js";
import { isSilentAnswer } from "../text/silent-answer.js";
import type { LiveTurn, TurnObserver } from "./live-turns.js";
import { type ClosedSegment, type SegmentPorts, type SegmentRules, StreamSegment } from "./stream-segment.js";
import { seenText } from "./streamed-text.js";
import { bareEdit, bareRow } from "./turn-rows.js";
import type { TurnSettings, UsedTransport } from "./turn-settings.js";

export interface SpeakerDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: Pick<TurnSettings, "display" | "transport" | "stream">;
  readonly outbox: () => Pick<Outbox, "insert" | "get" | "drop" | "onEnd">;
  readonly visible: () => Pick<VisibleTexts, "note" | "of">;
  readonly platformOf: (event: LiveTurn["event"]) => Platform | undefined;
}

const CALL: Ms = 10_000;
/** Longest wait at the end of a turn for the first message of its text. */
const LAST: Ms = 5_000;

/** Says what a turn writes: its only voice before its end (gateway part, 6.6, 11.4). */
export function createAnswerStream(deps: SpeakerDeps): (live: LiveTurn) => TurnObserver {
  return (live) => {
    const voice = new Voice(deps, live);
    return { on: (event) => voice.on(event), stop: (phase) => voice.stop(phase) };
  };
}

class Voice {
  readonly #deps: SpeakerDeps;
  readonly #live: LiveTurn;
  readonly #transport: UsedTransport;
  readonly #draft: number;
  /** What is said so far is stored; what follows waits for it. */
  #said: Promise<unknown> = Promise.resolve();
  #segment: StreamSegment;
  #final: string | undefined;

  constructor(deps: SpeakerDeps, live: LiveTurn) {
    this.#deps = deps;
    this.#live = live;
    this.#transport = deps.settings.transport(live.event, deps.platformOf(live.event));
    this.#draft = Number.parseInt(deps.ids.hex(6), 16) + 1;
    this.#segment = this.#open();
  }

  on({ event, data }: ChatEvent): void {
    if (event === "text.delta" && this.#transport !== "off") {
      const { offset } = data;
      this.#segment.add(String(data["text"] ?? ""), typeof offset === "number" ? offset : undefined);
    } else if (event === "text.reset") this.#segment.reset();
    else if (event === "turn.ended") this.#final = String(data["final_response"] ?? "");
    else if (event === "message.added" && data["role"] === "assistant" && Array.isArray(data["tool_calls"])) {
      const last = this.#segment;
      const text = seenText(String(data["content"] ?? ""), true);
      const key = `said:${this.#live.turn}:${String(data["id"])}`;
      this.#said = this.#said.then(() => this.#between(last, text, key)).catch(() => undefined); // what could not be stored does not count as an answer
      this.#segment = this.#open();
    }
  }

  async stop(phase: TurnPhase): Promise<void> {
    await this.#said;
    const closed = await this.#segment.close();
    if (this.#transport !== "edit") return;
    if (phase === "answered") await this.#answered(closed);
    else await this.#bare(closed);
  }

  /** The text before calls is whole. */
  async #between(segment: StreamSegment, text: string, key: string): Promise<void> {
    const { display } = this.#deps.settings;
    const closed = await segment.close();
    const shown =
      this.#transport === "edit" && (closed.id !== undefined || closed.prefix > 0 || closed.left !== undefined);
    if (text === "" || isSilentAnswer(text) || (!shown && !display(this.#live.event.platform).interim)) return;
    const instead = this.#transport === "edit" ? closed.id : undefined;
    const rest = this.#transport === "edit" ? tailOf(text, closed) : text;
    const group = { kind: "answer", format: "markdown", turn: this.#live.turn, key, instead } as const;
    const sends = sendsOf(this.#live.event, rest, group).map((send) => ({
      ...send,
      payload: { ...send.payload, silent: true },
    }));
    await this.#live.emit(sends);
    if (closed.left !== undefined) await this.#plain(closed.left, closed.shown);
    if (shown) await this.#deps.visible().note(this.#live.turn, { mode: "stream", messageIds: [], prefix: 0 });
  }

  /** What is visible of the answer is noted, for the sender of the rest. */
  async #answered(closed: ClosedSegment): Promise<void> {
    const { clock, settings, visible, platformOf } = this.#deps;
    const note = (messageIds: readonly string[], prefix: number) =>
      visible().note(this.#live.turn, { mode: "stream", messageIds, prefix });
    if (closed.id === undefined && closed.left === undefined && closed.prefix === 0) return;
    // A text that took the place of what was written is not said to be there.
    const final = seenText(this.#final ?? "", true);
    const visiblePart = closed.left === undefined ? closed.seen.slice(0, closed.prefix) : closed.seen;
    const prefix = final.startsWith(visiblePart.trimEnd()) ? visiblePart.length : 0;
    if (closed.left !== undefined) {
      await note([], prefix);
      await this.#plain(closed.left, closed.shown);
      return;
    }
    const { id } = closed;
    const { freshAfter } = settings.stream(this.#live.event.platform);
    const slow = freshAfter > 0 && closed.began !== undefined && clock.mono() - closed.began > freshAfter;
    if (
      id !== undefined &&
      slow &&
      closed.prefix === 0 &&
      (await removed(platformOf(this.#live.event), this.#live, this.#deps, id))
    ) {
      await note([], 0);
      return;
    }
    await note(id === undefined ? [] : [id], prefix);
  }

  /** Nothing follows: the message that was being written loses its cursor. */
  async #bare({ id, left, shown }: ClosedSegment): Promise<void> {
    const message = id ?? left;
    if (message !== undefined) await this.#plain(message, shown);
  }

  async #plain(messageId: string, text: string): Promise<void> {
    const sends = bareEdit(this.#live.event, { turn: this.#live.turn, messageId, text });
    await this.#deps.outbox().insert(sends);
  }

  #open(): StreamSegment {
    const { settings, clock, visible } = this.#deps;
    const ports: SegmentPorts = {
      clock,
      begin: (text) => (this.#transport === "draft" ? this.#drafted(text).then(() => "draft") : this.#begin(text)),
      edit: (id, text) => (this.#transport === "draft" ? this.#drafted(text) : this.#edit(id, text)),
      finish: async (id, text) => {
        if (this.#transport === "edit") await this.#live.emit(sendsOf(this.#live.event, text, this.#group(id)));
      },
      note: (shown) => (this.#transport === "draft" ? Promise.resolve(true) : visible().note(this.#live.turn, shown)),
    };
    return new StreamSegment(ports, rulesOf(settings.stream(this.#live.event.platform), this.#transport));
  }

  #group(instead: string | undefined) {
    const { turn } = this.#live;
    return {
      kind: "answer",
      format: "markdown",
      turn,
      key: `stream:${turn}:${this.#deps.ids.hex(4)}`,
      instead,
    } as const;
  }

  /** The first text takes the place of a placeholder, or goes the way of every message: it is known then whether it arrived. */
  async #begin(text: string): Promise<string | undefined> {
    await this.#said;
    const placeholder = await this.#placeholder();
    if (placeholder !== undefined)
      return (await this.#edit(placeholder, text))?.result === "sent" ? placeholder : undefined;
    const unfinished = this.#whole(text);
    const sends = sendsOf(this.#live.event, text, { ...this.#group(undefined), format: "plain" });
    const [id] = await this.#live.emit(sends.map((send) => ({ ...send, payload: { ...send.payload, ...unfinished } })));
    if (id === undefined) return undefined;
    const message = await this.#sent(id);
    if (message === undefined && unfinished !== undefined) await this.#givenUp(id, unfinished.unfinished);
    return message;
  }

  /** The message that stands where the answer is to come; the end of the turn replaces it where nothing else does. */
  async #placeholder(): Promise<string | undefined> {
    const record = await this.#deps.visible().of(this.#live.turn);
    if (record?.mode !== "placeholder" || record.closed === 1) return undefined;
    const ids: readonly string[] = JSON.parse(record.message_ids);
    return ids[0];
  }

  /** What a text with a cursor reads without it. */
  #whole(text: string): { readonly unfinished: string } | undefined {
    const { cursor } = this.#deps.settings.stream(this.#live.event.platform);
    return cursor !== "" && text.endsWith(cursor) ? { unfinished: text.slice(0, -cursor.length) } : undefined;
  }

  /** A message that may still arrive and is not continued: it loses its cursor then. */
  async #givenUp(row: string, text: string): Promise<void> {
    const state = (await this.#deps.outbox().get(row))?.state;
    if (state !== "pending" && state !== "sending") return;
    await this.#deps.outbox().insert(bareRow(this.#live.event, { turn: this.#live.turn, row, text }));
  }

  async #sent(id: string): Promise<string | undefined> {
    const { outbox, clock } = this.#deps;
    const { over } = this.#live;
    const state = async () => (await outbox().get(id))?.state;
    let given = false;
    for (;;) {
      const next = changed(outbox(), id);
      const now = await state();
      if (now !== "pending" && now !== "sending") {
        next.stop();
        return messageOf(await outbox().get(id));
      }
      if (over.aborted && now === "pending") {
        next.stop();
        await outbox()
          .drop(id)
          .catch(() => undefined); // it was begun meanwhile: looked at once more
        if ((await state()) === "dropped" || given) return undefined;
        given = true;
        continue;
      }
      await next.within(clock, over, LAST);
      // What it came to meanwhile counts: it would be said twice otherwise.
      if (over.aborted && given) return messageOf(await outbox().get(id));
      given = over.aborted;
    }
  }

  async #edit(id: string, text: string): Promise<Receipt | undefined> {
    const chatId = toSendTarget(this.#live.event)?.chatId;
    if (chatId === undefined || this.#live.fenced !== undefined) return undefined;
    return this.#bounded((platform, signal) => platform.edit?.(chatId, id, text, { final: false, signal }));
  }

  async #drafted(text: string): Promise<Receipt | undefined> {
    const target = toSendTarget(this.#live.event);
    if (target === undefined || this.#live.fenced !== undefined) return undefined;
    return this.#bounded((platform, signal) => platform.draft?.(target, this.#draft, text, signal));
  }

  async #bounded(
    call: (platform: Platform, signal: AbortSignal) => Promise<Receipt> | undefined,
  ): Promise<Receipt | undefined> {
    const platform = this.#deps.platformOf(this.#live.event);
    if (platform === undefined) return undefined;
    const control = new AbortController();
    const late = new Promise<undefined>((resolve) =>
      control.signal.addEventListener("abort", () => resolve(undefined), { once: true }),
    );
    const cancel = this.#deps.clock.after(CALL, () => control.abort(new Error("timeout")));
    try {
      return await Promise.race([call(platform, control.signal), late]);
    } catch {
      return undefined; // ok to lose: the end of the turn shows the text
    } finally {
      cancel();
    }
  }
}

/** The message that shows a row; undefined: none is known to. */
function messageOf(row: Awaited<ReturnType<Outbox["get"]>>): string | undefined {
  return row?.state === "sent" ? (row.platform_message_id ?? undefined) : undefined;
}

/** What of a whole text is not visible yet. */
function tailOf(text: string, { prefix, left, shown }: ClosedSegment): string {
  return text.slice(prefix + (left === undefined ? 0 : shown.length));
}

/** Take away a message, as well as it can be. @returns whether it is gone */
async function removed(
  platform: Platform | undefined,
  live: LiveTurn,
  { ids, clock }: SpeakerDeps,
  messageId: string,
): Promise<boolean> {
  const target = toSendTarget(live.event);
  if (platform === undefined || target === undefined) return false;
  const control = new AbortController();
  const cancel = clock.after(CALL, () => control.abort(new Error("timeout")));
  const payload = { text: "", format: "plain", silent: true, messageId } as const;
  const row = {
    id: `remove_${ids.hex(8)}`,
    kind: "answer",
    via: "remove",
    target,
    payload,
    idemKey: ids.hex(16),
    repeat: true,
  } as const;
  try {
    return (await platform.send(row, control.signal)).result === "sent";
  } catch {
    return false; // ok to lose: it stays, and is edited as usual
  } finally {
    cancel();
  }
}

function changed(outbox: Pick<Outbox, "onEnd">, id: string) {
  let done: () => void = () => undefined;
  const told = new Promise<void>((resolve) => {
    done = resolve;
  });
  const stop = outbox.onEnd((ended) => {
    if (ended === id) done();
  });
  return {
    stop,
    /** Resolves when its outcome is stored, when the turn ends, or that time after it. */
    within: async (clock: Clock, over: AbortSignal, last: Ms) => {
      const cancel = over.aborted ? clock.after(last, done) : () => undefined;
      over.addEventListener("abort", done, { once: true });
      await told;
      over.removeEventListener("abort", done);
      cancel();
      stop();
    },
  };
}

const rulesOf = (rules: SegmentRules, transport: UsedTransport): SegmentRules =>
  transport === "draft" ? { ...rules, cursor: "", editsMax: Number.POSITIVE_INFINITY } : rules;
