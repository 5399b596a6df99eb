import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type AcpScript, stubAcpAgent } from "../../fixtures/agents/stub-acp-agent.js";
import { type StubScript, stubAppServer } from "../../fixtures/agents/stub-app-server.js";
import { type TaskFacts, workerHome } from "../../fixtures/worlds/worker-home.js";

interface Failure {
  readonly title: string;
  readonly open: (t: TestContext) => Promise<object>;
  readonly outcome: string;
  readonly errorClass: string;
  /** What the event of the run counts for the failure limit; absent: the task is blocked at once. */
  readonly counted?: 0 | 1;
  readonly check?: (facts: TaskFacts) => void;
}

/** Settings of a profile whose tasks an app-server with this script works. */
const appServer = (script: StubScript) => async (t: TestContext) => ({
  worker: { program: "app-server" },
  app_server: { command: (await stubAppServer(t, script)).program },
});

/** Settings of a profile whose tasks an agent of the Agent Client Protocol works. */
const acp = (script: AcpScript) => async (t: TestContext) => ({
  worker: { program: "acp", command: (await stubAcpAgent(t, script)).command },
});

const begun = { result: { turn: { id: "$turn", items: [], status: "inProgress", error: null } } };
const failing = (message: string, codexErrorInfo: unknown) =>
  appServer({ on: { "turn/start": [[begun, { end: "failed", turnError: { message, codexErrorInfo } }]] } });
const refusing = (code: number, message: string) => acp({ on: { "session/prompt": [[{ error: { code, message } }]] } });

const talked = ({ task, runs, events }: TaskFacts) => {
  assert.deepEqual([task.status, task.block_kind], ["blocked", "protocol"]);
  assert.equal(events.find(({ kind }) => kind === "protocol_violation")?.payload["reminders"], 2);
  assert.equal(runs[0]?.exit_code, 0);
};
const deferred = ({ task }: TaskFacts) => {
  assert.deepEqual([task.status, task.last_failure_class], ["ready", "throttled"]);
  assert.ok(task.not_before !== null);
};
const said = (words: RegExp) => (facts: TaskFacts) => assert.match(facts.runs[0]?.error ?? "", words);

const failures: readonly Failure[] = [
  {
    title: "an app-server that only talks is reminded twice, and its task is blocked",
    open: appServer({}),
    outcome: "protocol_violation",
    errorClass: "unknown",
    check: talked,
  },
  {
    title: "an ACP agent that only talks is reminded twice, and its task is blocked",
    open: acp({ on: { "session/prompt": [[{ say: "that is all" }, { result: { stopReason: "end_turn" } }]] } }),
    outcome: "protocol_violation",
    errorClass: "unknown",
    check: (facts) => {
      talked(facts);
      assert.equal(facts.runs[0]?.summary, "that is all");
    },
  },
  {
    title: "an app-server that gave up at a rate limit defers its task",
    open: failing("exceeded retry limit, last status: 429 Too Many Requests", {
      responseTooManyFailedAttempts: { httpStatusCode: 429 },
    }),
    outcome: "rate_limited",
    errorClass: "throttled",
    counted: 0,
    check: deferred,
  },
  {
    title: "an app-server whose account has used its limit defers its task for as long as it says",
    open: failing("usage limit reached; try again in 20 minutes", "usageLimitExceeded"),
    outcome: "rate_limited",
    errorClass: "throttled",
    counted: 0,
    check: (facts) => {
      deferred(facts);
      const wait = (facts.task.not_before ?? 0) - (facts.runs[0]?.ended_at ?? 0);
      assert.ok(wait > 1_000 && wait <= 1_200, `${wait}`);
    },
  },
  {
    title: "an app-server whose model is overloaded defers its task",
    open: failing("the model is at capacity", "serverOverloaded"),
    outcome: "rate_limited",
    errorClass: "throttled",
    counted: 0,
    check: deferred,
  },
  {
    title: "an ACP agent at the limit of its account defers its task",
    open: refusing(-32_603, "429 too many requests"),
    outcome: "rate_limited",
    errorClass: "throttled",
    counted: 0,
    check: deferred,
  },
  {
    title: "an app-server without a login says how to log in",
    open: failing("unexpected status 401", { httpConnectionFailed: { httpStatusCode: 401 } }),
    outcome: "crashed",
    errorClass: "auth",
    counted: 1,
    check: said(/401/),
  },
  {
    title: "an ACP agent without a login says how to log in",
    open: refusing(-32_000, "Authentication required"),
    outcome: "crashed",
    errorClass: "auth",
    counted: 1,
    check: said(/not logged in/),
  },
  {
    title: "an app-server that dies in the middle of its turn has crashed, with its last words",
    open: appServer({ on: { "turn/start": [[begun, { stderr: "out of luck" }, { exit: 3 }]] } }),
    outcome: "crashed",
    errorClass: "model_error",
    counted: 1,
    check: said(/exit code 3[\s\S]*out of luck/),
  },
  {
    title: "an ACP agent that dies in the middle of its turn has crashed, with its last words",
    open: acp({ on: { "session/prompt": [[{ stderr: "out of luck\n" }, { exit: 3 }]] } }),
    outcome: "crashed",
    errorClass: "model_error",
    counted: 1,
    check: said(/code 3[\s\S]*out of luck/),
  },
  {
    title: "an app-server that ends before its first turn could not be started",
    open: appServer({ on: { initialize: [[{ stderr: "no such option" }, { exit: 2 }]] } }),
    outcome: "spawn_failed",
    errorClass: "start",
    counted: 1,
    check: said(/exit code 2[\s\S]*no such option/),
  },
  {
    title: "an ACP agent that ends before its first turn could not be started",
    open: acp({ on: { initialize: [[{ stderr: "no such option\n" }, { exit: 2 }]] } }),
    outcome: "spawn_failed",
    errorClass: "start",
    counted: 1,
    check: said(/code 2[\s\S]*no such option/),
  },
  {
    title: "an ACP agent that speaks another version of the protocol could not be started",
    open: acp({ initialize: { protocolVersion: 9 } }),
    outcome: "spawn_failed",
    errorClass: "start",
    counted: 1,
    check: said(/speaks version 9/),
  },
];

test("a failure of a worker's program is counted as that of any worker", async (t) => {
  const home = workerHome(t, "model: { provider: offline }\n");
  for (const [at, { open }] of failures.entries()) {
    const dir = join(home.dir, "profiles", `p${at}`);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, "config.yaml"), JSON.stringify({ model: { provider: "offline" }, ...(await open(t)) }));
  }
  await home.owner();
  for (const [at, { title, outcome, errorClass, counted, check }] of failures.entries())
    await t.test(title, async () => {
      const line = ["kanban", "create", "one", "--assignee", `p${at}`, "--max-retries", "5", "--json"];
      const { id, task: made } = JSON.parse(await home.cli(...line));
      const facts = await home.task(id ?? made.id, ({ runs }) => runs[0]?.outcome != null);
      const [run] = facts.runs;
      assert.deepEqual([run?.outcome, run?.error_class], [outcome, errorClass], JSON.stringify(run));
      const counts = facts.events.find(({ kind, run_id }) => kind === outcome && run_id === run?.id)?.payload;
      if (counted !== undefined) assert.equal(counts?.["failures"] ?? 0, counted);
      check?.(facts);
      await home.cli("kanban", "archive", facts.task.id);
    });
});
