import assert from "node:assert/strict";
import { test } from "node:test";
import type { Script, ScriptProgram } from "../../fixtures/servers/model/script.js";
import { roundsScript } from "../../fixtures/servers/model/scripts.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { type TaskFacts, workerHome } from "../../fixtures/worlds/worker-home.js";

interface Conduct {
  readonly title: string;
  readonly script: Script | ScriptProgram;
  readonly config?: string;
  /** In place of the scripted model. */
  readonly model?: string;
  readonly outcome: string;
  readonly check: (facts: TaskFacts) => void;
}

const payload = ({ events }: TaskFacts, kind: string) => events.find((event) => event.kind === kind)?.payload;

const conducts: Conduct[] = [
  {
    title: "a model that only talks is reminded twice, then its last text is the summary and the task is blocked",
    script: () => ({ text: "I think that is all." }),
    outcome: "protocol_violation",
    check: (facts) => {
      assert.equal(facts.task.block_kind, "protocol");
      assert.equal(payload(facts, "protocol_violation")?.["reminders"], 2);
      assert.equal(facts.runs[0]?.summary, "I think that is all.");
    },
  },
  {
    title: "a reminder is enough for a model that had forgotten to complete",
    script: ({ messages }) => {
      const reminded = messages.filter((message) => message.role === "user").length > 1;
      if (!reminded || messages.at(-1)?.role === "tool") return { text: "Done." };
      return { tool_calls: [{ name: "kanban_complete", arguments: { summary: "all done" } }] };
    },
    outcome: "completed",
    check: ({ runs }) => {
      assert.equal(runs[0]?.summary, "all done");
      assert.equal(runs[0]?.usage?.api_calls, 2);
    },
  },
  {
    title: "a throttled worker defers its task and counts nothing",
    script: () => ({ status: 429, body: { error: { message: "rate limit reached", type: "rate_limit_error" } } }),
    config: "agent:\n  api_max_retries: 1\n",
    outcome: "rate_limited",
    check: ({ task }) => {
      assert.deepEqual([task.status, task.consecutive_failures, task.last_failure_class], ["ready", 0, "throttled"]);
      assert.ok(task.not_before !== null);
    },
  },
  {
    title: "a provider that asks a throttled worker to wait longer than the usual pause is obeyed",
    script: () => ({
      status: 429,
      headers: { "retry-after": "1000" },
      body: { error: { message: "slow down", type: "rate_limit_error" } },
    }),
    config: "agent:\n  api_max_retries: 1\n",
    outcome: "rate_limited",
    check: ({ task, runs }) => {
      const wait = (task.not_before ?? 0) - (runs[0]?.ended_at ?? 0);
      assert.ok(wait > 900 && wait <= 1000, `${wait}`);
    },
  },
  {
    title: "a used-up budget is a counted failure of its own kind",
    script: roundsScript(50),
    config: "agent:\n  max_turns: 3\n",
    outcome: "timed_out",
    check: (facts) => {
      const { cause, budget_used, budget_max } = payload(facts, "timed_out") ?? {};
      assert.deepEqual([cause, budget_used, budget_max], ["iteration_budget", 3, 3]);
      assert.equal(facts.runs[0]?.error_class, "iteration_budget");
    },
  },
  {
    title: "a refused key is told as what it is",
    script: () => ({ status: 401, body: { error: { message: "invalid api key" } } }),
    config: "agent:\n  api_max_retries: 1\n",
    outcome: "crashed",
    check: ({ runs }) => assert.deepEqual([runs[0]?.error_class, runs[0]?.exit_code], ["auth", 1]),
  },
  {
    title: "a command that needs approval is not run, and the model is told to block the task",
    script: {
      pick: "history",
      replies: [
        { tool_calls: [{ name: "terminal", arguments: { command: "sudo rm -rf /opt/x" } }] },
        { tool_calls: [{ name: "kanban_block", arguments: { reason: "approval-required: sudo rm -rf /opt/x" } }] },
        { text: "ok" },
      ],
    },
    outcome: "blocked",
    check: ({ task }) => assert.deepEqual([task.status, task.block_kind], ["blocked", "worker"]),
  },
  {
    title: "where workers may do what needs approval it is run, except what is never allowed",
    script: ({ messages }) => {
      const results = messages.filter((message) => message.role === "tool").map((message) => String(message.content));
      if (results.length === 0)
        return { tool_calls: [{ name: "terminal", arguments: { command: "mkdir -p d/e && rm -rf d && echo gone" } }] };
      if (results.length === 1) return { tool_calls: [{ name: "terminal", arguments: { command: "rm -rf /" } }] };
      const [ran, never] = results;
      const summary = `${/gone/.test(ran ?? "")} ${/blocked|denied|not allowed|never/i.test(never ?? "")}`;
      return { tool_calls: [{ name: "kanban_complete", arguments: { summary } }] };
    },
    config: "kanban:\n  worker_approvals: allow\n",
    outcome: "completed",
    check: ({ runs }) => assert.equal(runs[0]?.summary, "true true"),
  },
  {
    title: "a worker that cannot run at all could not be started",
    script: () => ({ text: "unused" }),
    model: "model:\n  provider: nosuch\n",
    outcome: "spawn_failed",
    check: (facts) => {
      const [run] = facts.runs;
      // The next attempt may have failed too by now: what the first one counted stands in its event.
      assert.deepEqual(
        [run?.exit_code, run?.error_class, payload(facts, "spawn_failed")?.["failures"]],
        [64, "usage", 1],
      );
    },
  },
];

for (const { title, script, config, outcome, check, model: own } of conducts) {
  test(title, async (t) => {
    const server = await startModelServer({ script });
    t.after(() => server.close());
    const model = `model:\n  default: scripted\n  base_url: ${server.url}\n  api_key: sk-test\n`;
    const home = workerHome(t, `${own ?? model}${config ?? ""}security:\n  allow_private_urls: true\n`);
    await home.owner();
    const id = await home.create("one", "do it", "--max-retries", "5");
    const facts = await home.task(id, ({ runs }) => runs[0]?.outcome != null);
    assert.equal(facts.runs[0]?.outcome, outcome, JSON.stringify(facts.runs[0]));
    check(facts);
  });
}
