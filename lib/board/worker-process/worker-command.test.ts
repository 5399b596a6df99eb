import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import type { RunId, TaskId } from "../../base/units.js";
import type { Task } from "../../contracts/board/board.js";
import { workerCommand } from "./worker-command.js";
import { workerEnv } from "./worker-env.js";
import type { WorkerProfile } from "./worker-profile.js";

const ID = "t_00000001" as TaskId; // by its form
const PROFILE: WorkerProfile = { name: "coder", home: "/h", env: {}, toolsets: [], hasSkill: () => true };

const commands: {
  title: string;
  task?: Partial<Task>;
  profile?: Partial<WorkerProfile>;
  orchestrator?: boolean;
  args: string;
}[] = [
  {
    title: "a plain task",
    args: "-p coder --accept-hooks --skills kanban-worker --toolsets agent-cli,kanban worker t_00000001",
  },
  {
    title: "skills, a model, the orchestrator",
    task: { skills: ["a", "kanban-worker"], model_override: "m" },
    orchestrator: true,
    args: "-p coder --accept-hooks --skills kanban-worker --skills kanban-orchestrator --skills a -m m --toolsets agent-cli,kanban worker t_00000001",
  },
  {
    title: "a profile without the bundled skills",
    profile: { hasSkill: () => false },
    task: { skills: ["a"] },
    args: "-p coder --accept-hooks --toolsets agent-cli,kanban worker t_00000001",
  },
  {
    title: "toolsets of the profile, without those that would ask or write to somebody",
    profile: { toolsets: ["file", "clarify", "messaging", "kanban"], hasSkill: () => false },
    args: "-p coder --accept-hooks --toolsets file,kanban worker t_00000001",
  },
];

for (const { title, task, profile, orchestrator, args } of commands) {
  test(`the command of ${title}`, async () => {
    const command = await workerCommand(taskOf(task), { ...PROFILE, ...profile }, orchestrator ?? false);
    assert.equal(command.args.join(" "), args);
  });
}

test("skills that do not resolve are named", async () => {
  const profile = { ...PROFILE, hasSkill: (name: string) => name !== "gone" };
  const { missingSkills } = await workerCommand(taskOf({ skills: ["gone", "here"] }), profile, false);
  assert.deepEqual(missingSkills, ["gone"]);
});

const OWNER: Readonly<Record<string, string>> = {
  PATH: "/bin",
  LC_ALL: "C",
  HTTPS_PROXY: "p",
  OPENAI_API_KEY: "secret",
  MINE: "m",
  AGENT_KANBAN_TASK: "t_other",
};

test("a worker gets what it needs, the names that were asked for, and its profile's own file", (t) => {
  proves(t, "tool.kanban.worker-gate");
  const env = envOf({}, { env: { OPENAI_API_KEY: "profile's own" } });
  assert.deepEqual([env["PATH"], env["LC_ALL"], env["HTTPS_PROXY"], env["MINE"]], ["/bin", "C", "p", "m"]);
  assert.equal(env["OPENAI_API_KEY"], "profile's own");
  assert.deepEqual([env["AGENT_KANBAN_TASK"], env["AGENT_KANBAN_RUN_ID"], env["AGENT_HOME"]], [ID, "7", "/h"]);
  assert.ok(!Object.values(env).includes("token"));
});

test("nothing in a profile's file can put a worker on another task", () => {
  assert.equal(envOf({}, { env: { AGENT_KANBAN_TASK: "t_other", AGENT_WORKER_MARK: "x" } })["AGENT_KANBAN_TASK"], ID);
});

const timeouts: { title: string; max: number | null; set?: string; timeout: string | undefined }[] = [
  { title: "no cap changes nothing", max: null, timeout: undefined },
  { title: "a short cap changes nothing", max: 200, timeout: undefined },
  { title: "a long cap raises it, less half a minute", max: 3600, timeout: "3570" },
  { title: "a longer value of the profile stays", max: 3600, set: "5000", timeout: "5000" },
];

for (const { title, max, set, timeout } of timeouts) {
  test(`terminal timeout: ${title}`, () => {
    const env = envOf({ max_runtime_seconds: max }, { env: set === undefined ? {} : { TERMINAL_TIMEOUT: set } });
    assert.equal(env["TERMINAL_TIMEOUT"], timeout);
  });
}

test("a worker of an owner in safe mode is in safe mode, whatever its profile says", () => {
  assert.equal(envOf({}, {})["AGENT_SAFE_MODE"], undefined);
  const owner = { ...OWNER, AGENT_SAFE_MODE: "1" };
  assert.equal(envOf({}, { env: { AGENT_SAFE_MODE: "0" } }, owner)["AGENT_SAFE_MODE"], "1");
});

function envOf(task: Partial<Task>, profile: Partial<WorkerProfile>, owner = OWNER): Record<string, string> {
  const claim = { task: ID, run: 7 as RunId, token: "token" };
  const place = {
    root: "/r",
    board: "default",
    task: taskOf(task),
    claim,
    claimFile: "/c",
    workspace: "/w",
    branch: null,
    mark: "m1",
  };
  return workerEnv(place, { ...PROFILE, ...profile }, owner, ["MINE"]);
}

function taskOf(task: Partial<Task> = {}): Task {
  const base = {
    id: ID,
    skills: [],
    model_override: null,
    max_runtime_seconds: null,
    tenant: null,
    goal_mode: false,
    goal_max_turns: null,
  };
  return { ...base, ...task } as Task; // what command and environment read of it
}
