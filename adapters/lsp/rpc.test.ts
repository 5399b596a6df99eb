import assert from "node:assert/strict";
import { test } from "node:test";
import type { Child, Exit } from "../../lib/base/process/spawn.js";
import { systemClock } from "../../lib/base/time/clock.js";
import { encodeFrame } from "./framing.js";
import { connectRpc } from "./rpc.js";

/** A server in name only: what it says and when it ends is up to the test. */
function server() {
  let end: (exit: Exit) => void = () => undefined;
  let listen: Parameters<Child["onOutput"]>[0] = () => undefined;
  const exited = new Promise<Exit>((resolve) => {
    end = resolve;
  });
  const child: Child = {
    pid: 0,
    id: { pid: 0, start: "", boot: "" },
    exited,
    closed: Promise.resolve(),
    outputEnded: new Promise(() => undefined),
    onOutput: (listener) => {
      listen = listener;
    },
    write: () => true,
    closeInput: () => undefined,
    unref: () => undefined,
  };
  const rpc = connectRpc(child, systemClock, {
    answer: (_method, params) => String(params),
    notified: () => undefined,
  });
  const say = (message: Readonly<Record<string, unknown>>) => listen(encodeFrame(message), "stdout");
  return { rpc, say, end, exited };
}

test("who asks for the end of a server that has ended already is told, so that it is not kept as a living one", async () => {
  const { rpc, end, exited } = server();
  end({ code: 3, signal: null });
  await exited;
  const reasons: string[] = [];
  rpc.onEnd((reason) => reasons.push(reason));
  assert.deepEqual(reasons, ["it ended with exit code 3"]);
  await assert.rejects(rpc.request("initialize", {}, 1_000), /it ended with exit code 3/);
});

test("a refusal whose reason is no text is a refusal anyway", async () => {
  const { rpc, say } = server();
  const asked = rpc.request("initialize", {}, 1_000);
  say({ id: 1, error: { code: 1, message: { toString: 5 } } });
  await assert.rejects(asked, /said no and not why/);
  assert.equal(rpc.open, true);
});

test("a message that cannot be taken in ends the connection and nothing else", async () => {
  const { rpc, say } = server();
  const asked = rpc.request("initialize", {}, 1_000);
  say({ id: 1, method: "x", params: { toString: 5 } });
  await assert.rejects(asked, /cannot be taken in/);
  assert.equal(rpc.open, false);
});
