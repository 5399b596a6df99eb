import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type DashboardWorld, dashboardWorld } from "../../../../fixtures/dashboard/world.js";
import { start } from "../../../../fixtures/e2e/process.js";

/** The client of the help topic, as it is printed. */
const CLIENT = /```js\n([\s\S]*?)```/.exec(readFileSync("lib/help/topics/protocol.md", "utf8"))?.[1] ?? "";

/** Passes on to a dashboard, and cuts the connection that carries `word` to the client, once: before it arrives, or directly after. */
async function cutAt(t: TestContext, { url }: DashboardWorld, word: string, when: "before" | "after") {
  const state = { cuts: 0, port: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        near.destroy();
        far.destroy();
      });
    }
    near.on("data", (chunk) => far.write(chunk));
    let before = ""; // the word may come in two pieces
    far.on("data", (chunk: Buffer) => {
      const seen = before + chunk.toString("latin1");
      before = seen.slice(1 - word.length);
      if (state.cuts > 0 || !seen.includes(word)) return near.write(chunk);
      state.cuts += 1;
      if (when === "before") return near.destroy();
      return near.write(chunk, () => near.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return Object.assign(state, { port: address.port });
}

for (const when of ["before", "after"] as const) {
  test(`the client of agent help protocol resumes after a cut ${when} it was asked for approval`, async (t) => {
    assert.ok(CLIENT.split("\n").length < 65, "it fits on a screen");
    const world = await dashboardWorld(t, {
      script: [{ tool_calls: [{ name: "terminal", arguments: { command: "rm -rf ./build" } }] }, { text: "all done" }],
    });
    const way = await cutAt(t, world, "approval.requested", when);
    const file = join(world.work, "client.mjs");
    writeFileSync(file, CLIENT);
    const args = [
      "--experimental-websocket",
      "--no-warnings",
      file,
      `http://127.0.0.1:${way.port}/`,
      world.token,
      world.work,
      "clean up",
    ];
    const { code, out, err } = await start(process.execPath, args, { cwd: world.work, env: {} }).ended;
    assert.deepEqual([code, out, way.cuts], [0, "all done\n", 1], err);
    const [session] = await world.app.chat.list({ limit: 5 });
    assert.ok(session);
    const said = await world.app.chat.messages(session.id, { limit: 10 });
    assert.equal(said.filter(({ role }) => role === "user").length, 1, "the turn was submitted once");
  });
}
