import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { nameIsThere } from "../../fixtures/e2e/files.js";
import { proves } from "../../fixtures/requirements.js";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { plainPng } from "../../fixtures/sim/made-pictures.js";
import { type TaskFacts, type WorkerHome, workerHome } from "../../fixtures/worlds/worker-home.js";
import { boardPlaces } from "../board/core/places.js";

const OFFLINE = "model:\n  provider: offline\n";

test("a task typed on the command line is worked by a real worker and recorded as done", async (t) => {
  const home = workerHome(t, OFFLINE);
  await home.owner();
  const id = await home.create("write hello", "write file hello.txt: hello world");
  const { task, runs, events } = await home.task(id, ended);
  assert.equal(task.status, "done");
  assert.equal(fileOf(task.workspace_path, "hello.txt"), "hello world");
  const [run] = runs;
  assert.equal(run?.outcome, "completed");
  assert.match(run?.summary ?? "", /hello\.txt/);
  const steps = ["created", "claimed", "spawned", "completed"];
  assert.deepEqual(
    events.map((event) => event.kind).filter((kind) => steps.includes(kind)),
    steps,
  );
  const conversation = await home.cli("sessions", "show", run?.session_id ?? "", "--json");
  assert.match(conversation, new RegExp(`work kanban task ${id}`));
});

test("a worker whose model sees gets the pictures that its tools show", async (t) => {
  const server = await startModelServer({
    script: {
      replies: [
        { tool_calls: [{ name: "read_file", arguments: { path: "cat.png" } }] },
        { tool_calls: [{ name: "kanban_complete", arguments: { summary: "seen" } }] },
        { text: "done" },
      ],
    },
  });
  t.after(() => server.close());
  const served = `model: { provider: custom, default: m1, base_url: "${server.url}", context_length: 128000 }\n`;
  const home = workerHome(t, `${served}agent:\n  image_input_mode: native\n`);
  await home.owner();
  const picture = await plainPng({ width: 8, height: 6 });
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "agent-look-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  writeFileSync(join(dir, "cat.png"), picture);
  const id = await home.create("look", "what is it?", "--workspace", `dir:${dir}`);
  assert.equal((await home.task(id, ended)).task.status, "done");
  assert.ok(server.chats().some(({ raw }) => raw.includes(picture.toString("base64"))));
});

test("a worker outlives its owner, finds the next one and finishes: one run, nothing twice", async (t) => {
  const home = workerHome(t, OFFLINE);
  const first = await home.owner();
  const { held, begun, open } = gate(t, home);
  const id = await home.create("slow", `run ${held}\nwrite file out.txt: late`);
  await begun();
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await home.owner();
  open();
  const { task, runs, events } = await home.task(id, ended);
  assert.deepEqual([task.status, runs.length], ["done", 1]);
  assert.ok(events.some((event) => event.kind === "adopted"));
  assert.equal(fileOf(task.workspace_path, "out.txt"), "late");
});

test("a worker whose lease ends with no owner ends itself; its run is reclaimed uncounted and the task worked again", async (t) => {
  proves(t, "R3");
  const home = workerHome(t, `${OFFLINE}kanban:\n  claim_ttl_seconds: 2\n`);
  const first = await home.owner();
  const { held, begun, open } = gate(t, home);
  const id = await home.create("alone", `run ${held}\nwrite file out.txt: x`);
  await begun();
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await noWorkers(home);
  open();
  await home.owner();
  const { task, runs } = await home.task(id, ended);
  const [lost] = runs;
  assert.deepEqual([lost?.outcome, lost?.exit_code, lost?.end_reason], ["reclaimed", 76, "lease_expired"]);
  assert.deepEqual([task.status, task.consecutive_failures], ["done", 0]);
});

test("a worker whose task is archived is gone when the command returns", async (t) => {
  const home = workerHome(t, OFFLINE);
  await home.owner();
  const id = await home.create("long", "run sleep 600");
  await home.task(id, spawned);
  await home.cli("kanban", "archive", id);
  assert.deepEqual(home.workers(), []);
});

interface Gate {
  readonly held: string;
  /** Its worker is at work: it needs nothing more of the owner that started it. */
  begun(): Promise<void>;
  open(): void;
}

/** A command that lasts until it is let go, however long its test takes. */
function gate(t: TestContext, { dir }: WorkerHome): Gate {
  const path = `${dir}-open`;
  const here = `${dir}-begun`;
  t.after(() => {
    for (const one of [path, here]) rmSync(one, { force: true });
  });
  return {
    held: `touch ${here}; until test -e ${path}; do sleep 0.1; done`,
    begun: () => eventually(() => existsSync(here)),
    open: () => writeFileSync(path, ""),
  };
}

const ended = ({ task }: TaskFacts) => task.status === "done" || task.status === "blocked";
const spawned = ({ runs }: TaskFacts) => runs.some((run) => run.worker_pid !== null);
const fileOf = (workspace: string | null, name: string) => readFileSync(join(workspace ?? "", name), "utf8").trim();

/** The exit record tells that the worker has ended; its runner follows at once. */
async function noWorkers(home: WorkerHome): Promise<void> {
  const { runs } = boardPlaces(home.dir, "default");
  await nameIsThere(runs, (name) => name.endsWith(".exit"));
  await eventually(() => home.workers().length === 0);
}
