import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { createEventLog } from "../../fixtures/sim/event-log.js";
import { systemClock } from "../base/clock.js";
import { layout } from "../base/home.js";
import { randomIds } from "../base/ids.js";
import { silentLog } from "../base/log.js";
import { createBus } from "./bus.js";
import { connect } from "./client.js";
import { localConnection } from "./local.js";
import { defineMethod, type Method, type Run } from "./methods.js";
import { createBackplane } from "./server.js";

const CLIENT = { kind: "test", version: "0" };

test("a request gets the result of its method, over the socket and inside the process", async (t) => {
  const { home, server } = await setup(t);
  for (const client of [await mustConnect(home), await localConnection(server, CLIENT)]) {
    assert.deepEqual(await client.call("echo", { text: "hi" }), { text: "hi", key: null });
    client.close();
  }
});

test("the socket and its directory belong to this user alone", async (t) => {
  const { home } = await setup(t);
  assert.equal(statSync(home.runDir).mode & 0o777, 0o700);
  assert.equal(statSync(home.socket).mode & 0o777, 0o600);
});

test("a run streams its output and gives its exit code", async (t) => {
  const { home } = await setup(t);
  const client = await mustConnect(home);
  const out: string[] = [];
  const exit = await client.run(
    { argv: ["x", "y"], cwd: "/", env: {}, columns: 80, color: false, is_tty: false },
    {
      out: async (text) => {
        out.push(text);
      },
      err: async (text) => {
        out.push(`!${text}`);
      },
      stdin: async function* () {
        yield "in";
        yield "put";
      },
    },
  );
  assert.equal(exit, 7);
  assert.deepEqual(out, ["x y", "!warned", "input"]);
  client.close();
});

test("a subscription gives what was missed and then what happens", async (t) => {
  const { home, log } = await setup(t);
  log.emit({ kind: "one" }, { kind: "two" });
  const client = await mustConnect(home);
  const control = new AbortController();
  const seen: number[] = [];
  for await (const item of client.subscribe("board:x", { after: 1, signal: control.signal })) {
    if (item.kind === "events") seen.push(...item.events.map((event) => event.seq ?? 0));
    if (seen.length === 1) log.emit({ kind: "three" });
    if (seen.length === 2) control.abort();
  }
  assert.deepEqual(seen, [2, 3]);
  client.close();
});

async function mustConnect(home: ReturnType<typeof layout>) {
  const client = await connect(home, CLIENT);
  assert.ok(client);
  return client;
}

const run: Run = async (request, io) => {
  await io.out(request.argv.join(" "));
  await io.err("warned");
  await io.out(await io.stdin(100));
  return { exit: 7 };
};

async function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "agent-bp-"));
  const home = layout(dir);
  const bus = createBus();
  const log = createEventLog("board:x");
  bus.addStore(log);
  const methods = new Map<string, Method>([
    [
      "echo",
      defineMethod({
        params: z.object({ text: z.string() }),
        access: "write",
        run: async ({ text }, _client, { key }) => ({ text, key: key ?? null }),
      }),
    ],
  ]);
  const server = createBackplane({ home, version: "1", methods, run, clock: systemClock, ids: randomIds, log: silentLog, bus });
  await server.start();
  t.after(async () => {
    await server.stop(100);
    rmSync(dir, { recursive: true, force: true });
  });
  return { home, server, bus, log };
}
