import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../lib/backplane/client.js";
import type { Message } from "../messages.js";
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
    ...{ client: { call } as unknown as Client, cwd: "/", env: {}, resume: undefined, asks: {}, version: "1" }, // nothing else of it is reached
    ...{ after: () => () => undefined, log: () => undefined },
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
