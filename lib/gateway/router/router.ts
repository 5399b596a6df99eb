import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { createWakeup, type Wakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Admission, Inbound, InboxRow } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import type { AdmissionResult } from "../admission/admission.js";
import { type Arrivals, createArrivals } from "../inbox/arrivals.js";
import { eventOf } from "../inbox/batches.js";
import type { Inbox } from "../inbox/inbox.js";
import { createIdleLatch, type IdleLatch } from "../loops/idle-latch.js";
import { FAILED_MS, retryCommandWrite } from "../loops/store-wait.js";
import { toSendTarget } from "../targets/event-target.js";
import { type CommandReply, commandIn, expandSpokenCommand, forOtherBot } from "./command-text.js";

export interface RouterDeps {
  readonly inbox: Inbox;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether an event gets to the agent, and the reply to its sender if it does not. */
  readonly passes: (event: Inbound) => Promise<AdmissionResult>;
  readonly keyOf: (event: Inbound) => string;
  /** Note that a command is about to be run. False: an earlier owner noted it, and its outcome is unknown. */
  readonly begin: (row: InboxRow) => Promise<boolean>;
  /** Whether a command, here with its full name, changes nothing, so that it need not be noted: it is run again when its outcome is unknown. */
  readonly harmless?: (event: Inbound, name: string) => boolean;
  /** Run a command and say what is answered; "" answers nothing. */
  readonly command: (event: Inbound, sessionKey: string) => Promise<string | CommandReply>;
  /**
   * What a press or a postback of an admitted user leads to; undefined: it is unknown. It may be asked twice about one event, so what
   * it decides it decides once.
   */
  readonly press?: (event: Inbound) => Promise<readonly NewSend[] | undefined>;
  /** Messages that begin a new conversation. */
  readonly triggers?: () => readonly string[];
  /** Full name of a command that was typed short or by another name. */
  readonly nameOf?: (typed: string) => string;
  /** Answer to a text that gets no turn, "" for none; undefined: it gets one. */
  readonly aside?: (event: Inbound) => Promise<string | undefined>;
  /** Which messages share a turn; default: none. @throws E_CONFIG, which counts as none */
  readonly joining?: (event: Inbound) => Pick<Admission, "joins" | "quietMs">;
  /** What a text does while a turn of its session runs; absent: it waits. */
  readonly busy?: BusyText;
  /** A message waits for its turn. */
  readonly held?: (event: Inbound) => Promise<void>;
  /** Messages of the platform for a text. */
  readonly answer: (event: Inbound, said: string | CommandReply) => readonly NewSend[];
}

/** What happens to a text. `done`: it is dealt with, and answered so. Otherwise it waits for its turn; `joins`: together with those beside it. */
export type TextOutcome =
  | { readonly done: readonly NewSend[] }
  | {
      readonly joins?: boolean;
      /** Called when it waits, with the number of messages that wait in its session. */
      readonly waits?: (waiting: number) => Promise<void>;
    };

/** Texts that come while turns run (gateway part, 10.2). */
export interface BusyText {
  /** A command that is a message: it waits for its turn like a text. */
  isMessage(event: Inbound): boolean;
  meet(event: Inbound, sessionKey: string): Promise<TextOutcome>;
}

const AT_ONCE = 200;
const ROUND_MS = 60_000;

/** Commands that nothing makes wait (gateway part, 9.4). */
const CONTROL: ReadonlySet<string> = new Set([
  "stop",
  "status",
  "approve",
  "deny",
  "help",
  "commands",
  "whoami",
  "version",
  "agents",
  "queue",
  "steer",
  "platform",
  "restart",
]);

/** Looks at what came in, in order of acceptance in each chat: gives texts to their sessions, runs commands, ends what may not be asked. */
export function createRouter(deps: RouterDeps): Router {
  const rest = createIdleLatch();
  const under = new Set<number>();
  const service = defineService("gateway-router", async (scope) => {
    const wakeup = createWakeup();
    const arrivals = createArrivals(deps.inbox, () => wakeup.notify());
    scope.onStop(arrivals.stop);
    const kept = { under, rest, arrivals, lanes: new Map(), looking: new Set<number>(), chats: new Map() };
    const state: State = { ...deps, ...kept, scope, wakeup };
    scope.loop(async () => {
      await round(state);
      const cancel = deps.clock.after(ROUND_MS, () => {
        arrivals.again();
        wakeup.notify();
      });
      try {
        await wakeup.wait(scope.signal);
      } finally {
        cancel();
      }
    });
  });
  return { ...service, idle: () => (under.size === 0 ? Promise.resolve() : rest.wait()) };
}

export interface Router extends Service {
  /** Resolves when every command that runs has been answered. */
  idle(): Promise<void>;
}

interface State extends RouterDeps {
  readonly rest: IdleLatch;
  readonly scope: Scope;
  readonly wakeup: Wakeup;
  /** Rows whose command runs. */
  readonly under: Set<number>;
  /** The last command of each session. */
  readonly lanes: Map<string, Promise<void>>;
  /** Rows that are looked at, or wait for those before them in their chat. */
  readonly looking: Set<number>;
  /** The last of them of each chat; false: it failed. */
  readonly chats: Map<string, Promise<boolean>>;
  readonly arrivals: Arrivals;
}

/** Rows of one chat are looked at in order, chats beside each other: a slow one does not delay the others. */
async function round(state: State): Promise<void> {
  const { under, looking, arrivals } = state;
  const free = AT_ONCE - looking.size;
  if (free <= 0) return; // the end of a look rings
  try {
    for (const row of await arrivals.next(free, under.size + looking.size))
      if (!under.has(row.seq) && !looking.has(row.seq)) lookInTurn(state, row);
  } catch (error) {
    notYet(state, error);
  }
}

/** A look that fails is tried again in a while, and before those of its chat that wait behind it. */
function lookInTurn(state: State, row: InboxRow): void {
  const { looking, chats, scope, wakeup, clock, arrivals } = state;
  const chat = JSON.stringify([row.platform, row.account, row.chat_id ?? row.user_id]);
  looking.add(row.seq);
  const mine = (chats.get(chat) ?? Promise.resolve(true)).then((well) => well && looked(state, row));
  chats.set(chat, mine);
  scope.run(async () => {
    const well = await mine;
    if (!well) await clock.sleep(FAILED_MS, scope.signal).catch(() => undefined); // it ends early when the service is stopped
    looking.delete(row.seq);
    if (chats.get(chat) === mine) chats.delete(chat);
    if (!well) arrivals.again();
    if (arrivals.more) wakeup.notify();
  });
}

async function looked(state: State, row: InboxRow): Promise<boolean> {
  try {
    await look(state, row);
    return true;
  } catch (error) {
    notYet(state, error);
    return false;
  }
}

function notYet({ scope, log }: State, error: unknown): void {
  if (!scope.signal.aborted) log.error("failed to read messages; retrying", { error: toAppError(error).message });
}

async function look(state: State, row: InboxRow): Promise<void> {
  const { inbox } = state;
  const kept = eventOf(row);
  if (kept === undefined) return end(state, row, "not stored");
  const passage = await state.passes(kept);
  if (!passage.passes) {
    await inbox.finish(row.seq, { state: "refused", reason: passage.reason }, passage.sends);
    return;
  }
  const event = expandSpokenCommand(passage.event, state.triggers?.());
  if (event.kind === "button" || event.kind === "postback") return press(state, row, event);
  const ignored = whyIgnored(event);
  if (ignored !== undefined) return end(state, row, ignored);
  const name = commandIn(event);
  if (name === undefined || state.busy?.isMessage(event) === true) return admit(state, row, event);
  const known = state.nameOf?.(name) ?? name;
  command(state, { row, event, key: state.keyOf(event), harmless: state.harmless?.(event, known) === true }, known);
}

async function end({ inbox }: State, { seq }: InboxRow, reason: string): Promise<void> {
  await inbox.finish(seq, { state: "ignored", reason });
}

async function press(state: State, row: InboxRow, event: Inbound): Promise<void> {
  const sends = await pressed(state, event);
  if (sends === undefined) return end(state, row, `ignored: ${event.kind}`);
  await state.inbox.finish(row.seq, { state: "answered" }, sends);
}

/** A press that makes its handler fail is let go; one that could not be stored comes again. */
async function pressed({ press, log }: State, event: Inbound): Promise<readonly NewSend[] | undefined> {
  try {
    return await press?.(event);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "E_STORE" || error.code === "E_STORE_FULL") throw error;
    log.error("button press ignored", { platform: event.platform, error: error.message });
    return undefined;
  }
}

function command(state: State, wanted: Wanted, name: string): void {
  const { row, key } = wanted;
  state.under.add(row.seq);
  const before = CONTROL.has(name) ? Promise.resolve() : (state.lanes.get(key) ?? Promise.resolve());
  const mine = before.then(() => runCommand(state, wanted));
  if (!CONTROL.has(name)) state.lanes.set(key, mine);
  state.scope.run(async () => {
    await mine;
    if (state.lanes.get(key) === mine) state.lanes.delete(key);
  });
}

function whyIgnored(event: Inbound): string | undefined {
  if (event.kind === "webhook" || event.kind === "notification") return undefined;
  if (event.kind !== "message" && event.kind !== "command") return `ignored: ${event.kind}`;
  if (forOtherBot(event)) return "it is for another bot";
  if (commandIn(event) === "start") return "greeting";
  return toSendTarget(event) === undefined ? "missing chat" : undefined;
}

async function admit(state: State, row: InboxRow, event: Inbound): Promise<void> {
  const { inbox, keyOf, answer, aside, busy, held } = state;
  const said = event.internal ? undefined : await aside?.(event);
  if (said !== undefined) {
    await inbox.finish(row.seq, { state: "ignored", reason: "no turn here" }, said === "" ? [] : answer(event, said));
    return;
  }
  if (event.text.trim() === "" && event.media.length === 0) {
    await inbox.finish(row.seq, { state: "refused", reason: "it is empty" });
    return;
  }
  const sessionKey = keyOf(event);
  const met: TextOutcome = (await busy?.meet(event, sessionKey)) ?? {};
  if ("done" in met) {
    await inbox.finish(row.seq, { state: "answered" }, met.done);
    return;
  }
  const own = joinedBy(state, event);
  const admitted = await inbox.admit(row.seq, { sessionKey, ...own, joins: met.joins ?? own.joins });
  if (admitted === "waiting" && met.waits !== undefined) await met.waits(await inbox.waiting(sessionKey));
  if (admitted === "waiting") await held?.(event);
  if (admitted !== "full") return;
  const text =
    "⚠️ Too many messages are waiting here; this one will not be answered. Send it again later, or /stop the running turn.";
  await inbox.finish(row.seq, { state: "refused", reason: "full" }, answer(event, text));
}

function joinedBy({ joining, log }: State, event: Inbound): Pick<Admission, "joins" | "quietMs"> {
  try {
    return joining?.(event) ?? ALONE;
  } catch (error) {
    log.error("invalid setting: messages are not batched", {
      platform: event.platform,
      error: toAppError(error).message,
    });
    return ALONE;
  }
}

const ALONE = { joins: false, quietMs: 0 } as const;

interface Wanted {
  readonly row: InboxRow;
  readonly event: Inbound;
  readonly key: string;
  readonly harmless: boolean;
}

const DOUBTFUL = "⚠️ The program ended while this command ran. It may have been carried out: check before repeating it.";

async function runCommand(state: State, { row, event, key, harmless }: Wanted): Promise<void> {
  const { inbox, begin, command, answer, under, scope, clock, rest, arrivals, wakeup } = state;
  try {
    const text = harmless || (await begin(row)) ? await command(event, key) : DOUBTFUL;
    const sends = answer(event, text);
    await retryCommandWrite(
      { clock, signal: scope.signal },
      () => inbox.finish(row.seq, { state: "answered" }, sends),
      (error) => notAnswered(state, error),
    );
  } catch (error) {
    notAnswered(state, error);
    await clock.sleep(FAILED_MS, scope.signal).catch(() => undefined); // it ends early when the service is stopped
    arrivals.again();
    wakeup.notify();
  } finally {
    under.delete(row.seq);
    if (under.size === 0) rest.reached();
  }
}

function notAnswered({ scope, log }: State, error: unknown): void {
  if (!scope.signal.aborted) log.error("failed to answer a command; retrying", { error: toAppError(error).message });
}
