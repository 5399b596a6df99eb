import type { Client } from "../lib/backplane/client.js";
import { randomIds } from "../lib/base/ids.js";
import { segmentAfter } from "../lib/proto/compaction-lines.js";
import type { SlashAnswer } from "../lib/proto/slash.js";
import type { WireDelta, WireEvent } from "../lib/proto/wire.js";
import { loadBoard } from "./board-feed.js";
import { parseLogLine, toItems } from "./convert.js";
import type { After } from "./decode.js";
import { createFollower } from "./follow-command.js";
import type { Effect, Message } from "./messages.js";

/** What keeps the state fed from the owner, and carries out what the state asks of it. */
export interface Feeds {
  start(): void;
  perform(effect: Effect, session: string | undefined): void;
  /** Tell the owner that this screen has left a conversation; waits for a moment only. */
  leave(session: string): Promise<void>;
  stop(): Promise<void>;
}

export interface FeedOptions {
  readonly client: Client;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly resume: string | undefined;
  /** Of a new conversation: without SOUL.md and the standing instructions of the project. */
  readonly ignoreRules: boolean;
  readonly after: (ms: number, fn: () => void) => () => void;
  readonly log: (message: string, error: unknown) => void;
}

interface Session {
  readonly id: string;
  readonly title: string | null;
  readonly model: string;
  readonly provider: string;
}

const BOARD_REST_MS = 40; // changes that come together are read together
const SHOW_REST_MS = 40; // an undo hides many messages at once
const RETRY_MS = 400; // a board made by somebody else is seen within a second

export function createFeeds(options: FeedOptions, send: (message: Message) => void): Feeds {
  const { client } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = new Set<Promise<void>>();
  let boardDue: (() => void) | undefined;

  const run = (what: string, work: () => Promise<void>) => {
    const mine: Promise<void> = work()
      .catch((error: unknown) => {
        if (signal.aborted) return;
        options.log(what, error);
        send({ type: "say", text: `${what}: ${error instanceof Error ? error.message : String(error)}`, error: true });
      })
      .finally(() => running.delete(mine));
    running.add(mine);
  };
  const follower = createFollower(options, send);
  let shown = new AbortController();
  /** Show another conversation in place of the one that is shown. */
  const openOther = (resume: string | undefined) => {
    shown.abort();
    shown = new AbortController();
    const own = AbortSignal.any([signal, shown.signal]);
    run("the session could not be opened", () => openSession({ options: { ...options, resume }, signal: own, send, run }));
  };
  const command = async ({ text, id }: Typed, session: string | undefined) => {
    const { text: told, exit, follow, next } = await answerOf(options, { text, session }, signal);
    send({ type: "command", id, text: told, failed: exit !== 0 });
    if (next?.open !== undefined) openOther(next.open);
    if (next !== undefined) send({ type: "next", next });
    if (follow) await follower.begin(id, follow);
  };
  const reloadBoard = () => {
    boardDue?.();
    boardDue = options.after(BOARD_REST_MS, () => run("the board could not be read", async () => send(await loadBoard(client, signal))));
  };
  return {
    start: () => {
      client.onClose(() => send({ type: "connection", state: "lost" }));
      client.onConnect(() => send({ type: "connection", state: "connected" }));
      openOther(options.resume);
      reloadBoard();
      run("the board could not be followed", () =>
        followStore(
          { client, after: options.after, store: "board:default", onBegin: reloadBoard, onReset: reloadBoard },
          signal,
          async () => reloadBoard(),
        ),
      );
      run("the log could not be followed", () => followLog(client, signal, send));
    },
    perform: (effect, session) => {
      if (effect.do === "reload") reloadBoard();
      if (effect.do === "command") run("the command was not taken", () => command(effect, session));
      if (effect.do === "unfollow") follower.stop();
      if (session === undefined) return;
      if (effect.do === "attach") run("the open questions could not be read", () => attach(client, session, signal, send));
      if (effect.do === "answer") run("the answer was not taken", () => answer(client, effect, signal));
      if (effect.do === "touch")
        run("the question could not be held", () =>
          client.call("question.touch", { request: effect.request }, { signal }).then(() => undefined),
        );
      if (effect.do === "submit") run("the message was not taken", () => submit(client, session, effect.text, signal));
      if (effect.do === "interrupt")
        run("the turn could not be interrupted", () =>
          client.call("turn.interrupt", { session_id: session, force: effect.force }, { signal }).then(() => undefined),
        );
    },
    leave: (session) => left(options, session),
    stop: async () => {
      follower.stop();
      shown.abort();
      stopped.abort();
      boardDue?.();
      await Promise.all(running);
    },
  };
}

interface Opening {
  readonly options: FeedOptions;
  readonly signal: AbortSignal;
  readonly send: (message: Message) => void;
  readonly run: (what: string, work: () => Promise<void>) => void;
}

/** Begin or take up the conversation, show it, and follow it until the end. */
async function openSession({ options, signal, send, run }: Opening): Promise<void> {
  const { client, after } = options;
  const session = await client.call<Session>(options.resume === undefined ? "session.create" : "session.resume", request(options), {
    signal,
    repeat: true,
  });
  const shown = { session, forget: await topicsOf(client, session.id, send) };
  signal.addEventListener("abort", () => shown.forget(), { once: true });
  let due: (() => void) | undefined;
  const showAgain = () => {
    due?.();
    due = after(SHOW_REST_MS, () => run("the conversation could not be read", () => show(client, shown.session, signal).then(send)));
  };
  // Followed before it is shown: a message that was typed meanwhile is sent with the news of the session, and its arrival must be seen.
  await begun(signal, (onBegin) => {
    const followed = {
      client,
      after,
      store: "sessions",
      onBegin,
      onReset: () => run("the conversation could not be read", () => show(client, shown.session, signal).then(send)),
    };
    const on = async (event: WireEvent) => {
      if (event.session_id !== shown.session.id) return;
      // Messages that went or came back change what stands in the middle: it is read anew.
      if (event.event === "message.hidden" || event.event === "message.restored") return showAgain();
      send({ type: "chat", event: event.event, data: event.data });
      const id = segmentAfter(event.event, event.data);
      if (id === undefined) return;
      shown.forget(); // the conversation goes on in another segment
      shown.session = { ...shown.session, id };
      shown.forget = await topicsOf(client, id, send);
      if (event.event === "compaction.undone") send(await show(client, shown.session, signal));
    };
    run("the conversation could not be followed", () => followStore(followed, signal, on));
  });
  send(await show(client, session, signal));
  await attach(client, session.id, signal, send);
}

/** From now on this front end answers questions of the session; the open ones are shown. */
async function attach(client: Client, session: string, signal: AbortSignal, send: (message: Message) => void): Promise<void> {
  const { questions, yolo } = await client.call<Attached>("session.attach", { session_id: session }, { signal, repeat: true });
  send({ type: "questions", rows: questions, yolo });
}

interface Attached {
  readonly questions: readonly Readonly<Record<string, unknown>>[];
  readonly yolo: boolean;
}

/** Nothing of a hidden value is kept here. */
async function answer(client: Client, given: Extract<Effect, { do: "answer" }>, signal: AbortSignal): Promise<void> {
  const { request, kind, answer: value, text } = given;
  const hidden = kind === "password" || kind === "secret";
  const params = hidden ? { request, value } : { request, answer: value, ...(text === undefined ? {} : { text }) };
  await client.call(`${kind}.respond`, params, { signal });
}

/** What happens in a session at this moment. */
const topicsOf = (client: Client, id: string, send: (message: Message) => void): Promise<() => void> =>
  client.topics([`session:${id}`], (delta: WireDelta) => send({ type: "chat", event: delta.event, data: delta.data }));

/** The conversation as it is now. */
async function show(client: Client, { id, title, provider, model }: Session, signal: AbortSignal): Promise<Message> {
  const asked = { session_id: id, limit: 200 };
  const messages = await client.call<readonly Record<string, unknown>[]>("session.messages", asked, { signal, repeat: true });
  const name = provider === "" || provider === "custom" ? model : `${provider} ${model}`;
  return { type: "session", id, title: title ?? "", model: name.trim(), items: toItems(messages) };
}

function request({ cwd, env, resume, ignoreRules }: FeedOptions): object {
  return { source: "workspace", cwd, env, ignore_rules: ignoreRules, ...(resume === undefined ? {} : { session_id: resume }) };
}

/** Of this process; a process number alone comes again after a restart of the machine. */
const own = randomIds.hex(8);
let submits = 0;

/** How long leaving may take: an owner that is gone knows nothing of it anyway. */
const LEAVE_MS = 500;

async function left({ client, after, log }: FeedOptions, session: string): Promise<void> {
  const late = new AbortController();
  const cancel = after(LEAVE_MS, () => late.abort());
  try {
    await client.call("session.close", { session_id: session }, { signal: late.signal, repeat: true });
  } catch (error) {
    log("the owner was not told that the conversation was left", error);
  } finally {
    cancel();
  }
}

/** The key makes a message that is sent again after a lost connection one message. */
async function submit(client: Client, session: string, text: string, signal: AbortSignal): Promise<void> {
  submits += 1;
  await client.call("turn.submit", { session_id: session, text }, { signal, key: `ws-${own}-${submits}` });
}

/** What the command could not say itself is its answer, too. */
async function answerOf(
  { client, cwd, env }: FeedOptions,
  { text, session }: { readonly text: string; readonly session: string | undefined },
  signal: AbortSignal,
): Promise<Told> {
  submits += 1;
  try {
    return await client.call<Told>(
      "command.run",
      { text, cwd, env, follows: true, ...(session === undefined ? {} : { session_id: session }) },
      { signal, key: `ws-${own}-${submits}` },
    );
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), exit: 1 };
  }
}

type Typed = Extract<Effect, { do: "command" }>;
type Told = Pick<SlashAnswer, "text" | "exit" | "follow" | "next">;

async function followLog(client: Client, signal: AbortSignal, send: (message: Message) => void): Promise<void> {
  const { lines } = await client.call<{ lines: readonly string[] }>("log.tail", {}, { signal, repeat: true });
  send({ type: "log", rows: lines.map(parseLogLine) });
  await client.topics(["logs"], (delta) => send({ type: "log", rows: [parseLogLine(String(delta.data["line"] ?? ""))] }));
}

/** Resolves when what `follow` starts has begun, or never will. */
function begun(signal: AbortSignal, follow: (onBegin: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    follow(resolve);
  });
}

interface Followed {
  readonly client: Client;
  readonly after: After;
  readonly store: string;
  readonly onBegin?: () => void;
  /** Events are missing: what is shown has to be read anew. */
  readonly onReset: () => void;
}

async function followStore(followed: Followed, signal: AbortSignal, on: (event: WireEvent) => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    try {
      await drain(followed, signal, on);
    } catch (error) {
      if (signal.aborted) return;
      if (!isMissing(error)) throw error; // a board that nobody has made yet is looked for again
    }
    await new Promise<void>((resolve) => followed.after(RETRY_MS, resolve));
  }
}

async function drain(
  { client, store, onBegin, onReset }: Followed,
  signal: AbortSignal,
  on: (event: WireEvent) => Promise<void>,
): Promise<void> {
  for await (const item of client.subscribe(store, { signal, onBegin })) {
    if (item.kind === "reset") onReset();
    for (const event of item.kind === "events" ? item.events : []) await on(event);
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "E_NOT_FOUND";
