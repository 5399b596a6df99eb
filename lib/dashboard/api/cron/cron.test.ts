import assert from "node:assert/strict";
import { test } from "node:test";
import { type DashboardWorld, dashboardWorld } from "../../../../fixtures/dashboard/world.js";

const JOBS = "/api/cron/jobs";

const made = async (world: DashboardWorld, body: Readonly<Record<string, unknown>> = {}) => {
  const answer = await world.ask("POST", JOBS, { schedule: "every 2h", prompt: "look at the mail", ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
};

test("a job is made, shown, changed, let rest and removed, and commands see the same", async (t) => {
  const world = await dashboardWorld(t);
  const job = await made(world, { name: "mail", deliver: "local", timezone: "Europe/Berlin", repeat: 3 });
  assert.deepEqual(
    [job["name"], job["schedule_display"], job["timezone"], job["state"], job["repeat"]],
    ["mail", "every 2h", "Europe/Berlin", "scheduled", { times: 3, completed: 0 }],
  );
  assert.equal(job["next_runs"]?.length, 3);
  assert.equal((await world.app.cron.show("mail")).job.id, job["id"]);
  const at = `${JOBS}/${job["id"]}`;
  const changed = await world.ask("PATCH", at, { schedule: "0 9 * * MON-FRI", repeat: null });
  assert.deepEqual(
    [changed.json["schedule"], changed.json["prompt"]],
    [{ kind: "cron", expr: "0 9 * * MON-FRI" }, "look at the mail"],
  );
  assert.equal((await world.ask("POST", `${at}/pause`, { reason: "holidays" })).json["paused_reason"], "holidays");
  const resumed = (await world.ask("POST", `${at}/resume`)).json;
  assert.deepEqual([resumed["state"], resumed["paused_reason"]], ["scheduled", null]);
  assert.equal((await world.ask("DELETE", at)).json["id"], job["id"]);
  assert.equal((await world.ask("GET", at)).status, 404);
  assert.deepEqual((await world.ask("GET", JOBS)).json, []);
});

test("a job runs when it is asked to, and its runs are listed", async (t) => {
  const world = await dashboardWorld(t, { script: [{ text: "no mail" }] });
  const job = await made(world, { name: "mail" });
  const run = (await world.ask("POST", `${JOBS}/mail/trigger`)).json;
  assert.deepEqual([run["job_id"], run["cause"], run["status"]], [job["id"], "manual", "ok"]);
  const runs = (await world.ask("GET", `${JOBS}/mail/runs`)).json;
  assert.deepEqual(
    runs.map((one) => one["id"]),
    [run["id"]],
  );
  assert.deepEqual((await world.ask("GET", `${JOBS}/mail/runs?offset=1`)).json, []);
  assert.equal((await world.ask("GET", `${JOBS}/mail`)).json["next_run_at"], job["next_run_at"]);
});

test("lists come in pages, with how many there are", async (t) => {
  const world = await dashboardWorld(t);
  for (const name of ["a", "b", "c"]) await made(world, { name });
  const page = await world.ask("GET", `${JOBS}?limit=2&offset=1`);
  assert.equal(page.headers["x-total-count"], "3");
  assert.equal(page.json.length, 2);
});

test("what cannot be a job is refused with the reason, and nothing is made", async (t) => {
  const world = await dashboardWorld(t);
  await made(world, { name: "twin" });
  await made(world, { name: "twin" });
  const cases: readonly (readonly [string, string, unknown, number, RegExp])[] = [
    ["POST", JOBS, { schedule: "now and then", prompt: "x" }, 400, /now and then/],
    ["POST", JOBS, { prompt: "x" }, 422, /schedule/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", timezone: "Mars/North" }, 400, /Mars/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", script: "../../etc/passwd" }, 400, /script/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", script: "\0" }, 400, /not a valid file name/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", script: "a".repeat(300) }, 400, /not a valid file name/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", workdir: "/\0" }, 400, /no such directory/],
    ["POST", JOBS, { schedule: "every 2h", prompt: "x", repeat: 0 }, 422, /repeat/],
    ["POST", JOBS, { schedule: "every 2h", prompt: 5 }, 422, /prompt/],
    ["PATCH", `${JOBS}/none`, { prompt: "x" }, 404, /no such job/],
    ["PATCH", `${JOBS}/twin`, { prompt: "x" }, 400, /2 jobs are named/],
    ["POST", `${JOBS}/none/trigger`, undefined, 404, /no such job/],
    ["DELETE", `${JOBS}/twin`, undefined, 400, /2 jobs are named/],
    ["GET", `${JOBS}?limit=0`, undefined, 422, /limit/],
    ["GET", `${JOBS}/%2e%2e%2f`, undefined, 404, /no such job/],
  ];
  for (const [method, path, body, status, text] of cases) {
    const answer = await world.ask(method, path, body);
    assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
    assert.match(answer.text, text);
  }
  assert.equal((await world.ask("POST", `${JOBS}/twin/resume`)).status, 400);
  assert.equal((await world.app.cron.list(true)).length, 2);
});

test("no one gets at jobs without the token, from another origin, or by another host name", async (t) => {
  const world = await dashboardWorld(t);
  const body = { schedule: "every 2h", prompt: "x" };
  assert.equal((await world.askPlain("GET", JOBS)).status, 401);
  assert.equal((await world.askPlain("POST", JOBS, { body })).status, 401);
  assert.equal((await world.ask("POST", JOBS, body, { origin: "https://evil.example" })).status, 403);
  assert.equal((await world.ask("GET", JOBS, undefined, { host: "evil.example" })).status, 400);
  assert.equal((await world.app.cron.list(true)).length, 0);
});

test("targets are a file and the chats that are known", async (t) => {
  const config = "platforms:\n  msgt:\n    home_channel:\n      chat_id: 42\n      name: Team\n";
  const world = await dashboardWorld(t, { config });
  const { json } = await world.ask("GET", "/api/cron/delivery-targets");
  assert.deepEqual(
    json.map((one) => [one["target"], one["home"]]),
    [
      ["local", false],
      ["msgt:42", true],
    ],
  );
});
