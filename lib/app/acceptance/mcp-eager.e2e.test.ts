import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { world } from "../../../fixtures/e2e/world.js";
import { installed } from "../../../fixtures/mcp/world.js";
import { roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";

interface Status {
  readonly servers: readonly { readonly name: string; readonly state: string; readonly tools: number }[];
}

const script: ScriptProgram = (request) =>
  roundOf(request) === 0
    ? { tool_calls: [{ name: "mcp_every_get_env", arguments: {} }] }
    : { text: `It said ${String(request.messages.at(-1)?.content)}` };

test("MC7: a variable in env and headers arrives expanded, and mcp status shows a server with start: eager ready before anyone calls it, another that is known idle", async (t) => {
  const heard: (string | undefined)[] = [];
  const web = createServer((request, response) => {
    heard.push(request.headers["x-key"]?.toString());
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  t.after(() => web.close());
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/mcp`; // it listens on TCP
  const servers = {
    every: { ...installed("everything", "stdio"), env: { GREETING: `\${GREET}, world` }, start: "eager" },
    lazy: { ...installed("everything", "stdio") },
    web: { url, headers: { "X-Key": `key-\${GREET}` } },
  };
  const made = await world(t, {
    config: `  context_length: 128000\nmcp_servers: ${JSON.stringify(servers)}\nmcp: {initial_wait_seconds: 60}\n`,
    model: { script },
    name: "any",
  });
  const env = { GREET: "hello" };
  const owner = made.start(["--headless"], { env });
  const status = async (wanted = "every") => {
    const { out } = await made.run(["mcp", "status", "--json"], { env });
    const { servers: all = [] } = JSON.parse(out) as Partial<Status>; // the command says so
    return all.find(({ name }) => name === wanted);
  };
  await eventually(async () => (await status())?.state === "ready");
  assert.ok(((await status())?.tools ?? 0) > 5);
  const tried = await made.run(["mcp", "test", "web"], { env });
  assert.equal(tried.code, 1);
  assert.ok(heard.length > 0 && heard.every((key) => key === "key-hello"), heard.join());
  const said = await made.run(["-z", "look", "--yolo"], { env });
  assert.match(said.out, /GREETING.*hello, world/, said.err);
  await owner.end("SIGINT");
  const again = made.start(["--headless"], { env });
  await eventually(async () => (await status())?.state === "ready");
  assert.equal((await status("lazy"))?.state, "idle");
  await again.end("SIGINT");
});
