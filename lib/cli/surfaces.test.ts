import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";
import { proves } from "../../fixtures/requirements.js";
import { runLine } from "../../fixtures/sim/run-line.js";
import { COMMANDS } from "../commands/index.gen.js";
import { services } from "../rpc/commands/command-services.js";
import { runSlash, type SlashServices } from "./run-slash.js";

test("command line, slash command, dashboard, tools of a conversation and dispatcher work on one board", async (t) => {
  proves(t, "board.surfaces");
  const create = { name: "kanban_create", arguments: { title: "by a tool", assignee: "default" } };
  const world = await dashboardWorld(t, {
    script: { pick: "history", replies: [{ tool_calls: [create] }, { text: "made" }] },
    config: "toolsets: [agent-cli, kanban]\n",
  });
  const { app, home, work } = world;
  const own = { ...services(app), cwd: work };
  await runLine(["kanban", "create", "by a line", "--assignee", "default"], own);
  const call = { text: '/kanban create "by a slash" --assignee default', session: undefined };
  const slash = { ...own, env: {}, columns: 80, color: false, signal: new AbortController().signal };
  await runSlash(call, slash as unknown as SlashServices, COMMANDS); // a command on the board uses no conversation
  const posted = await world.ask("POST", "/api/plugins/kanban/tasks", { title: "by a request", assignee: "default" });
  assert.ok(posted.status < 300, posted.text);
  const session = await app.chat.create({
    source: "cli",
    cwd: work,
    env: { HOME: home.dir, PATH: process.env["PATH"] ?? "" },
  });
  assert.equal((await app.chat.submit({ session: session.id, text: "make a task" })).final_response, "made");
  const titles = ["by a line", "by a request", "by a slash", "by a tool"];
  const listed = JSON.parse((await runLine(["kanban", "list", "--json"], own)).out) as readonly { title: string }[];
  assert.deepEqual(listed.map(({ title }) => title).toSorted(), titles);
  const { text } = await world.ask("GET", "/api/plugins/kanban/board");
  for (const title of titles) assert.ok(text.includes(title), title);
  const pass = JSON.parse((await runLine(["kanban", "dispatch", "--dry-run", "--json"], own)).out);
  assert.ok(pass.spawned.length > 0, "the dispatcher would start what the others made");
});

test("what has no command of its own is a slash command, which the command line runs as well", async (t) => {
  proves(t, "cli.exists");
  const unreached = COMMANDS.filter(({ surfaces }) => !surfaces.includes("cli") && !surfaces.includes("slash"));
  assert.deepEqual(
    unreached.map(({ path }) => path),
    [],
  );
  const world = await dashboardWorld(t);
  const own = { ...services(world.app), cwd: world.work };
  for (const { path } of COMMANDS.filter(({ surfaces }) => !surfaces.includes("cli"))) {
    const { code, out } = await runLine(["-z", `/${path} --help`], own);
    assert.ok(code === 0 && out.includes(path.split(" ")[0] ?? path), `/${path}: ${code} ${out}`);
  }
});
