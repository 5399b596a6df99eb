import type { Store } from "../../../storage/store.js";
import { dropValue, setValue, valuesUnder } from "../../../storage/tables/state/state-values.js";
import { streamWithLinkedSignal } from "../../base/async/abort-any.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi, TurnResult } from "../../contracts/chat/chat.js";
import type { Outbox } from "../outbox/outbox.js";
import { sendsOf } from "../text/answer-sends.js";

export interface BackgroundDeps {
  readonly chat: Pick<ChatApi, "events" | "messages" | "isBusy">;
  readonly store: Store;
  readonly clock: Clock;
  readonly outbox: () => Pick<Outbox, "insert">;
  readonly log: Log;
}

/** Answers of `/background`, posted once in the chats that asked. What an owner did not live to see is posted by the next: the answer, or that it was lost. */
export interface BackgroundAnswers {
  readonly service: Service;
  /** Resolves when it is durable that the chat waits for this conversation. */
  owe(event: Inbound, session: SessionId): Promise<void>;
}

const PREFIX = "gateway.background:";

export function backgroundAnswers(deps: BackgroundDeps): BackgroundAnswers {
  const { store, clock } = deps;
  let post: (debt: Debt) => void = () => undefined;
  const service = defineService("gateway-background", async (scope) => {
    post = (debt) => scope.run(() => posted(deps, debt, scope));
    scope.onStop(() => {
      post = () => undefined; // it is durable: the next one posts it
    });
    for (const { key, value } of await store.read((q) => valuesUnder(q, PREFIX))) {
      const event: Inbound = JSON.parse(value); // this file wrote it
      post({ event, session: key.slice(PREFIX.length) as SessionId, left: true }); // the same
    }
  });
  return {
    service,
    owe: async (event, session) => {
      const now = clock.now();
      await store.write("gateway.background", (tx) => setValue(tx, `${PREFIX}${session}`, JSON.stringify(event), now));
      post({ event, session, left: false });
    },
  };
}

interface Debt {
  readonly event: Inbound;
  readonly session: SessionId;
  /** By an owner that is gone: it may never have begun. */
  readonly left: boolean;
}

const CUT_OFF = "⚠️ The program ended before this was answered. Ask again.";

async function posted({ chat, store, outbox, log }: BackgroundDeps, debt: Debt, { signal }: Scope): Promise<void> {
  const { event, session } = debt;
  try {
    const result = debt.left && !(await hasBegun(chat, session)) ? undefined : await endOf(chat, session, signal);
    if (result === "later") return;
    const said = result === undefined ? CUT_OFF : wordsOf(result);
    const text = `🔎 Background ${session}:\n\n${said}`;
    await outbox().insert(sendsOf(event, text, { kind: "reply", format: "markdown", key: `background:${session}` }));
    await store.write("gateway.background", (tx) => dropValue(tx, `${PREFIX}${session}`));
  } catch (error) {
    if (!signal.aborted)
      log.error("failed to post the answer of a background prompt; retrying", { error: toAppError(error).message });
  }
}

function wordsOf({ error, final_response: text }: TurnResult): string {
  if (error !== undefined) return `⚠️ ${error.message}`;
  return text.trim() === "" ? "(no answer)" : text;
}

async function hasBegun(chat: BackgroundDeps["chat"], session: SessionId): Promise<boolean> {
  if (await chat.isBusy(session)) return true;
  const said = await chat.messages(session, { limit: 1 }).catch(() => []); // it was deleted
  return said.length > 0;
}

/** Undefined: it was cut off. `later`: who works it ends now; the next owner knows what became of it. */
async function endOf(
  chat: BackgroundDeps["chat"],
  session: SessionId,
  signal: AbortSignal,
): Promise<TurnResult | undefined | "later"> {
  const done = new AbortController();
  try {
    for await (const event of streamWithLinkedSignal([signal, done.signal], (either) =>
      chat.events(session, 0, either),
    )) {
      if (event.event !== "turn.ended") continue;
      const result = event.data as unknown as TurnResult; // the turn wrote it as one
      return result.exit_reason === "owner_stopped" ? undefined : result;
    }
    return "later";
  } finally {
    done.abort();
  }
}
