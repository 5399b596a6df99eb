import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { newestGrant } from "../../../storage/tables/gateway/grants.js";
import { isStored, sendsWith } from "../../../storage/tables/gateway/outbox.js";
import {
  insertSlow,
  moveSlow,
  pruneSlow,
  type SlowAnswer,
  slowAnswer,
  slowOfTurn,
} from "../../../storage/tables/gateway/slow-answers.js";
import { toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend, OutboxState, SendPayload, SendTarget } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import { eventOf } from "../inbox/batches.js";
import { insertDrafts, type Outbox } from "../outbox/outbox.js";
import { drawSendKey } from "../outbox/send-keys.js";
import type { PlatformSettings } from "../settings/platform-settings.js";
import { toSendTarget } from "../targets/event-target.js";
import { toPlatformTag } from "../targets/resolve-targets.js";

interface SlowDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly outbox: () => Pick<Outbox, "drafts" | "wake" | "insert" | "get" | "onEnd">;
  /** Variables `<TAG>_X`. */
  readonly settings: (platform: string) => PlatformSettings;
}

/** Answers that take longer, on a platform with such buttons, than a reply token lives: a button spends the token, and its press brings the answer (gateway part, 16.3.6). */
export interface SlowAnswers {
  /** Shows the button when the turn takes too long for the token of its chat; undefined: no token is at stake. */
  watch(turn: string, batch: InboxBatch): SlowWatch | undefined;
  /** The answer of a turn whose button is shown waits there; everything else leaves as it is. */
  fill(root: string, end: InboxTurnEnd): Promise<InboxTurnEnd>;
  /** What a press is answered with; undefined: it is none of these, or not this person's. */
  press(event: Inbound): Promise<readonly NewSend[] | undefined>;
}

const THRESHOLD_S = 45;
/** Later the token may have ended before the button is there. */
const LATEST_S = 48;
const DAY_MS: Ms = 24 * 3_600_000;
const WEEK_MS: Ms = 7 * DAY_MS;
const TEXTS = {
  PENDING_TEXT: "Still working on it. Tap below to get the answer.",
  BUTTON_LABEL: "Get answer",
  DELIVERED_TEXT: "This answer was already sent.",
  INTERRUPTED_TEXT: "This run was interrupted.",
} as const;

export function createSlowAnswers(deps: SlowDeps): SlowAnswers {
  let watched = false;
  return {
    press: (event) => pressed(deps, event),
    watch: (turn, batch) => {
      if (!watched) deps.outbox().onEnd((id, kind) => void (kind === "notice" && rescued(deps, id)));
      watched = true;
      return watching(deps, turn, batch);
    },
    fill: (root, end) => filled(deps, root, end),
  };
}

/** The answer of a turn whose button is shown waits there; everything else leaves as it is. */
async function filled({ store, clock }: SlowDeps, turn: string, end: InboxTurnEnd): Promise<InboxTurnEnd> {
  const found = await slowOfTurn(autocommit(store), turn);
  if (found === undefined || found.state === "error" || found.state === "lost") return end;
  const answers = end.sends.filter(({ kind }) => kind === "answer");
  const others = end.sends.filter(({ kind }) => kind !== "answer");
  if (found.state === "delivered") return { ...end, sends: others };
  const now = clock.now();
  const [button] = await store.read((q) => sendsWith(q, `slow:${found.request_id}:button`));
  if (found.state === "pending" && button !== undefined && DOUBTFUL.has(button.state)) {
    await store.write("slow.lost", (tx) => moveSlow(tx, found.request_id, { from: ["pending"], to: "lost" }, now));
    return end;
  }
  const ready = end.state === "answered" && answers.length > 0;
  const sends = JSON.stringify(answers.map(({ payload }) => payload));
  const moved = await store.write("slow.filled", (tx) =>
    moveSlow(
      tx,
      found.request_id,
      ready ? { from: ["pending", "ready"], to: "ready", sends } : { from: ["pending"], to: "error" },
      now,
    ),
  );
  return ready && moved ? { ...end, sends: others } : end;
}

/** The button of such a row was perhaps never shown. */
const DOUBTFUL: ReadonlySet<OutboxState> = new Set(["failed", "unknown", "dropped"]);

export interface SlowWatch {
  /** Resolves when no button is on its way any more. Harmless twice. */
  stop(): Promise<void>;
}

/** Shows the button when the turn takes too long for the token of its chat. */
function watching(deps: SlowDeps, turn: string, batch: InboxBatch): SlowWatch | undefined {
  const { clock, store, log, settings } = deps;
  const last = batch.rows.findLast((row) => capsOf(row.platform).buttons === "slow-answer");
  const event = last === undefined ? undefined : eventOf(last);
  const target = event === undefined ? undefined : toSendTarget(event);
  if (last === undefined || event === undefined || target === undefined) return undefined;
  const threshold =
    Math.min(LATEST_S, settings(target.platform).integer("SLOW_RESPONSE_THRESHOLD", THRESHOLD_S)) * 1000;
  if (threshold === 0) return undefined;
  let stopped = false;
  let cancel: () => void = () => undefined;
  let working: Promise<void> = Promise.resolve();
  const look = async () => {
    const chat = { platform: target.platform, account: target.account, chat_id: target.chatId };
    const held = await newestGrant(autocommit(store), chat, clock.now());
    if (stopped || held === undefined) return;
    const wait = held.received_at + threshold - clock.now();
    if (wait > 0) arm(wait);
    else await begin(deps, { turn, event, target });
  };
  const arm = (ms: Ms) => {
    cancel = clock.after(ms, () => {
      working = look().catch((error: unknown) =>
        log.error("failed to show the button of a slow answer", { error: toAppError(error).message }),
      );
    });
  };
  arm(Math.max(0, last.received_at + threshold - clock.now()));
  return {
    stop: async () => {
      stopped = true;
      cancel();
      await working;
    },
  };
}

interface Beginning {
  readonly turn: string;
  readonly event: Inbound;
  readonly target: SendTarget;
}

/** The entry and its button, in one commit that uses up the token. */
async function begin(deps: SlowDeps, { turn, event, target }: Beginning): Promise<void> {
  const { store, clock, ids } = deps;
  const now = clock.now();
  const request = drawSendKey(ids, target.platform);
  const { userId, chatType } = event.source;
  const entry: SlowAnswer = {
    request_id: request,
    platform: target.platform,
    account: target.account,
    chat_id: target.chatId,
    user_id: userId,
    chat_type: chatType,
    turn_id: turn,
    state: "pending",
    sends: null,
    created_at: now,
    updated_at: now,
  };
  const outbox = deps.outbox();
  const drafts = outbox.drafts([buttonOf(deps, target, { request, key: `slow:${request}:button` })]);
  const begun = await store.write("slow.begin", async (tx) => {
    await pruneSlow(tx, { day: now - DAY_MS, week: now - WEEK_MS });
    if ((await slowOfTurn(tx, turn)) !== undefined) return false;
    if ((await newestGrant(tx, entry, now)) === undefined) return false;
    await insertSlow(tx, entry);
    await insertDrafts(tx, drafts);
    return true;
  });
  if (begun) outbox.wake();
}

const wordsOf = ({ settings }: SlowDeps, { platform }: SendTarget, name: keyof typeof TEXTS): string =>
  settings(platform).text(name) ?? TEXTS[name];

function buttonOf(
  deps: SlowDeps,
  target: SendTarget,
  { request, key }: { readonly request: string; readonly key: string },
): NewSend {
  const slow = { requestId: request, label: wordsOf(deps, target, "BUTTON_LABEL") };
  const payload: SendPayload = {
    text: wordsOf(deps, target, "PENDING_TEXT"),
    format: "plain",
    silent: false,
    extra: { slow },
  };
  return { kind: "notice", target: { ...target, replyTo: null }, payload, via: "reply", sourceKey: key };
}

async function pressed(deps: SlowDeps, event: Inbound): Promise<readonly NewSend[] | undefined> {
  const { store, clock, log } = deps;
  const request = event.kind === "postback" ? event.extra?.["requestId"] : undefined;
  const target = toSendTarget(event);
  if (typeof request !== "string" || target === undefined) return undefined;
  const found = await store.read((q) => slowAnswer(q, request));
  if (found === undefined || !isTheirs(found, event, target)) {
    log.info("a button of another chat was pressed", { platform: event.platform });
    return undefined;
  }
  const now = clock.now();
  const shown = await store.read((q) => isStored(q, answerKey(request, 0)));
  const said = (name: keyof typeof TEXTS): readonly NewSend[] => {
    const payload: SendPayload = { text: wordsOf(deps, target, name), format: "plain", silent: false };
    return [{ kind: "reply", target, payload, via: "reply", sourceKey: `slow:${request}:said:${event.eventId}` }];
  };
  switch (shown && found.state === "ready" ? "delivered" : found.state) {
    case "pending":
      return [buttonOf(deps, target, { request, key: `slow:${request}:again:${event.eventId}` })];
    case "ready":
      return answersOf(found, target);
    case "error":
      await store.write("slow.told", (tx) => moveSlow(tx, request, { from: ["error"], to: "delivered" }, now));
      return said("INTERRUPTED_TEXT");
    case "delivered":
    case "lost":
      if (found.state === "ready")
        await store.write("slow.told", (tx) => moveSlow(tx, request, { from: ["ready"], to: "delivered" }, now));
      return said("DELIVERED_TEXT");
  }
}

/** That it is stored under this key is what makes an answer delivered. */
const answerKey = (request: string, at: number): string => `slow:${request}:answer:${at}`;

/** The first call by the right of the press, the others as any message. */
function answersOf({ request_id: request, sends }: SlowAnswer, target: SendTarget): readonly NewSend[] {
  const payloads: readonly SendPayload[] = JSON.parse(sends ?? "[]"); // written by `filled`
  return payloads.map((payload, at) => ({
    kind: "answer",
    target,
    payload,
    via: at === 0 ? "reply" : "send",
    sourceKey: answerKey(request, at),
  }));
}

function isTheirs(found: SlowAnswer, event: Inbound, target: SendTarget): boolean {
  if (found.platform !== target.platform || found.account !== target.account || found.chat_id !== target.chatId)
    return false;
  return found.chat_type !== "dm" || found.user_id === event.source.userId;
}

/** A button that was perhaps never shown keeps no answer back. */
async function rescued(deps: SlowDeps, id: string): Promise<void> {
  const { store, clock, log } = deps;
  try {
    const row = await deps.outbox().get(id);
    const request = /^slow:([^:]+):button$/.exec(row?.source_key ?? "")?.[1];
    if (row === undefined || request === undefined || !DOUBTFUL.has(row.state)) return;
    const now = clock.now();
    const found = await store.write("slow.lost", async (tx) => {
      const before = await slowAnswer(tx, request);
      return (await moveSlow(tx, request, { from: ["pending", "ready"], to: "lost" }, now)) ? before : undefined;
    });
    const platform = found && toPlatformTag(found.platform);
    if (found?.state !== "ready" || platform === undefined) return;
    const { account, chat_id: chatId } = found;
    const target: SendTarget = { platform, account, chatId, threadId: null, replyTo: null };
    await deps.outbox().insert(answersOf(found, target).map((send) => ({ ...send, via: "send" })));
  } catch (error) {
    log.error("failed to show the button of a waiting answer", { error: toAppError(error).message });
  }
}
