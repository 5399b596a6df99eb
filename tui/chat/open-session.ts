import type { Client } from "../../lib/backplane/client.js";
import { segmentAfter } from "../../lib/contracts/chat/compaction-lines.js";
import { comesLate } from "../../lib/contracts/wire/late-deltas.js";
import type { SessionPage } from "../../lib/contracts/wire/shapes/session-page.js";
import type { WireDelta, WireEvent } from "../../lib/contracts/wire/wire.js";
import { sanitize } from "../draw/sanitize.js";
import type { EffectOptions } from "../effects/effect.js";
import { followStore, whenBegun } from "../effects/follow-store.js";
import type { Message } from "../model/messages.js";
import { modelName } from "../model/session.js";
import { toElsewhere } from "../questions/messages.js";
import { inPortions } from "./deltas.js";
import { elsewhere } from "./elsewhere.js";
import { itemsIn } from "./ends.js";
import { roundIn, todoIn } from "./items.js";

interface Session {
  readonly id: string;
  readonly title: string | null;
  readonly model: string;
  readonly provider: string;
  readonly message_count?: number;
}

const SHOW_REST_MS = 40; // an undo hides many messages at once

/** Why a conversation is not shown any more: another one is. */
const ANOTHER = "another conversation is shown";

/** One conversation is shown at a time; another takes its place. */
export function switching(opening: Opening): { openOther(resume: string | undefined): void; close(): void } {
  let shown = new AbortController();
  return {
    openOther: (resume) => {
      shown.abort(ANOTHER);
      shown = new AbortController();
      const options = { ...opening.options, resume };
      const signal = AbortSignal.any([opening.signal, shown.signal]);
      opening.run("failed to open the session", async () => {
        try {
          await openSession({ ...opening, options, signal });
        } catch (error) {
          if (signal.aborted) return; // another one is shown, or none
          opening.send({ type: "opening", failed: sanitize(error instanceof Error ? error.message : String(error)) });
          throw error;
        }
      });
    },
    close: () => shown.abort(),
  };
}

/** What the shown conversation is opened with. */
export interface Opening {
  readonly options: EffectOptions;
  readonly signal: AbortSignal;
  readonly send: (message: Message) => void;
  readonly run: (what: string, work: () => Promise<void>) => void;
}

/** Begin or take up the conversation, show it, and follow it until the end. */
async function openSession({ options, signal, send, run }: Opening): Promise<void> {
  const { client, after } = options;
  const session = await client.call<Session>(
    options.resume === undefined ? "session.create" : "session.resume",
    request(options),
    {
      signal,
      repeat: true,
    },
  );
  const { message_count: messages = 0 } = session;
  if (messages > 0) send({ type: "opening", messages });
  const portions = inPortions(after, send);
  let stored = Number.NEGATIVE_INFINITY;
  const take = (delta: WireDelta) => {
    if (!comesLate(delta, stored)) portions.take(delta); // what is stored is shown whole, above the calls that it makes
  };
  const shown = { session, forget: await topicsOf(client, session.id, take) };
  const over = () => {
    shown.forget();
    portions.stop();
  };
  signal.addEventListener("abort", over, { once: true });
  // Another owner knows nothing of the command line: there it is opened as it was here before anything runs in it.
  const again = () => request({ ...options, resume: shown.session.id });
  const quiet = client.greet((call) => call("session.resume", again(), { signal }));
  signal.addEventListener("abort", quiet, { once: true });
  let due: (() => void) | undefined;
  const showAgain = () => {
    due?.();
    due = after(SHOW_REST_MS, () =>
      run("failed to read the conversation", () => showSession(client, shown.session, signal).then(send)),
    );
  };
  // Followed before it is shown: a message that was typed meanwhile is sent with the news of the session, and its arrival must be seen.
  await whenBegun(signal, (onBegin) => {
    const followed = {
      client,
      after,
      store: "sessions",
      onBegin,
      onReset: () =>
        run("failed to read the conversation", () => showSession(client, shown.session, signal).then(send)),
    };
    const on = async (event: WireEvent) => {
      if (event.session_id !== shown.session.id) {
        const counted = toElsewhere(event.session_id, event.event, event.data);
        if (counted !== undefined) send(counted);
        return run("failed to read the session", () => elsewhere(client, event, signal, send));
      }
      // Messages that went or came back change what stands in the middle: it is read again.
      if (event.event === "message.hidden" || event.event === "message.restored") return showAgain();
      portions.flush(); // what streamed comes before what is stored of it
      if (event.event === "message.added" && event.data["role"] === "assistant") stored = Date.parse(event.at);
      send({ type: "chat", event: event.event, data: dated(event) });
      const id = segmentAfter(event.event, event.data);
      if (id === undefined) return;
      shown.forget(); // the conversation goes on in another segment
      shown.session = { ...shown.session, id };
      shown.forget = await topicsOf(client, id, take);
      if (event.event === "compaction.undone") send(await showSession(client, shown.session, signal));
    };
    run("failed to follow the conversation", () => followStore(followed, signal, on));
  });
  send({ ...(await showSession(client, session, signal)), fresh: true });
  if (options.answers !== false) await attach(client, session.id, signal, send);
  // When the screen closes the owner sees that by itself.
  signal.addEventListener("abort", () => (signal.reason === ANOTHER ? detach(options, session.id) : undefined), {
    once: true,
  });
}

/** An end says when, as a page says it. */
const dated = ({ event, at, data }: WireEvent): WireEvent["data"] =>
  event === "turn.ended" ? { ...data, ended_at: at } : data;

/** From now on this front end answers questions of the session; the open ones are shown. */
export async function attach(
  client: Client,
  session: string,
  signal: AbortSignal,
  send: (message: Message) => void,
): Promise<void> {
  const { questions, yolo, ...view } = await client.call<Attached>(
    "session.attach",
    { session_id: session },
    { signal, repeat: true },
  );
  send({ type: "questions", rows: questions, yolo });
  send({ type: "view", view });
}

/** Questions of a conversation that is not shown any more are not for this screen. */
function detach({ client, log }: EffectOptions, session: string): void {
  client
    .call("session.detach", { session_id: session }, { repeat: true })
    .catch((error: unknown) => log("failed to stop following a conversation", error));
}

interface Attached {
  readonly questions: readonly Readonly<Record<string, unknown>>[];
  readonly yolo: boolean;
}

/** What happens in a session at this moment. */
const topicsOf = (client: Client, id: string, take: (delta: WireDelta) => void): Promise<() => void> =>
  client.topics([`session:${id}`], take);

type Shown = Extract<Message, { type: "session" }>;

/** The conversation as it is now, as a message for who shows it. */
export async function showSession(
  client: Client,
  { id, title, provider, model }: Session,
  signal: AbortSignal,
): Promise<Shown> {
  const page = await client.call<SessionPage>("session.page", { session_id: id, limit: 200 }, { signal, repeat: true });
  const messages = page.messages.map((message) => ({ ...message }));
  const todo = todoIn(messages);
  return {
    type: "session",
    id,
    title: title ?? "",
    model: modelName(provider, model),
    items: itemsIn(page),
    round: roundIn(messages),
    ...(page.older === null ? {} : { older: page.older }),
    ...(todo === undefined ? {} : { todo }),
  };
}

const request = ({ cwd, env, resume, asks, source = "workspace" }: EffectOptions): object => ({
  ...asks,
  source,
  cwd,
  env,
  ...(resume === undefined ? {} : { session_id: resume }),
});

/** How long leaving may take: an owner that is gone knows nothing of it anyway. */
const LEAVE_MS = 500;

/** Tell the owner that this screen has left a conversation. */
export async function leaveSession({ client, after, log }: EffectOptions, session: string): Promise<void> {
  const late = new AbortController();
  const cancel = after(LEAVE_MS, () => late.abort());
  try {
    await client.call("session.close", { session_id: session }, { signal: late.signal, repeat: true });
  } catch (error) {
    log("failed to report that the conversation was left", error);
  } finally {
    cancel();
  }
}
