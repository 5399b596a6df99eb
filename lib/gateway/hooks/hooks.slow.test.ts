import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { lifeWorld } from "../../../fixtures/sim/gateway-life.js";
import { openedFile } from "../../base/fs/file-digest.js";
import { type Log, silentLog } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { hookProgram } from "./hook-program.js";
import { createHookCalls } from "./run-hooks.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);

/** Decides by the arguments of the command, and keeps what it was told. */
const HANDLER = `
import { appendFileSync, readFileSync } from "node:fs";
const told = JSON.parse(readFileSync(0, "utf8"));
appendFileSync(process.env.AGENT_HOME + "/told.jsonl", JSON.stringify({ ...told, env: Object.keys(process.env) }) + "\\n");
const answers = {
  no: { decision: "deny", message: "not today" },
  mine: { decision: "handled", message: "done by the hook" },
  other: { decision: "rewrite", command_name: "nosuchthing", raw_args: "" },
};
const answer = answers[told.arguments];
if (answer) console.log(JSON.stringify(answer));
`;
const EVENTS = '["gateway:startup", "session:start", "agent:start", "agent:end", "command:title"]';
const FILES = {
  "hooks/notes/HOOK.yaml": `name: notes\nevents: ${EVENTS}\nhandler: ./handler.mjs\n`,
  "hooks/notes/handler.mjs": HANDLER,
};

test("hooks that someone let run decide about commands and are told of events, with few variables", async (t) => {
  const world = await lifeWorld(t, {
    script: [{ text: "PONG" }],
    files: FILES,
    askHooks: async () => true,
    env: { MSGT_BOT_TOKEN: "x" },
  });
  await world.host().begin();
  for (const [n, args] of ["no", "mine", "other"].entries()) {
    await world.say(String(n), `/title ${args}`);
    await world.shown(n + 1);
  }
  const [denied, handled, rewritten] = texts(world.one.ledger);
  assert.equal(denied, "⛔ not today");
  assert.equal(handled, "done by the hook");
  assert.match(rewritten ?? "", /\/nosuchthing/);
  await world.say("9", "ping");
  await world.shown(4);
  await world.host().stop();
  const file = join(world.owner.home.dir, "told.jsonl");
  const told = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const of = (event: string) => told.find((one) => one.event === event);
  assert.deepEqual(of("gateway:startup")?.platforms, ["msgt", "msgd"]);
  assert.equal(of("agent:start")?.message, "ping");
  assert.deepEqual(of("command:title")?.source, { platform: "msgt", chat_id: "c1", user_id: "u-c1" });
  for (const { env } of told) assert.equal(env.includes("MSGT_BOT_TOKEN"), false);
});

test("a hook that is new or changed does not run until someone says so, and status tells which", async (t) => {
  const answers = [false, true, false];
  const world = await lifeWorld(t, { script: [], files: FILES, askHooks: async () => answers.shift() === true });
  await world.host().begin();
  assert.match((await world.api().status()).problems.join(), /hook notes is new or has changed/);
  await world.say("1", "/title mine");
  assert.doesNotMatch((await world.shown(1))[0]?.text ?? "", /by the hook/);
  for (const [n, change, wanted] of [
    [1, "", 0],
    [2, "// changed", 1],
  ] as const) {
    await world.host().stop();
    writeFileSync(join(world.owner.home.dir, "hooks/notes/handler.mjs"), `${HANDLER}${change}`);
    world.next();
    await world.host().begin();
    assert.equal((await world.api().status()).problems.length, wanted, `start ${n}`);
  }
});

test("in safe mode no hook of the gateway runs, not even an approved one", async (t) => {
  const world = await lifeWorld(t, { script: [], files: FILES, safeMode: true, askHooks: async () => true });
  await world.host().begin();
  await world.say("1", "/title mine");
  assert.doesNotMatch((await world.shown(1))[0]?.text ?? "", /by the hook/);
  assert.deepEqual((await world.api().status()).problems, []);
});

const WRONG = [
  ["name: x\nevents: [agent:start]\nhandler: ../../config.yaml\n", /is outside/],
  ["name: x\nevents: [agent:start]\nhandler: gone.mjs\n", /does not exist/],
  ["name: x\nevents: [no:such]\nhandler: handler.mjs\n", /is no event/],
  ["events: []\nhandler: handler.mjs\n", /events/],
  ["name: [\n", /HOOK\.yaml/],
] as const;
test("a hook that cannot be meant is reported with its name, and nothing of it runs", async (t) => {
  const files = WRONG.map(([text], n) => [`hooks/h${n}/HOOK.yaml`, text] as const);
  const world = await lifeWorld(t, { script: [], files: { ...Object.fromEntries(files) }, askHooks: async () => true });
  await world.host().begin();
  const { problems } = await world.api().status();
  for (const [n, [, said]] of WRONG.entries())
    assert.match(problems.find((one) => one.startsWith(`hook h${n}`)) ?? "", said);
});

test("a hook that does not end in time is ended, and the command runs as if it were not there", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "hook-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const handler = join(dir, "stuck.sh");
  writeFileSync(handler, "#!/bin/sh\nexec sleep 1000\n", { mode: 0o700 });
  const clock = manualClock();
  const warned: string[] = [];
  const log: Log = { ...silentLog, warning: (_message, facts) => warned.push(String(facts?.["error"])) };
  let begun: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const spawn: Spawner["spawn"] = async (spec) => {
    const child = await systemSpawner.spawn(spec);
    t.after(() => systemSpawner.endGroup(child.pid, 0));
    setImmediate(begun);
    return child;
  };
  const hook = { id: "slow", dir, events: ["command:*"], handler, script: false, digest: "", handlerDigest: "" };
  const env = () => ({ PATH: "/usr/bin:/bin" });
  const calls = createHookCalls(
    { clock, log, spawner: { ...systemSpawner, spawn }, env, programOf: async () => handler },
    [hook],
  );
  const decided = calls.decide("x", "", { platform: "msgt", chat_id: null, user_id: null });
  await started;
  clock.advance(10_000);
  assert.equal(await decided, undefined);
  assert.deepEqual(warned, ["timed out after 10 s"]);
});

test("a hook whose file is replaced while the gateway runs does not run, and one that is put back does, from a private copy", async (t) => {
  const world = await lifeWorld(t, { script: [], files: FILES, askHooks: async () => true });
  await world.host().begin();
  const handler = join(world.owner.home.dir, "hooks/notes/handler.mjs");
  await world.say("1", "/title mine");
  assert.match((await world.shown(1))[0]?.text ?? "", /by the hook/);
  writeFileSync(handler, HANDLER.replace("done by the hook", "done by another"));
  await world.say("2", "/title mine");
  assert.doesNotMatch((await world.shown(2))[1]?.text ?? "", /done by/);
  writeFileSync(handler, HANDLER);
  await world.say("3", "/title mine");
  assert.match((await world.shown(3))[2]?.text ?? "", /by the hook/);
  const copies = readdirSync(join(world.owner.home.dir, "run/hooks"));
  assert.equal(copies.length, 1);
});

test("a hook that needs the files beside it runs where it is", async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "hook-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const put = (name: string, text: string) => {
    const path = join(dir, name);
    writeFileSync(path, text, { mode: 0o700 });
    return path;
  };
  const programOf = async (path: string, script = false) => {
    const handlerDigest = openedFile(path)?.digest ?? "";
    const hook = { id: "x", dir, events: ["agent:end"], handler: path, script, digest: "", handlerDigest };
    return await hookProgram(hook, join(dir, "home"));
  };
  const alone = put("alone.sh", "#!/bin/sh\necho x\n");
  assert.match(await programOf(alone), /home\/run\/hooks\/[0-9a-f]{64}\/alone\.sh$/);
  for (const [name, text] of [
    ["a.mjs", 'import "./other.mjs";\n'],
    ["b.sh", '#!/bin/sh\n. "$(dirname "$0")/lib.sh"\n'],
    ["c.js", "require('../x');\n"],
  ] as const) {
    const path = put(name, text);
    assert.equal(await programOf(path, !name.endsWith(".sh")), path);
  }
});
