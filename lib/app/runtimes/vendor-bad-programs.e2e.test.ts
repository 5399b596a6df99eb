import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type StubScript, stubAppServer } from "../../../fixtures/agents/stub-app-server.js";
import { vendorSettings } from "../../../fixtures/agents/vendor-world.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { world } from "../../../fixtures/e2e/world.js";
import { withoutCage } from "../../../fixtures/sim/uncaged.js";

type Action = Readonly<Record<string, unknown>>;

/** A home whose turns the stub works. */
async function setup(t: TestContext, script: StubScript | readonly StubScript[], seconds = 1_800) {
  const stub = await stubAppServer(t, script);
  const made = await world(t);
  const appServer = { command: stub.program, turn_timeout_seconds: seconds };
  writeFileSync(made.home.config, withoutCage(vendorSettings({ url: "http://127.0.0.1:9/v1", appServer })));
  const env = { OPENAI_API_KEY: "sk-test", CODEX_HOME: join(stub.dir, "codex") };
  return { ...made, stub, extra: env };
}

const answerTo = (userAgent: string): readonly Action[] => [
  { result: { userAgent, codexHome: "/x", platformFamily: "unix", platformOs: "linux" } },
];
const BEGUN = { result: { turn: { id: "$turn", items: [], status: "inProgress", error: null } } };
/** A turn that has begun, and what comes then. */
const begun = (...then: readonly Action[]): StubScript => ({
  on: { "turn/start": [[BEGUN, { say: "so far" }, ...then]] },
});
/** The same, but what was said is there before the time of the turn runs. */
const saidAndBegun = (...then: readonly Action[]): StubScript => ({
  on: { "turn/start": [[{ say: "so far" }, BEGUN, ...then]] },
});

const BACK = /\/vendor-runtime auto/;

interface Bad {
  readonly program: string;
  readonly script: StubScript;
  /** What is said of it, beside the way back. */
  readonly says: RegExp;
  /** What it said before is kept. */
  readonly kept?: true;
  readonly seconds?: number;
}

const BAD: readonly Bad[] = [
  {
    program: "older than what is needed",
    script: { on: { initialize: [answerTo("agent/0.100.0 (stub)")] } },
    says: /is version 0\.100\.0; 0\.125\.0 or newer is needed[\s\S]*install it/,
  },
  {
    program: "that does not answer initialize",
    script: { on: { initialize: [[{ hang: true }]] } },
    says: /did not answer initialize within 10 s/,
  },
  {
    program: "that prints garbage and nothing else",
    script: { on: { initialize: [[{ raw: "Segmentation fault?" }, { raw: "{" }, { raw: "[1,2" }]] } },
    says: /did not answer initialize within 10 s/,
  },
  {
    program: "that crashes at its start",
    script: { on: { initialize: [[{ stderr: "no such option" }, { exit: 3 }]] } },
    says: /ended with exit code 3[\s\S]*no such option/,
  },
  {
    program: "that crashes in mid-turn",
    script: begun({ stderr: "out of luck" }, { exit: 101 }),
    says: /ended with exit code 101[\s\S]*out of luck/,
    kept: true,
  },
  {
    program: "that is killed in mid-turn",
    script: begun({ signal: "SIGKILL" }),
    says: /ended by SIGKILL/,
    kept: true,
  },
  {
    program: "that closes its output and lives on",
    script: { ...begun({ closeOutput: true }, { hang: true }), ignoreSignals: true, ignoreClose: true },
    says: /the app-server closed its output/,
    kept: true,
  },
  {
    program: "that writes a line beyond every bound",
    script: begun({ endless: 34 << 20 }, { hang: true }),
    says: /the app-server sent a message that is too long/,
    kept: true,
  },
  {
    program: "that hangs in a turn for longer than a turn may take",
    script: { on: { ...saidAndBegun({ hang: true }).on, "turn/interrupt": [[{ hang: true }]] } },
    says: /did not finish the turn within 1 s/,
    kept: true,
    seconds: 1,
  },
  {
    program: "that is stopped for longer than a turn may take",
    script: saidAndBegun({ signal: "SIGSTOP" }),
    says: /did not finish the turn within 1 s/,
    kept: true,
    seconds: 1,
  },
];

for (const { program, script, says, kept, seconds } of BAD)
  test(`an app-server ${program} fails the turn, which says so and how to switch back; nothing is left of it`, async (t) => {
    const { run, alone, extra } = await setup(t, script, seconds);
    const { code, out, err } = await run(["-z", "go"], { env: extra });
    assert.equal(code, 1, `${out}${err}`);
    assert.match(out + err, says);
    assert.match(out + err, BACK);
    if (kept === true) assert.match(out, /so far/);
    await alone();
  });

test("an app-server that is missing fails the turn, which says how to get it and how to switch back", async (t) => {
  const { run, extra, alone } = await setup(t, {});
  const { code, out, err } = await run(["-z", "go"], { env: { ...extra, AGENT_APP_SERVER_BIN: "/nowhere/codex" } });
  assert.equal(code, 1);
  assert.match(out + err, /\/nowhere\/codex is not a program[\s\S]*npm install -g @openai\/codex/);
  assert.match(out + err, BACK);
  await alone();
});

test("a newer app-server with requests and notifications that are not known works", async (t) => {
  const { run, extra, alone } = await setup(t, {
    version: "codex-cli 9.1.0",
    on: {
      initialize: [[{ raw: "hello" }, ...answerTo("agent/9.1.0 (stub)")]],
      "turn/start": [
        [
          { result: { turn: { id: "$turn", items: [], status: "inProgress", error: null }, more: 1 } },
          { notify: "item/hologram/delta", params: { threadId: "$thread" } },
          { ask: "item/hologram/requestApproval", params: {} },
          { item: { type: "hologram", size: 3 } },
          { say: "works" },
          { end: "completed" },
        ],
      ],
    },
  });
  const { code, out, err } = await run(["-z", "go"], { env: extra });
  assert.deepEqual([code, out.trimEnd()], [0, "works"], err);
  await alone();
});

for (const [how, action] of [
  ["hangs", { hang: true }],
  ["is stopped", { signal: "SIGSTOP" }],
] satisfies [string, Action][])
  test(`Ctrl-C ends a turn whose app-server ${how}, and the program`, async (t) => {
    const { start, stub, extra, alone } = await setup(t, {
      on: { ...begun(action).on, "turn/interrupt": [[{ hang: true }]] },
      ignoreSignals: true,
      ignoreClose: true,
    });
    const turn = start(["chat", "-q", "go", "--json"], { env: extra });
    await turn.line((line) => line.includes("so far"));
    await eventually(() => stub.received("turn/start").length === 1);
    assert.equal((await turn.end("SIGINT")).code, 130);
    await alone();
  });

test("a turn of the owner whose app-server is stopped is interrupted, and the next one has a new program", async (t) => {
  const stopped = begun({ signal: "SIGSTOP" });
  const { owner, client, event, stub, extra, work } = await setup(t, [stopped, {}]);
  await owner();
  const own = client();
  t.after(() => own.close());
  const front = { source: "workspace", cwd: work, env: { ...extra, PATH: process.env["PATH"] ?? "", HOME: work } };
  const { id } = await own.call<{ id: string }>("session.create", front, { key: "make" });
  await own.call("session.attach", { session_id: id });
  await own.call("turn.submit", { session_id: id, text: "first" }, { key: "first" });
  await event(({ event: name, data }) => name === "message.added" && data["content"] === "so far", "sessions");
  await own.call("turn.interrupt", { session_id: id });
  const first = await event(({ event: name }) => name === "turn.ended", "sessions");
  assert.equal(first.data["interrupted"], true);
  await own.call("turn.submit", { session_id: id, text: "second" }, { key: "second" });
  let ended = 0;
  const second = await event(({ event: name }) => {
    if (name === "turn.ended") ended += 1;
    return ended === 2;
  }, "sessions");
  assert.match(String(second.data["final_response"]), /echo: .*second/);
  assert.deepEqual([stub.starts().length, stub.received("thread/resume").length], [2, 1]);
});
