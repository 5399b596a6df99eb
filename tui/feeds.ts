import type { Client } from "../lib/backplane/client.js";
import { randomIds } from "../lib/base/ids.js";
import type { SlashAnswer } from "../lib/proto/slash.js";
import { loadBoard } from "./board-feed.js";
import { parseLogLine } from "./convert.js";
import { createFollower } from "./follow-command.js";
import { followStore } from "./follow-store.js";
import type { Effect, Message } from "./messages.js";
import { attach, type FeedOptions, leaveSession, switching } from "./session-feed.js";

/** What keeps the state fed from the owner, and carries out what the state asks of it. */
export interface Feeds {
  start(): void;
  perform(effect: Effect, session: string | undefined): void;
  /** Tell the owner that this screen has left a conversation; waits for a moment only. */
  leave(session: string): Promise<void>;
  stop(): Promise<void>;
}

const BOARD_REST_MS = 40; // changes that come together are read together

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
  const told = (method: string, params: object) => client.call(method, params, { signal }).then(() => undefined);
  const follower = createFollower(options, send);
  const { openOther, close } = switching({ options, signal, send, run });
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
      if (effect.do === "touch") run("the question could not be held", () => told("question.touch", { request: effect.request }));
      if (effect.do === "submit") run("the message was not taken", () => submit(client, session, effect.text, { signal, send }));
      if (effect.do === "sendNext") run("the queue could not go on", () => told("queue.send_now", { session_id: session }));
      if (effect.do === "interrupt")
        run("the turn could not be interrupted", () => told("turn.interrupt", { session_id: session, force: effect.force }));
    },
    leave: (session) => leaveSession(options, session),
    stop: async () => {
      follower.stop();
      close();
      stopped.abort();
      boardDue?.();
      await Promise.all(running);
    },
  };
}

/** Of this process; a process number alone comes again after a restart of the machine. */
const own = randomIds.hex(8);
let submits = 0;

/** The key makes a message that is sent again after a lost connection one message. */
async function submit(client: Client, session: string, text: string, { signal, send }: Sending): Promise<void> {
  submits += 1;
  let ok = false;
  try {
    await client.call("turn.submit", { session_id: session, text }, { signal, key: `ws-${own}-${submits}` });
    ok = true;
  } finally {
    send({ type: "sent", ok });
  }
}

interface Sending {
  readonly signal: AbortSignal;
  readonly send: (message: Message) => void;
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

/** Nothing of a hidden value is kept here. */
async function answer(client: Client, given: Extract<Effect, { do: "answer" }>, signal: AbortSignal): Promise<void> {
  const { request, kind, answer: value, text } = given;
  const hidden = kind === "password" || kind === "secret";
  const params = hidden ? { request, value } : { request, answer: value, ...(text === undefined ? {} : { text }) };
  await client.call(`${kind}.respond`, params, { signal });
}

async function followLog(client: Client, signal: AbortSignal, send: (message: Message) => void): Promise<void> {
  const { lines } = await client.call<{ lines: readonly string[] }>("log.tail", {}, { signal, repeat: true });
  send({ type: "log", rows: lines.map(parseLogLine) });
  await client.topics(["logs"], (delta) => send({ type: "log", rows: [parseLogLine(String(delta.data["line"] ?? ""))] }));
}
