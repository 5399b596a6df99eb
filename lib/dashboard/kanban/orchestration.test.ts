import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { DEFAULT, openStage } from "../../../fixtures/dashboard/stage.js";
import { proves } from "../../../fixtures/requirements.js";
import { KANBAN_BASE } from "./request/base.js";

const at = (path: string) => `${KANBAN_BASE}${path}`;

test("orchestration is shown with what holds where nothing is set, and what is stored is in force at once (acceptance 86)", async (t) => {
  proves(t, "dashboard.orchestration.get", "dashboard.orchestration.put", "dashboard.bodies-decided");
  const { world, board, task } = await openStage(t, { config: "kanban:\n  default_assignee: gone # left last week\n" });
  await world.ask("POST", "/api/profiles", { name: "lead" });
  const shown = await world.ask("GET", at("/orchestration"));
  assert.deepEqual(shown.json, {
    orchestrator_profile: "",
    default_assignee: "gone",
    auto_decompose: true,
    auto_promote_children: true,
    resolved_orchestrator_profile: "default",
    resolved_default_assignee: "default",
    active_profile: "default",
  });
  const stored = await world.ask("PUT", at("/orchestration"), {
    auto_decompose: false,
    orchestrator_profile: " Lead ",
  });
  const { auto_decompose, orchestrator_profile, resolved_orchestrator_profile } = stored.json;
  assert.deepEqual([auto_decompose, orchestrator_profile, resolved_orchestrator_profile], [false, "lead", "lead"]);
  assert.deepEqual((await world.ask("GET", at("/orchestration"))).json, stored.json);
  const { id } = await task({ triage: true });
  assert.equal((await board.why(DEFAULT, id)).reasons[0]?.code, "triage_manual");
  const outcome = await world.ask("POST", at(`/tasks/${id}/decompose`));
  assert.deepEqual(
    new Set(Object.keys(outcome.json)),
    new Set(["ok", "task_id", "reason", "fanout", "child_ids", "new_title"]),
  );
  assert.match(readFileSync(world.home.config, "utf8"), /default_assignee: gone # left last week/);
  const cleared = await world.ask("PUT", at("/orchestration"), { orchestrator_profile: "", default_assignee: null });
  assert.deepEqual([cleared.json["orchestrator_profile"], cleared.json["default_assignee"]], ["", ""]);
});

test("a profile that is not there is refused, and nothing of the request is stored", async (t) => {
  const { world } = await openStage(t);
  const before = readFileSync(world.home.config, "utf8");
  const refused = await world.ask("PUT", at("/orchestration"), { auto_decompose: false, default_assignee: "nobody" });
  assert.deepEqual([refused.status, refused.json["code"]], [400, "E_INVALID"]);
  assert.equal(readFileSync(world.home.config, "utf8"), before);
});

test("settings that cannot be read are not overwritten", async (t) => {
  const { world } = await openStage(t);
  writeFileSync(world.home.config, "kanban: [broken\n");
  const refused = await world.ask("PUT", at("/orchestration"), { auto_decompose: false });
  assert.deepEqual([refused.status, refused.json["code"]], [400, "E_CONFIG"]);
  assert.equal(readFileSync(world.home.config, "utf8"), "kanban: [broken\n");
});

test("a description that someone wrote is replaced only when that is asked for (acceptance 87)", async (t) => {
  proves(t, "dashboard.profiles.list", "dashboard.profiles.patch", "dashboard.profiles.describe-auto");
  const { world } = await openStage(t);
  const written = await world.ask("PATCH", at("/profiles/default"), { description: "Plans." });
  assert.deepEqual(written.json, { ok: true, profile: "default", description: "Plans.", description_auto: false });
  const refused = await world.ask("POST", at("/profiles/default/describe-auto"));
  assert.deepEqual([refused.status, refused.json["ok"], refused.json["description"]], [200, false, "Plans."]);
  assert.match(refused.text, /written by a user/);
  const replaced = await world.ask("POST", at("/profiles/default/describe-auto"), { overwrite: true });
  assert.deepEqual([replaced.json["ok"], replaced.json["description"]], [true, "Does things."]);
  const { json } = await world.ask("GET", at("/profiles"));
  const [row] = json["profiles"] ?? [];
  assert.deepEqual(Object.keys(row ?? {}), [
    "name",
    "is_default",
    "model",
    "provider",
    "description",
    "description_auto",
    "skill_count",
  ]);
  assert.deepEqual([row?.["description"], row?.["description_auto"]], ["Does things.", true]);
  assert.equal((await world.ask("PATCH", at("/profiles/default"), { description: "" })).json["description"], "");
  for (const [method, path, body] of [
    ["PATCH", "/profiles/none", { description: "x" }],
    ["POST", "/profiles/none/describe-auto", {}],
  ] as const)
    assert.equal((await world.ask(method, at(path), body)).status, 404);
});

test("how the board's page begins is what the settings say", async (t) => {
  const { world } = await openStage(t, {
    config: "dashboard:\n  kanban:\n    default_tenant: ops\n    lane_by_profile: false\n",
  });
  const { json } = await world.ask("GET", at("/config"));
  assert.deepEqual(json, {
    default_tenant: "ops",
    lane_by_profile: false,
    include_archived_by_default: false,
    render_markdown: true,
  });
});

test("home chats are those that are configured; a task is told there and no more", async (t) => {
  const config = "platforms:\n  msgt:\n    home_channel: {chat_id: 42, name: Team}\n  msgd: {home_channel: {}}\n";
  const { world, task } = await openStage(t, { config });
  const { id } = await task();
  const home = { platform: "msgt", chat_id: "42", thread_id: "", name: "Team" };
  const shown = async () => (await world.ask("GET", at(`/home-channels?task_id=${id}`))).json["home_channels"];
  assert.deepEqual(await shown(), [{ ...home, subscribed: false }]);
  const told = await world.ask("POST", at(`/tasks/${id}/home-subscribe/msgt`));
  assert.deepEqual(told.json, { ok: true, task_id: id, home_channel: { ...home, subscribed: true } });
  assert.deepEqual(await shown(), [{ ...home, subscribed: true }]);
  assert.equal((await world.ask("DELETE", at(`/tasks/${id}/home-subscribe/msgt`))).status, 200);
  assert.deepEqual(await shown(), [{ ...home, subscribed: false }]);
  assert.equal((await world.ask("POST", at(`/tasks/${id}/home-subscribe/msgd`))).status, 404);
});

test("home chats are those that the gateway sends to: of config.yaml, of the environment over it, and what /sethome has made one since", async (t) => {
  const config =
    "msgt:\n  home_channel: {chat_id: 42, name: Team}\nplatforms:\n  msgd: {home_channel: {chat_id: 7}}\n  msgl: {home_channel: [1]}\n";
  const { world } = await openStage(t, {
    config,
    env: { MSGD_HOME_CHANNEL: "8:9", MSGW_HOME_CHANNEL: "19:team@thread" },
  });
  const shown = async () => {
    const { home_channels } = (await world.ask("GET", at("/home-channels"))).json;
    assert.ok(Array.isArray(home_channels));
    return home_channels.map(({ platform, chat_id, thread_id, name }) =>
      [platform, chat_id, thread_id, name].join(" "),
    );
  };
  const before = ["msgd 8 9 Home", "msgt 42  Team", "msgw 19:team@thread  Home"];
  assert.deepEqual(await shown(), before);
  const { settings } = world.app; // what the command does in a chat
  await settings.setVariable("MSGT_HOME_CHANNEL", "-100");
  await settings.setVariable("MSGT_HOME_CHANNEL_THREAD_ID", "3");
  assert.deepEqual(await shown(), [before[0], "msgt -100 3 Home", before[2]]);
});
