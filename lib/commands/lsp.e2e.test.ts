import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";
import { proves } from "../../fixtures/requirements.js";
import type { Reply } from "../../fixtures/servers/model/script.js";
import type { LanguageServerStatus, ServerState } from "../contracts/owner/language-servers.js";

const write = (path: string, content: string): Reply => ({
  tool_calls: [{ name: "write_file", arguments: { path, content } }],
});
const STUB = resolve("fixtures/servers/language/stub.mjs");

/** Settings that put the stub in the place of a server. */
const stub = (id: string, log: string, ...modes: readonly string[]) =>
  `lsp:\n  install_strategy: "off"\n  servers:\n    ${id}: { command: ${JSON.stringify([process.execPath, STUB, log, ...modes])} }\n`;

test("a server that never answers costs a conversation one wait, and `lsp status` shows it until restart (C44)", async (t) => {
  proves(t, "cli.lsp", "limit.lsp-wait");
  const made = await world(t, {
    name: "scripted",
    model: {
      script: { pick: "history", replies: [write("a.lua", "a = 1\n"), write("a.lua", "a = 2\n"), { text: "done" }] },
    },
    config: stub("lua-language-server", "/dev/null", "silent"),
  });
  mkdirSync(join(made.work, ".git"));
  await made.owner();
  const ran = await made.run(["-z", "go", "--json"]);
  assert.equal(ran.code, 0, ran.err);
  const ended = ran.out.split("\n").flatMap((line) => (line.includes('"tool.ended"') ? [JSON.parse(line)] : []));
  const times = ended.map((event) => Number(event.duration_ms));
  assert.ok((times[0] ?? 0) >= 8_000, `first: ${times[0]} ms`);
  assert.ok((times[1] ?? 9_999) < 8_000, `the second did not wait: ${times[1]} ms`);
  const status = await made.json<LanguageServerStatus>("lsp", "status");
  assert.deepEqual(status.broken, [{ server: "lua-language-server", root: made.work, reason: "no answer within 8 s" }]);
  assert.match((await made.run(["lsp", "status"])).out, /^disabled: lua-language-server in .*: no answer within 8 s/m);
  assert.deepEqual(await made.json("lsp", "restart"), { stopped: 1, mended: 1 });
  assert.deepEqual((await made.json<LanguageServerStatus>("lsp", "status")).broken, []);
});

test("without an owner a conversation has its servers to itself, and they end with it", async (t) => {
  proves(t, "cli.lsp");
  const made = await world(t, {
    name: "scripted",
    model: { script: { pick: "history", replies: [write("a.py", "BAD = 1\n"), { text: "done" }] } },
    config: stub("pyright", "STUBLOG"),
  });
  mkdirSync(join(made.work, ".git"));
  writeFileSync(
    made.home.config,
    readFileSync(made.home.config, "utf8").replace("STUBLOG", join(made.home.dir, "stub.log")),
  );
  assert.equal((await made.run(["-z", "go"])).code, 0);
  assert.match(
    JSON.stringify(made.model.chats().at(-1)?.body?.messages),
    /introduced by this edit[^}]*ERROR \[1:1\] BAD = 1 \[E1\] \(stub\)/,
  );
  await made.alone();
  const which = await made.json<ServerState>("lsp", "which", "pyright");
  assert.deepEqual([which.program, which.state], [process.execPath, "installed"]);
  const listed = await made.json<readonly ServerState[]>("lsp", "list", "--installed-only");
  assert.ok(listed.some(({ id }) => id === "pyright"));
  const refused = await made.run(["lsp", "install", "intelephense", "--json"]);
  assert.deepEqual([refused.code, JSON.parse(refused.out).error.code], [3, "E_DENIED"]);
  const unknown = await made.run(["lsp", "which", "nonsense"]);
  assert.deepEqual([unknown.code, unknown.err.includes("agent lsp list")], [1, true]);
});
