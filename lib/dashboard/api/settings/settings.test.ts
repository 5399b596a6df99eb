import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dashboardWorld } from "../../../../fixtures/dashboard/world.js";
import { manualClock } from "../../../../fixtures/ports/clock.js";
import { randomIds } from "../../../base/ids.js";

const CONFIG = `providers:
  acme:
    base_url: https://acme.example
    api_key: sk-secret-1 # paid
kanban:
  failure_limit: 3 # patience
`;

test("settings are shown and changed without their secrets, and the comments of the file stay", async (t) => {
  const world = await dashboardWorld(t, { config: CONFIG });
  const text = () => readFileSync(world.home.config, "utf8");
  const shown = await world.ask("GET", "/api/config");
  assert.deepEqual(shown.json["kanban.failure_limit"], { value: 3, source: "file" });
  const changed = await world.ask("PUT", "/api/config", {
    values: { "kanban.failure_limit": 4, "kanban.retry_backoff_seconds": 5 },
  });
  assert.deepEqual(changed.json["kanban.failure_limit"], { value: 4, source: "file" });
  assert.match(text(), /failure_limit: 4 # patience/);
  assert.match(text(), /api_key: sk-secret-1 # paid/);
  const removed = await world.ask("PUT", "/api/config", { values: { "kanban.failure_limit": null } });
  assert.deepEqual(removed.json["kanban.failure_limit"], { value: 2, source: "default" });
  for (const path of ["", "/raw", "/defaults", "/schema"])
    assert.doesNotMatch((await world.ask("GET", `/api/config${path}`)).text, /sk-secret/, path);
  assert.match(String((await world.ask("GET", "/api/config/raw")).json["text"]), /api_key: "?\[secret\]"? # paid/);
});

const REFUSED = [
  {
    name: "an unknown key",
    values: { "kanban.failure_limt": 1 },
    status: 400,
    says: /did you mean kanban.failure_limit/,
  },
  { name: "a value of another kind", values: { "kanban.failure_limit": "many" }, status: 400, says: /a whole number/ },
  {
    name: "one bad value beside a good one",
    values: { "kanban.failure_limit": 9, "kanban.auto_decompose": "perhaps" },
    status: 400,
    says: /true or false/,
  },
  { name: "no values", values: undefined, status: 422, says: /values/ },
];
for (const { name, values, status, says } of REFUSED)
  test(`${name} changes no setting and is explained`, async (t) => {
    const world = await dashboardWorld(t, { config: CONFIG });
    const before = readFileSync(world.home.config, "utf8");
    const answer = await world.ask("PUT", "/api/config", { values });
    assert.equal(answer.status, status);
    assert.match(answer.text, says);
    assert.equal(readFileSync(world.home.config, "utf8"), before);
  });

test("every key is described with what it takes", async (t) => {
  const world = await dashboardWorld(t);
  const { text } = await world.ask("GET", "/api/config/schema");
  const { keys } = JSON.parse(text) as { keys: readonly Record<string, unknown>[] }; // its form is held to its description elsewhere
  const { help, ...rest } = keys.find((one) => one["key"] === "kanban.dispatch_interval_seconds") ?? {};
  assert.deepEqual(rest, {
    key: "kanban.dispatch_interval_seconds",
    type: "integer",
    min: 1,
    max: 3600,
    default: 60,
    env: null,
    secret: false,
  });
  assert.ok(String(help).length > 10);
});

test("variables are masked, and shown five times in 30 seconds at most", async (t) => {
  const clock = manualClock();
  const world = await dashboardWorld(t, { clock });
  const { createApiMemory } = await import("../../core/memory.js");
  const limited = await dashboardWorld(t, {
    clock,
    services: { memory: createApiMemory(clock, randomIds), settings: world.app.settings },
  });
  assert.equal((await limited.ask("PUT", "/api/env", { name: "ACME_API_KEY", value: "sk-secret-2" })).status, 200);
  const listed = await limited.ask("GET", "/api/env");
  assert.deepEqual(listed.json["variables"], [{ name: "ACME_API_KEY", value: "[secret]" }]);
  const reveal = (name = "ACME_API_KEY") => limited.ask("POST", "/api/env/reveal", { name });
  for (let times = 0; times < 4; times++) assert.equal((await reveal()).json["value"], "sk-secret-2");
  assert.equal((await reveal("NOT_THERE")).status, 404, "asking for what is not there counts too");
  const refused = await reveal();
  assert.deepEqual([refused.status, refused.json["code"]], [429, "E_BUSY"]);
  clock.advance(30_001);
  assert.equal((await reveal()).status, 200);
  assert.deepEqual((await limited.ask("DELETE", "/api/env?name=ACME_API_KEY")).json["variables"], []);
  assert.equal((await limited.ask("DELETE", "/api/env?name=ACME_API_KEY")).status, 404);
  for (const [name, value] of [
    ["LD_PRELOAD", "x"],
    ["a b", "x"],
    ["A_KEY", "two\nlines"],
  ])
    assert.equal((await limited.ask("PUT", "/api/env", { name, value })).status, 400, name);
});

test("the model of new sessions is shown, and another one is chosen", async (t) => {
  const world = await dashboardWorld(t);
  const info = (await world.ask("GET", "/api/model/info")).json;
  assert.deepEqual(
    [info["provider"], info["model"], info["window"], info["problem"]],
    ["custom", "fake-1", 128_000, null],
  );
  const options = (await world.ask("GET", "/api/model/options?refresh=true")).json;
  assert.deepEqual(
    options["providers"]?.map((one) => one["models"]),
    [["fake-1"]],
  );
  const chosen = await world.ask("POST", "/api/model/set", { model: "fake-2", provider: "custom" });
  assert.deepEqual([chosen.status, chosen.json["changed"]], [200, true]);
  assert.equal((await world.ask("GET", "/api/model/info")).json["model"], "fake-2");
  const unknown = await world.ask("POST", "/api/model/set", { model: "x", provider: "nobody" });
  assert.deepEqual([unknown.status, unknown.json["code"]], [404, "E_NOT_FOUND"]);
});

test("profiles are made, described and listed; a name that is taken or none is refused", async (t) => {
  const world = await dashboardWorld(t);
  const made = await world.ask("POST", "/api/profiles", { name: "coder", description: "Writes code." });
  assert.deepEqual([made.status, made.json["name"], made.json["description"]], [201, "coder", "Writes code."]);
  assert.equal((await world.ask("POST", "/api/profiles", { name: "coder" })).status, 409);
  assert.equal((await world.ask("POST", "/api/profiles", { name: "../x" })).status, 400);
  assert.equal(
    (await world.ask("PUT", "/api/profiles/coder/description", { description: "Tests." })).json["description"],
    "Tests.",
  );
  assert.deepEqual(
    (await world.ask("GET", "/api/profiles")).json.map((one) => one["name"]),
    ["default", "coder"],
  );
  assert.deepEqual(
    [
      (await world.ask("GET", "/api/profiles/active")).json["name"],
      (await world.ask("GET", "/api/profiles/coder")).json["is_current"],
    ],
    ["default", false],
  );
});

test("a toolset is taken away from new sessions and given back", async (t) => {
  const world = await dashboardWorld(t);
  const on = async () =>
    (await world.ask("GET", "/api/tools")).json["toolsets"]?.find((one) => String(one["name"]) === "clarify")?.["on"];
  const off = await world.ask("PUT", "/api/tools/toolsets/clarify", { enabled: false });
  assert.deepEqual([off.json["disabled"], await on()], [["clarify"], false]);
  await world.ask("PUT", "/api/tools/toolsets/clarify", { enabled: true });
  assert.equal(await on(), true);
  assert.equal((await world.ask("PUT", "/api/tools/toolsets/none", { enabled: true })).status, 400);
  assert.equal((await world.ask("PUT", "/api/tools/toolsets/clarify", {})).status, 422);
});

test("a key is kept, listed without itself, and removed by its label", async (t) => {
  const world = await dashboardWorld(t);
  const made = await world.ask("POST", "/api/credentials/pool", {
    provider: "anthropic",
    api_key: "sk-ant-very-secret",
    label: "work",
  });
  const { providers } = JSON.parse(made.text) as {
    providers: readonly { entries: readonly Record<string, unknown>[] }[];
  }; // its form is held to its description elsewhere
  const entry = providers[0]?.entries[0];
  assert.deepEqual([made.status, entry?.["label"], entry?.["type"], entry?.["status"]], [201, "work", "api_key", "ok"]);
  const listed = await world.ask("GET", "/api/credentials/pool");
  for (const { text } of [made, listed]) assert.doesNotMatch(text, /very-secret/);
  assert.equal((await world.ask("GET", "/api/providers/oauth/anthropic")).json["type"], "api_key");
  assert.deepEqual((await world.ask("POST", "/api/credentials/pool/anthropic/reset")).json, {
    provider: "anthropic",
    reset: 0,
  });
  const removed = await world.ask("DELETE", "/api/credentials/pool/anthropic/work");
  assert.equal(removed.json["removed"]?.["label"], "work");
  assert.equal((await world.ask("DELETE", "/api/credentials/pool/anthropic/work")).status, 404);
  assert.equal((await world.ask("GET", "/api/providers/oauth/nobody")).status, 400);
  assert.deepEqual((await world.ask("DELETE", "/api/providers/oauth/anthropic")).json, {
    provider: "anthropic",
    removed: 0,
    revoked: 0,
  });
});

test("a kind of side work gets a model of its own, and loses it again", async (t) => {
  const world = await dashboardWorld(t, { config: "auxiliary:\n  goal_judge: {model: small} # cheap\n" });
  const slot = async (name: string) => {
    const { slots } = JSON.parse((await world.ask("GET", "/api/model/auxiliary")).text) as {
      slots: readonly Record<string, unknown>[];
    }; // held to its description elsewhere
    return slots.find((one) => one["slot"] === name);
  };
  assert.deepEqual(await slot("goal_judge"), {
    slot: "goal_judge",
    provider: "auto",
    model: "small",
    base_url: null,
    timeout: 30,
  });
  await world.ask("PUT", "/api/model/auxiliary", { slot: "title_generation", provider: "custom", model: "fake-2" });
  assert.deepEqual(await slot("title_generation"), {
    slot: "title_generation",
    provider: "custom",
    model: "fake-2",
    base_url: null,
    timeout: 30,
  });
  await world.ask("PUT", "/api/model/auxiliary", { slot: "title_generation", provider: null, model: "" });
  assert.equal((await slot("title_generation"))?.["provider"], "auto");
  assert.match(readFileSync(world.home.config, "utf8"), /model: small.*# cheap/);
  assert.equal((await world.ask("PUT", "/api/model/auxiliary", { slot: "none" })).status, 422);
});
