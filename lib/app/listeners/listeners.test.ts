import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { AppError } from "../../base/errors.js";
import { holdListener } from "../../commands/params/hold-listener.js";
import type { ListenerKind, ListenerPlan } from "../../contracts/owner/listeners.js";
import { authority, createHttpServer, listenOn } from "../../http/listener.js";
import { createListeners } from "./listeners.js";

test("a listener is opened once: who asks for the same again is told where it is, and does not close it", async (t) => {
  const { listeners, plan } = setup(t);
  const first = await listeners.open(plan(), "command");
  const again = await listeners.open(plan({ port: first.listener.port }), "command");
  assert.deepEqual([first.already, again.already, again.listener.url], [false, true, first.listener.url]);
  await again.close();
  assert.equal(await answers(first.listener.url), true);
  await first.close();
  assert.equal(await answers(first.listener.url), false);
  assert.deepEqual(listeners.list("proxy"), []);
});

test("two that ask for the same place at the same time get one listener", async (t) => {
  const { listeners, plan, freePort } = setup(t);
  const port = await freePort();
  const both = await Promise.all([
    listeners.open(plan({ port }), "command"),
    listeners.open(plan({ port }), "command"),
  ]);
  assert.deepEqual(both.map((one) => one.already).sort(), [false, true]);
});

test("a place that serves something else is refused with the name of what holds it", async (t) => {
  const { listeners, plan } = setup(t);
  const { listener } = await listeners.open(plan({ serves: "first" }), "command");
  const { port, url } = listener;
  for (const other of [plan({ port, serves: "second" }), plan({ port, kind: "dashboard", serves: "dashboard" })]) {
    await assert.rejects(listeners.open(other, "command"), {
      code: "E_CONFLICT",
      message: `127.0.0.1:${port} is used by the proxy of first at ${url}`,
    });
  }
  await assert.rejects(listeners.open(plan({ port, host: "0.0.0.0" }), "command"), {
    code: "E_CONFLICT",
    message: /is used by the proxy of first/,
  });
});

test("a port that another program has is refused with the process that holds it", async (t) => {
  const { listeners, plan } = setup(t);
  const stranger = createHttpServer((_request, response) => response.end());
  const port = await listenOn(stranger, "127.0.0.1", 0);
  t.after(() => stranger.close());
  await assert.rejects(listeners.open(plan({ port }), "command"), (error: unknown) => {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "E_CONFIG");
    assert.match(
      error.message,
      new RegExp(`^cannot listen on 127.0.0.1:${port}: used by process ${process.pid} \\(.+\\)$`),
    );
    return true;
  });
});

test("port 0 always opens a further listener, and all that fit are closed together", async (t) => {
  const { listeners, plan } = setup(t);
  const first = await listeners.open(plan(), "command");
  const second = await listeners.open(plan(), "owner");
  assert.notEqual(first.listener.port, second.listener.port);
  assert.equal(listeners.list("proxy").length, 2);
  assert.equal(await listeners.close((one) => one.kind === "proxy"), 2);
  assert.deepEqual(await Promise.all([first.closed, second.closed]), ["closed", "closed"]);
  assert.equal(await listeners.close(() => true), 0);
});

test("an owner that stops closes every listener, says so to those who hold one, and opens none any more", async (t) => {
  const { listeners, plan } = setup(t);
  const held = await listeners.open(plan(), "command");
  await listeners.stop();
  assert.equal(await held.closed, "owner");
  assert.equal(await answers(held.listener.url), false);
  await assert.rejects(listeners.open(plan(), "command"), { code: "E_OWNER" });
});

test("a listener that cannot be opened with the owner is reported and shown, and stops nothing", async (t) => {
  const { listeners, plan, told } = setup(t);
  const { port } = (await listeners.open(plan({ serves: "first" }), "command")).listener;
  await listeners.openWithOwner("proxy", () => listeners.open(plan({ port, serves: "second" }), "owner"));
  assert.match(listeners.failure("proxy") ?? "", /is used by the proxy of first/);
  assert.equal(told.length, 1);
  assert.equal(listeners.failure("dashboard"), undefined);
});

const ENDS = [
  { how: "the caller interrupts", end: ({ interrupt }: Holding) => interrupt.abort("SIGINT"), exit: undefined },
  { how: "somebody closes it", end: ({ listeners }: Holding) => listeners.close(() => true), exit: undefined },
  { how: "the owner stops", end: ({ listeners }: Holding) => listeners.stop(), exit: "E_OWNER_LOST" },
] as const;

for (const { how, end, exit } of ENDS) {
  test(`a command holds its listener until ${how}`, async (t) => {
    const { listeners, plan } = setup(t);
    const held = await listeners.open(plan(), "command");
    const interrupt = new AbortController();
    const out: string[] = [];
    const { url } = held.listener;
    const told = { ready: `READY ${url}`, data: { url }, banner: ["how to use it"] };
    // The command reads nothing else of its context.
    const ctx = {
      json: false,
      signal: interrupt.signal,
      out: (text: string) => written(out, text),
      err: (text: string) => written(out, text),
    };
    const holding = holdListener(held, told, ctx as unknown as Parameters<typeof holdListener>[2]);
    assert.equal(await answers(url), true);
    const ended = Promise.allSettled([holding]);
    await end({ interrupt, listeners });
    const [result] = await ended;
    assert.equal(result?.status === "rejected" ? result.reason.code : undefined, exit);
    assert.equal(await answers(url), false);
    assert.deepEqual(out.slice(0, 2), [`READY ${url}\n`, "how to use it\n"]);
  });
}

interface Holding {
  readonly interrupt: AbortController;
  readonly listeners: ReturnType<typeof createListeners>;
}

async function written(out: string[], text: string): Promise<void> {
  out.push(text);
}

function setup(t: TestContext) {
  const told: string[] = [];
  const listeners = createListeners({ clock: manualClock(), told: (kind, why) => told.push(`${kind}: ${why}`) });
  t.after(() => listeners.stop());
  const freePort = async () => {
    const server = createHttpServer(() => undefined);
    const port = await listenOn(server, "127.0.0.1", 0);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    return port;
  };
  return { listeners, plan: planOf, told, freePort };
}

function planOf(wanted: { port?: number; host?: string; serves?: string; kind?: ListenerKind } = {}): ListenerPlan {
  const { port = 0, host = "127.0.0.1", serves = "first", kind = "proxy" } = wanted;
  const open = async () => {
    const server = createHttpServer((_request, response) => response.end("here"));
    const taken = await listenOn(server, host, port);
    const close = () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    return { port: taken, url: `http://${authority(host, taken)}`, close };
  };
  return { kind, serves, host, port, open };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status === 200;
  } catch {
    return false; // no one listens
  }
}
