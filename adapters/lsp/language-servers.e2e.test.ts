import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { type ManualClock, manualClock } from "../../fixtures/ports/clock.js";
import { proves } from "../../fixtures/requirements.js";
import { type LanguageWorld, languageWorld, stubWorld } from "../../fixtures/servers/language/world.js";
import type { Child } from "../../lib/base/process/spawn.js";
import { systemSpawner } from "../../lib/base/process/spawn-system.js";

const title = "LSP diagnostics introduced by this edit:";
const never = new AbortController().signal;
const methods = (world: LanguageWorld) => world.heard().map(({ method }) => method);
const starts = (world: LanguageWorld) => methods(world).filter((method) => method === "initialize").length;
const status = (world: LanguageWorld) => world.servers.status({ env: world.env, signal: never });
const paramsOf = (world: LanguageWorld, method: string) =>
  world.heard().flatMap((one) => (one.method === method ? [one.params] : []));

test("an edit tells the error that it introduced, not the older one that it moved", async (t) => {
  proves(t, "config.lsp.per-server");
  const world = stubWorld(t, []);
  const path = world.put("a.py", "one\nBAD old\nthree\n");
  const told = await world.edit("a.py", "zero\nhalf\none\nBAD old\nthree\n  BAD new\n");
  assert.equal(told, `${title}\n<diagnostics file="${path}">\nERROR [6:1] BAD new [E1] (stub)\n</diagnostics>`);
});

test("an edit without a new error tells nothing, and the next one of the same file waits for no baseline", async (t) => {
  const world = stubWorld(t, []);
  world.put("a.py", "BAD old\n");
  assert.equal(await world.edit("a.py", "BAD old\nfine\n"), undefined);
  assert.equal(await world.edit("a.py", "BAD old\nfine\nWARN only\n"), undefined);
  assert.match(String(await world.edit("a.py", "BAD old\nfine\nWARN only\nBAD two\n")), /ERROR \[4:1\] BAD two/);
  const one = ["workspace/didChangeWatchedFiles", "textDocument/didChange", "textDocument/didSave"];
  const all = ["initialize", "initialized", "workspace/didChangeWatchedFiles", "textDocument/didOpen"];
  all.push(...one, ...one, ...one);
  await eventually(() => methods(world).length >= all.length); // the server answers a change before it reads what follows
  assert.deepEqual(methods(world), all);
});

test("a file that others changed meanwhile gets a new baseline", async (t) => {
  const world = stubWorld(t, []);
  world.put("a.py", "x\n");
  await world.edit("a.py", "y\n");
  world.put("a.py", "y\nBAD by somebody else\n");
  assert.match(
    String(await world.edit("a.py", "y\nBAD by somebody else\nBAD mine\n")),
    /^(?!.*somebody)[\s\S]*BAD mine/,
  );
});

test("a new file is opened, a deleted one is closed, and the server learns of both", async (t) => {
  const world = stubWorld(t, []);
  assert.match(String(await world.edit("new.py", "BAD new\n")), /BAD new/);
  assert.equal(await world.edit("new.py", undefined), undefined);
  await world.edit("other.py", "x\n"); // what is told before it was read before
  const types = paramsOf(world, "workspace/didChangeWatchedFiles").map((params) =>
    JSON.stringify(params).replace(/.*"type":(\d).*/, "$1"),
  );
  assert.deepEqual(types, ["1", "3", "1"]);
  assert.ok(methods(world).includes("textDocument/didClose"));
});

const ways: [title: string, modes: readonly string[]][] = [
  ["that pushes for an older version first", ["stale"]],
  ["whose first push is followed by a better one", ["hesitant"]],
  ["that is asked", ["pull"]],
  ["that is asked and wants to be asked again", ["pull", "modified=1"]],
  ["that says only later that it can be asked", ["register"]],
  ["that takes changes", ["incremental", "texts"]],
];

/** How long pushes must be silent (core part, 19.1). */
const SETTLE_MS = 150;

/** Answers that the stub got to its own requests. */
const answers = (world: LanguageWorld) =>
  world.heard().filter(({ id, method }) => method === undefined && String(id).startsWith("s"));

/** Lets the silence after the pushes for each of `versions` pass when the better push is there, however late it comes. */
async function passSilences(world: LanguageWorld, clock: ManualClock, versions: number): Promise<void> {
  for (let version = 1; version <= versions; version++) {
    await eventually(() => answers(world).length >= version); // the stub asks behind its better push
    await clock.waitsFor(SETTLE_MS);
    clock.advance(SETTLE_MS);
  }
}

for (const [way, modes] of ways) {
  test(`a server ${way} tells the new error`, async (t) => {
    const clock = manualClock();
    const world = stubWorld(t, modes, modes.includes("hesitant") ? { clock } : {});
    world.put("a.py", "BAD old\n\nlast line");
    const edit = world.edit("a.py", "BAD old\nBAD new\nlast line");
    if (modes.includes("hesitant")) await passSilences(world, clock, 2);
    const told = await edit;
    assert.match(
      String(told),
      /^LSP[^\n]*\n<diagnostics[^\n]*\nERROR \[2:1\] BAD new \[E1\] \(stub\)\n<\/diagnostics>$/,
    );
    if (!modes.includes("incremental")) return;
    const range = { start: { line: 0, character: 0 }, end: { line: 2, character: 9 } };
    const { contentChanges } = paramsOf(world, "textDocument/didChange")[0] as { contentChanges: unknown[] }; // that is what the stub takes
    assert.deepEqual(contentChanges, [{ range, text: "BAD old\nBAD new\nlast line" }]);
    await eventually(() => methods(world).includes("textDocument/didSave"));
    assert.equal(Reflect.get(paramsOf(world, "textDocument/didSave")[0] ?? {}, "text"), "BAD old\nBAD new\nlast line");
  });
}

for (const [mode, files] of [
  ["document", ["b.py"]],
  ["full", ["b.py", "a.py"]],
] as const) {
  test(`wait mode ${mode} tells the errors of ${files.join(" and ")}`, async (t) => {
    proves(t, "config.lsp.enabled");
    const world = stubWorld(t, ["pull", "cross"], { config: { "lsp.wait_mode": mode } });
    await world.edit("a.py", "x\n");
    const told = String(await world.edit("b.py", "SPOIL\nBAD\n"));
    assert.deepEqual(
      [...told.matchAll(/<diagnostics file="[^"]*\/([^"]*)">/g)].map(([, name]) => name),
      files,
    );
  });
}

test("requests of the server are answered, unknown ones with an error", async (t) => {
  const world = stubWorld(t, ["asks"]);
  await world.edit("a.py", "x\n");
  await eventually(() => answers(world).length >= 5); // they were sent before the diagnostics, and may be read after them
  assert.deepEqual(
    answers(world).map(({ result, error }) => result ?? error ?? null),
    [
      null,
      [7, null],
      [{ uri: `file://${world.project}`, name: "project" }],
      null,
      { code: -32601, message: "window/showMessageRequest is not supported" },
    ],
  );
});

test("at most 20 errors of a file are reported, the rest is counted", async (t) => {
  proves(t, "limit.diagnostics");
  const world = stubWorld(t, []);
  const lines = Array.from({ length: 27 }, (_, index) => `BAD ${index}`);
  const told = String(await world.edit("a.py", ["WARN w", ...lines].join("\n")));
  assert.equal(told.split("\n").filter((line) => line.startsWith("ERROR")).length, 20);
  assert.match(told, /\n\.\.\. and 7 more\n<\/diagnostics>$/);
  assert.ok(!told.includes("WARN"));
});

test("what is told is at most 4000 characters long", async (t) => {
  proves(t, "limit.diagnostics");
  const world = stubWorld(t, []);
  const told = String(
    await world.edit("a.py", Array.from({ length: 20 }, (_, index) => `BAD ${index} ${"x".repeat(900)}`).join("\n")),
  );
  assert.ok(told.length <= 4_000, String(told.length));
  assert.match(told, /\n\.\.\. and \d+ more\n<\/diagnostics>$/);
});

const broken: [title: string, modes: readonly string[], reason: RegExp][] = [
  ["ends at once", ["crash"], /exit code 3/],
  ["ends after a change", ["crash-later"], /exit code 4/],
  ["writes text in place of messages", ["garbage"], /without Content-Length/],
  ["writes an endless header", ["header"], /8192 bytes/],
  ["writes a header that is not ASCII", ["binary"], /ASCII/],
  ["floods", ["flood"], /nobody asked for/],
];

for (const [what, modes, reason] of broken) {
  test(`a server that ${what} is left alone, and writes go on`, async (t) => {
    proves(t, "editing.lsp-fallback");
    const world = stubWorld(t, modes);
    world.put("a.py", "x\n");
    assert.equal(await world.edit("a.py", "BAD\n"), undefined);
    assert.equal(await world.edit("a.py", "BAD\nBAD\n"), undefined);
    const { broken: marks, clients } = await status(world);
    assert.deepEqual(clients, []);
    assert.deepEqual(
      marks.map(({ server, root }) => [server, root]),
      [["pyright", world.project]],
    );
    assert.match(marks[0]?.reason ?? "", reason);
    assert.ok(starts(world) <= 1);
  });
}

for (const [what, mode] of [
  ["never answers", "silent"],
  ["never tells diagnostics", "mute"],
] as const) {
  test(`a server that ${what} costs the first write 8 seconds and the second nothing, until restart (C44)`, async (t) => {
    proves(t, "limit.lsp-wait", "editing.lsp-fallback");
    const clock = manualClock();
    const world = stubWorld(t, [mode], { clock });
    world.put("a.py", "x\n");
    const first = world.edit("a.py", "y\n");
    let done = false;
    const ended = first.finally(() => {
      done = true;
    });
    await clock.waits(3);
    clock.advance(7_900);
    assert.equal(done, false);
    clock.advance(200);
    assert.equal(await ended, undefined);
    const began = clock.mono();
    assert.equal(await world.edit("a.py", "z\n"), undefined);
    assert.equal(clock.mono(), began);
    assert.deepEqual((await status(world)).broken, [
      { server: "pyright", root: world.project, reason: "no answer within 8 s" },
    ]);
    clock.advance(40_000);
    const after = await status(world);
    assert.deepEqual([after.clients.length, after.broken.length], [0, 1]);
    assert.equal((await world.servers.restart()).mended, 1);
    assert.deepEqual((await status(world)).broken, []);
  });
}

test("a server that is slow with its first project is used again once it has told something", async (t) => {
  const clock = manualClock();
  const world = stubWorld(t, ["late=150", "pull"], { clock });
  world.put("a.py", "x\n");
  const first = world.edit("a.py", "y\n");
  await clock.waits(3);
  clock.advance(8_000);
  assert.equal(await first, undefined);
  while ((await status(world)).broken.length > 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(String(await world.edit("a.py", "y\nBAD\n")), /BAD/);
});

test("a server that falls silent later costs one wait of the settings", async (t) => {
  proves(t, "config.lsp.enabled");
  const world = stubWorld(t, ["mute-later"], { config: { "lsp.wait_timeout": 0.2 } });
  world.put("a.py", "x\n");
  assert.equal(await world.edit("a.py", "y\n"), undefined);
  const { broken: marks } = await status(world);
  assert.match(marks[0]?.reason ?? "", /no diagnostics in time/);
});

test("an interrupt ends the wait and blames no one", async (t) => {
  const world = stubWorld(t, ["silent"]);
  const control = new AbortController();
  const edit = world.edit("a.py", "x\n", control.signal);
  setImmediate(() => control.abort());
  assert.equal(await edit, undefined);
  assert.deepEqual((await status(world)).broken, []);
});

const silences: [title: string, options: Parameters<typeof stubWorld>[2]][] = [
  ["lsp.enabled is off", { config: { "lsp.enabled": false } }],
  ["the server is disabled", { config: { "lsp.servers": { pyright: { disabled: true } } } }],
  ["commands run elsewhere", { config: { "terminal.backend": "docker" } }],
  ["the file is in no git work tree", { bare: true }],
];

for (const [what, options] of silences) {
  test(`no server is started when ${what}`, async (t) => {
    proves(t, "config.lsp.enabled");
    const world = stubWorld(t, [], options);
    assert.equal(await world.edit("a.py", "BAD\n"), undefined);
    assert.deepEqual([starts(world), (await status(world)).clients, (await status(world)).broken], [0, [], []]);
  });
}

test("a missing program is marked without a wait, and nothing is installed when the settings say so", async (t) => {
  proves(t, "editing.lsp-fallback");
  const world = stubWorld(t, [], { config: { "lsp.servers": { pyright: { command: ["/nowhere/pyright"] } } } });
  assert.equal(await world.edit("a.py", "BAD\n"), undefined);
  const { broken: marks, installing, servers } = await status(world);
  assert.deepEqual([marks[0]?.reason, installing], ["its program is missing", []]);
  assert.equal(servers.find(({ id }) => id === "pyright")?.state, "missing");
});

test("a server that no one used for 600 seconds is stopped, and started again when it is needed", async (t) => {
  const clock = manualClock();
  const world = stubWorld(t, ["pull"], { clock });
  world.put("a.py", "x\n");
  await world.edit("a.py", "y\n");
  const pid = (await status(world)).clients[0]?.pid ?? 0;
  clock.advance(600_000);
  while (systemSpawner.identify(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([(await status(world)).clients, (await status(world)).broken], [[], []]);
  assert.match(String(await world.edit("a.py", "y\nBAD\n")), /BAD/);
  assert.equal(starts(world), 2);
});

test("a server that does not want to end is ended with everything that it started", async (t) => {
  const clock = manualClock();
  const world = stubWorld(t, ["pull", "stubborn"], { clock });
  world.put("a.py", "x\n");
  await world.edit("a.py", "y\n");
  const pid = (await status(world)).clients[0]?.pid ?? 0;
  const stopped = world.servers.stop();
  await clock.waitsFor(2_000); // it was asked to end
  clock.advance(2_000);
  await clock.waitsFor(1_000); // its input was closed
  clock.advance(1_000);
  await stopped;
  assert.deepEqual(systemSpawner.members(pid), []);
});

test("one server works for a root, another for another root", async (t) => {
  const world = stubWorld(t, []);
  for (const dir of ["one", "two"]) {
    mkdirSync(join(world.project, dir));
    writeFileSync(join(world.project, dir, "pyproject.toml"), "");
  }
  for (const path of ["one/a.py", "one/b.py", "two/a.py", "c.py"])
    assert.match(String(await world.edit(path, "BAD\n")), /BAD/);
  const { clients } = await status(world);
  assert.deepEqual(
    clients.map(({ root, open_files }) => [root, open_files]),
    [
      [join(world.project, "one"), 2],
      [join(world.project, "two"), 1],
      [world.project, 1],
    ],
  );
});

test("servers that a killed process left behind are ended by the next one, those of a living one are not", async (t) => {
  const world = stubWorld(t, []);
  const left = await Promise.all([0, 1].map(() => startStub(world)));
  const running = join(world.home, "lsp", "running");
  mkdirSync(running, { recursive: true });
  const [dead, alive] = left.map(({ id }) => id);
  t.after(() => Promise.all(left.map(({ pid }) => systemSpawner.endGroup(pid, 0))));
  const gone = { pid: 999_999, start: "1", boot: systemSpawner.boot };
  writeFileSync(join(running, "gone.json"), JSON.stringify({ owner: gone, servers: [dead] }));
  writeFileSync(
    join(running, "here.json"),
    JSON.stringify({ owner: systemSpawner.identify(process.pid), servers: [alive] }),
  );
  writeFileSync(join(running, "torn.json"), "{");
  await world.edit("a.py", "x\n");
  const pid = (await status(world)).clients[0]?.pid;
  assert.equal(readdirSync(running).length, 2);
  assert.deepEqual(
    left.map(({ id }) => systemSpawner.alive(id)),
    [false, true],
  );
  await world.servers.stop();
  assert.deepEqual(readdirSync(running), ["here.json"]);
  assert.notEqual(pid, undefined);
});

/** A stub that no one can end politely, outside of everything. */
async function startStub(world: LanguageWorld): Promise<Child> {
  const args = [resolve("fixtures/servers/language/stub.mjs"), join(world.root, "other.log"), "stubborn"];
  return systemSpawner.spawn({ file: process.execPath, args, cwd: world.project, env: {}, stdin: "pipe" });
}

test("a missing server is installed in the background without scripts, and the writes after that have it", async (t) => {
  proves(t, "editing.lsp-fallback");
  const world = installWorld(t, "until test -e ROOT/go; do sleep 0.05; done\n");
  assert.equal(await world.edit("a.py", "BAD one\n"), undefined);
  assert.deepEqual((await status(world)).installing, ["pyright"]);
  writeFileSync(join(world.root, "go"), "");
  while ((await status(world)).installing.length > 0) await new Promise((done) => setImmediate(done));
  assert.deepEqual((await status(world)).broken, []);
  assert.match(String(await world.edit("a.py", "BAD one\nBAD two\n")), /\[2:1\] BAD two/);
  const calls = readFileSync(join(world.root, "npm.log"), "utf8");
  assert.match(calls, /^install --ignore-scripts [^\n]* pyright@\d[\d.]+\n$/);
  assert.deepEqual(readdirSync(join(world.home, "lsp")).toSorted(), ["pyright", "running"]);
});

test("a server that lies in the project is not run", async (t) => {
  const world = languageWorld(t, { path: "project/node_modules/.bin" });
  const bin = join(world.project, "node_modules", ".bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "pyright-langserver"), `#!/bin/sh\necho ran > ${world.root}/ran\n`, { mode: 0o755 });
  assert.equal(await world.edit("a.py", "BAD\n"), undefined);
  assert.deepEqual(
    [(await status(world)).broken[0]?.reason, readdirSync(world.root).includes("ran")],
    ["its program is missing", false],
  );
});

test("an installation that fails is not tried again by writes, and leaves nothing", async (t) => {
  const world = installWorld(t, "echo no network; exit 1\n");
  await world.edit("a.py", "x\n");
  while ((await status(world)).installing.length > 0) await new Promise((done) => setImmediate(done));
  await world.edit("a.py", "y\n");
  await world.servers.restart();
  await world.edit("a.py", "z\n");
  assert.equal(readFileSync(join(world.root, "npm.log"), "utf8").split("\n").length, 2);
  assert.deepEqual(readdirSync(join(world.home, "lsp")), []);
  const outcome = await world.servers.install("pyright", { env: world.env, signal: never });
  assert.deepEqual([outcome.ok, /exit code 1: no network/.test(outcome.message)], [false, true]);
});

test("stopping ends an installation", async (t) => {
  const world = installWorld(t, "exec sleep 100\n");
  await world.edit("a.py", "x\n");
  await world.servers.stop();
  assert.deepEqual(readdirSync(join(world.home, "lsp")), []);
});

/** A project without servers, and an npm that runs `script` (ROOT is the folder of the test), then puts the stub in place of what it should install. */
function installWorld(t: TestContext, script: string): LanguageWorld {
  const world = languageWorld(t, { config: { "lsp.install_strategy": "auto" }, path: "bin" });
  const bin = join(world.root, "bin");
  const log = join(world.root, "log");
  writeFileSync(log, "");
  mkdirSync(bin);
  const stubLine = `exec ${process.execPath} ${resolve("fixtures/servers/language/stub.mjs")} ${log}`;
  const make = `mkdir -p node_modules/.bin && printf '#!/bin/sh\\n${stubLine}\\n' > node_modules/.bin/pyright-langserver && chmod +x node_modules/.bin/pyright-langserver\n`;
  writeFileSync(
    join(bin, "npm"),
    `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$@" >> ${world.root}/npm.log\n${script.replaceAll("ROOT", world.root)}${make}`,
    { mode: 0o755 },
  );
  return world;
}
