import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../lib/backplane/client.js";
import type { WireDelta, WireEvent } from "../../lib/contracts/wire/wire.js";
import type { Message } from "../model/messages.js";
import { switching } from "./open-session.js";

test("a conversation that another one takes the place of while it is opened is no failure", async () => {
  const sent: Message[] = [];
  const failed: unknown[] = [];
  const running: Promise<unknown>[] = [];
  // It never answers; what waits is given up by its signal.
  const call = (_method: string, _params: object, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const options = {
    client: { call } as unknown as Client,
    cwd: "/",
    env: {},
    resume: undefined,
    asks: {},
    version: "1", // nothing else of it is reached
    after: () => () => undefined,
    log: () => undefined,
  };
  const { openOther, close } = switching({
    options,
    signal: new AbortController().signal,
    send: (message) => void sent.push(message),
    run: (_what, work) => void running.push(work().catch((error: unknown) => failed.push(error))),
  });
  openOther("one");
  openOther("two");
  close();
  await Promise.all(running);
  assert.deepEqual([sent, failed], [[], []]);
});

test("pieces of an answer that come after it was stored are not shown below its calls", async () => {
  const sent: Message[] = [];
  const failed: unknown[] = [];
  let piece: (delta: WireDelta) => void = () => undefined;
  let tell: (event: WireEvent) => void = () => undefined;
  const at = (ms: number) => new Date(1_000_000 + ms).toISOString();
  const said = new Promise<WireEvent>((resolve) => {
    tell = resolve;
  });
  const client = {
    call: async (method: string) =>
      method === "session.page" ? { messages: [], older: null } : { id: "s", title: null, model: "m", provider: "p" },
    topics: async (_topics: readonly string[], take: typeof piece) => {
      piece = take;
      return () => undefined;
    },
    greet: () => () => undefined,
    subscribe: async function* (_store: string, { onBegin }: { onBegin?: () => void }) {
      onBegin?.();
      yield { kind: "events", events: [await said] };
    },
  } as unknown as Client; // nothing else of it is reached
  const all = new AbortController();
  let opened: () => void = () => undefined;
  let shown: () => void = () => undefined;
  const open = new Promise<void>((resolve) => {
    opened = resolve;
  });
  const stored = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const { openOther, close } = switching({
    options: {
      client,
      cwd: "/",
      env: {},
      resume: undefined,
      asks: {},
      version: "1",
      answers: false,
      after: () => () => undefined,
      log: () => undefined,
    },
    signal: all.signal,
    send: (message) => {
      sent.push(message);
      if (message.type === "session") opened();
      if (message.type === "chat" && message.event === "message.added") shown();
    },
    run: (_what, work) => void work().catch((error: unknown) => failed.push(error)),
  });
  const delta = (event: string, ms: number, data: WireDelta["data"]) =>
    piece({ topic: "session:s", event, at: at(ms), data });
  openOther(undefined);
  await open;
  tell({ event: "message.added", session_id: "s", at: at(10), data: { id: 1, role: "assistant", content: "First." } });
  await stored;
  delta("text.delta", 9, { text: "First.", offset: 0 });
  delta("tool.generating", 10, { name: "terminal" });
  delta("tool.progress", 10, { call_id: "c", text: "a line" });
  delta("text.delta", 20, { text: "Second.", offset: 0 });
  delta("turn.phase", 21, { phase: "tool" });
  const told = sent.flatMap((message) =>
    message.type === "chat" ? [[message.event, message.data["text"] ?? message.data["content"]]] : [],
  );
  assert.deepEqual(told, [
    ["message.added", "First."],
    ["tool.progress", "a line"],
    ["text.delta", "Second."],
    ["turn.phase", undefined],
  ]);
  close();
  all.abort();
  assert.deepEqual(failed, []);
});
