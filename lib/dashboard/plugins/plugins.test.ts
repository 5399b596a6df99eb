import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { addressOf, refusalOf } from "../../../fixtures/dashboard/socket.js";
import { type DashboardWorld, dashboardWorld } from "../../../fixtures/dashboard/world.js";
import type { DashboardServices } from "../core/parts.js";

/** A plugin whose every way of running leaves a mark. */
const api = (mark: string) => `
  import { writeFileSync } from "node:fs";
  writeFileSync(${JSON.stringify(mark)}, "ran");
  export default (router, ctx) => {
    router.get("/", () => ({ json: { name: ctx.name } }));
    router.post("/items/:id", ({ params, query, body }) => ({ status: 201, json: { params, query, body } }));
    router.delete("/items/:id", () => undefined);
    router.get("/broken", () => { throw new Error("a detail of the plugin"); });
    router.socket("/echo", (socket, { query }) => { socket.send("hello " + query.name); socket.onMessage((text) => socket.send(text)); });
  };`;

interface Placed {
  readonly world: DashboardWorld;
  readonly mark: string;
  write(path: string, text: string): void;
}

/** A dashboard with the plugin `notes`, whose key is `key`, in its home. */
async function withPlugin(t: TestContext, config: string, key = "notes", manifest: object = {}): Promise<Placed> {
  const world = await dashboardWorld(t, { config });
  const mark = join(world.work, "mark");
  const write = (path: string, text: string) => {
    const whole = join(world.home.dir, "plugins", key, "dashboard", path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
  };
  write("../plugin.yaml", "name: notes\n");
  write(
    "manifest.json",
    JSON.stringify({ name: "notes", label: "Notes", api: "api.mjs", css: "dist/notes.css", ...manifest }),
  );
  write("api.mjs", api(mark));
  write("dist/index.js", "export const mount = () => () => undefined;");
  write("dist/notes.css", "p { color: red }");
  return { world, mark, write };
}

const ENABLED = "plugins:\n  enabled: [notes]\n";

test("an enabled plugin is listed without paths of the server, and its api answers behind the token", async (t) => {
  const { world, mark } = await withPlugin(t, ENABLED);
  const { ask, askPlain, home } = world;
  const list = await ask("GET", "/api/dashboard/plugins");
  assert.deepEqual(
    list.json["plugins"]?.map((one) => [one["name"], one["source"], one["error"]]),
    [
      ["notes", "user", null],
      ["kanban", "bundled", null],
    ],
  );
  assert.equal(list.json["plugins"]?.[0]?.["entry"], "dashboard-plugins/notes/dist/index.js");
  assert.ok(!list.text.includes(home.dir));
  assert.ok(existsSync(mark));
  assert.equal((await askPlain("GET", "/api/plugins/notes")).status, 401);
  assert.equal((await ask("GET", "/api/plugins/notes", undefined, { host: "evil.example" })).status, 400);
  assert.deepEqual((await ask("GET", "/api/plugins/notes")).json, { name: "notes" });
  const made = await ask("POST", "/api/plugins/notes/items/a%20b?x=1&x=2", { text: "t" });
  assert.deepEqual(
    [made.status, made.json],
    [201, { params: { id: "a b" }, query: { x: ["1", "2"] }, body: { text: "t" } }],
  );
  assert.equal((await ask("DELETE", "/api/plugins/notes/items/1")).status, 204);
  assert.equal((await ask("PUT", "/api/plugins/notes/items/1")).status, 405);
  const broken = await ask("GET", "/api/plugins/notes/broken");
  assert.equal(broken.status, 500);
  assert.ok(!broken.text.includes("a detail"));
});

const SILENT = [
  { why: "it is not enabled", config: "" },
  { why: "another one is", config: "plugins:\n  enabled: [other]\n" },
  { why: "it is disabled as well", config: "plugins:\n  enabled: [notes]\n  disabled: [notes]\n" },
];

for (const { why, config } of SILENT)
  test(`nothing of a plugin is run, listed or served when ${why}`, async (t) => {
    const { world, mark } = await withPlugin(t, config);
    const { ask } = world;
    assert.deepEqual(
      (await ask("GET", "/api/dashboard/plugins")).json["plugins"]?.map((one) => one["name"]),
      ["kanban"],
    );
    assert.equal((await ask("POST", "/api/dashboard/plugins/rescan")).json["count"], 1);
    assert.equal((await ask("GET", "/api/plugins/notes")).status, 404);
    assert.equal((await ask("GET", "/dashboard-plugins/notes/dist/index.js")).status, 404);
    assert.ok(!existsSync(mark));
  });

test("a plugin that is enabled while the dashboard is open is there after a rescan, and gone as soon as it is disabled", async (t) => {
  const { world, mark } = await withPlugin(t, "");
  const { ask, app } = world;
  const set = (key: string, text: string) => app.settings.set(key, text, { asText: false, force: false });
  await ask("GET", "/api/dashboard/plugins");
  await set("plugins.enabled", '["notes"]');
  assert.equal((await ask("POST", "/api/dashboard/plugins/rescan")).json["count"], 2);
  assert.equal((await ask("GET", "/api/plugins/notes")).status, 200);
  assert.ok(existsSync(mark));
  await set("plugins.disabled", '["notes"]');
  assert.equal((await ask("GET", "/api/plugins/notes")).status, 404);
  assert.equal((await ask("GET", "/dashboard-plugins/notes/dist/index.js")).status, 404);
});

test("a rescan runs the api that is there by then", async (t) => {
  const { world, write } = await withPlugin(t, ENABLED);
  const { ask } = world;
  assert.deepEqual((await ask("GET", "/api/plugins/notes")).json, { name: "notes" });
  write("api.mjs", 'export default (router) => router.get("/", () => ({ json: "new" }));');
  await ask("POST", "/api/dashboard/plugins/rescan");
  assert.equal((await ask("GET", "/api/plugins/notes")).text, '"new"');
});

const BROKEN = [
  { what: "does not parse", text: "export default (", says: /failed to load its API/ },
  { what: "throws", text: 'throw new Error("no luck")', says: /no luck/ },
  { what: "exports nothing", text: "export const a = 1;", says: /default export is not a function/ },
  {
    what: "adds a path that is none",
    text: 'export default (router) => router.get("no slash", () => ({}))',
    says: /is not a path/,
  },
];
for (const { what, text, says } of BROKEN)
  test(`a plugin whose api ${what} stays listed and says so, and the others go on`, async (t) => {
    const { world, write } = await withPlugin(t, ENABLED);
    write("api.mjs", text);
    const [first] = (await world.ask("GET", "/api/dashboard/plugins")).json["plugins"] ?? [];
    assert.equal(first?.["name"], "notes");
    assert.match(String(first?.["error"]), says);
    assert.equal((await world.ask("GET", "/api/plugins/notes")).status, 404);
    assert.equal((await world.ask("GET", "/api/plugins/kanban/boards")).status, 200);
  });

test("files of a plugin are served to browsers, and nothing beside them", async (t) => {
  const { world, write } = await withPlugin(t, ENABLED);
  const { askPlain, home } = world;
  write("secret.yaml", "key: value");
  write("page.html", "<script>alert(1)</script>");
  writeFileSync(join(home.dir, "plugins/notes/outside.js"), "outside");
  const dashboard = join(home.dir, "plugins/notes/dashboard");
  symlinkSync(join(home.dir, "plugins/notes/outside.js"), join(dashboard, "link.js"));
  symlinkSync(join(dashboard, "dist/index.js"), join(dashboard, "inner.js"));
  const status = async (path: string) => (await askPlain("GET", `/dashboard-plugins/notes/${path}`)).status;
  const served = await askPlain("GET", "/dashboard-plugins/notes/dist/index.js");
  assert.deepEqual([served.status, served.headers["content-type"]], [200, "text/javascript; charset=utf-8"]);
  assert.ok(served.headers["content-security-policy"]);
  const wanted: Readonly<Record<string, number>> = {
    "dist/notes.css": 200,
    "inner.js": 200,
    "dist/none.js": 404,
    "": 404,
    "secret.yaml": 404,
    "page.html": 404,
    "api.mjs": 404,
    "manifest.json": 200,
    "link.js": 403,
    "../outside.js": 403,
    "%2e%2e/outside.js": 403,
    "..%2foutside.js": 403,
    "dist/../../outside.js": 403,
    "../../../config.yaml": 403,
    "..%5coutside.js": 404,
    "dist/index.js%00.png": 404,
    "%ff.js": 404,
  };
  for (const [path, expected] of Object.entries(wanted)) assert.equal(await status(path), expected, path);
});

test("a WebSocket of a plugin needs a ticket like every other", async (t) => {
  const { world } = await withPlugin(t, ENABLED);
  const { ask, open } = world;
  await ask("GET", "/api/dashboard/plugins");
  const path = `ws://127.0.0.1:${open.port}/api/plugins/notes/echo`;
  const without = new WebSocket(path);
  const code = await new Promise((resolve) => without.on("close", resolve));
  assert.equal(code, 1008);
  const { json } = await ask("POST", "/api/auth/ws-ticket");
  const socket = new WebSocket(`${path}?name=you&ticket=${String(json["ticket"])}`);
  const heard: string[] = [];
  await new Promise<void>((resolve) => {
    socket.on("message", (data: Buffer) => {
      heard.push(data.toString("utf8"));
      if (heard.length === 1) socket.send("again");
      else resolve();
    });
  });
  socket.close();
  assert.deepEqual(heard, ["hello you", "again"]);
});

test("a WebSocket of a plugin is there before anyone has looked at the list, and gone as soon as it is disabled", async (t) => {
  const { world } = await withPlugin(t, ENABLED);
  const ask = { name: "you" };
  const way = () => addressOf(world, "/api/plugins/notes/echo", { ...ask, ticket: world.open.access.socketTicket() });
  const socket = new WebSocket(way());
  assert.equal(String((await once(socket, "message"))[0]), "hello you");
  socket.close();
  await world.app.settings.set("plugins.disabled", '["notes"]', { asText: false, force: false });
  assert.equal(await refusalOf(way()), 400);
});

test("the board is a plugin of the program: disabled, nothing of it is served", async (t) => {
  const { ask } = await dashboardWorld(t, { config: "plugins:\n  disabled: [kanban]\n" });
  assert.deepEqual((await ask("GET", "/api/dashboard/plugins")).json, { plugins: [] });
  assert.equal((await ask("GET", "/api/plugins/kanban/board")).status, 404);
});

test("what a plugin answers and cannot be written is a fault of ours to the client, not a connection that breaks", async (t) => {
  const { world, write } = await withPlugin(t, ENABLED);
  write("api.mjs", 'export default (router) => router.get("/", () => ({ json: 1n }));');
  const answer = await world.ask("GET", "/api/plugins/notes");
  assert.deepEqual([answer.status, answer.json["code"]], [500, "E_INTERNAL"]);
});

test("a plugin of the user takes the place of the program's own with the same name, one in a category is named with it", async (t) => {
  const { world } = await withPlugin(t, "plugins:\n  enabled: [mine/notes]\n", "mine/notes", { name: "kanban" });
  const { ask } = world;
  assert.deepEqual(
    (await ask("GET", "/api/dashboard/plugins")).json["plugins"]?.map((one) => one["source"]),
    ["user"],
  );
  assert.deepEqual((await ask("GET", "/api/plugins/kanban")).json, { name: "kanban" });
  assert.equal((await ask("GET", "/api/plugins/kanban/board")).status, 404);
});

test("a plugin of a project is shown when it is enabled, and its api never runs", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "agent-project-"));
  t.after(() => rmSync(root, { recursive: true }));
  const dashboard = join(root, "notes/dashboard");
  mkdirSync(dashboard, { recursive: true });
  writeFileSync(join(dashboard, "manifest.json"), JSON.stringify({ name: "notes", api: "api.mjs" }));
  writeFileSync(join(dashboard, "api.mjs"), api(join(root, "mark")));
  const agentPlugins = {
    directories: async () => [{ key: "notes", source: "project", dir: join(root, "notes") }],
  } as unknown as DashboardServices["agentPlugins"]; // all that it is asked for here
  const { ask } = await dashboardWorld(t, { config: ENABLED, services: { agentPlugins } });
  const found = (await ask("GET", "/api/dashboard/plugins")).json["plugins"]?.map((one) => [
    one["name"],
    one["source"],
    one["has_api"],
  ]);
  assert.deepEqual(found, [
    ["kanban", "bundled", true],
    ["notes", "project", false],
  ]);
  assert.equal((await ask("GET", "/api/plugins/notes")).status, 404);
  assert.ok(!existsSync(join(root, "mark")));
});

test("a directory with a dashboard and no plugin.yaml is not a plugin", async (t) => {
  const { world } = await withPlugin(t, ENABLED);
  rmSync(join(world.home.dir, "plugins/notes/plugin.yaml"));
  const names = async () =>
    (await world.ask("GET", "/api/dashboard/plugins")).json["plugins"]?.map((one) => one["name"]);
  assert.deepEqual(await names(), ["kanban"]);
});

test("plugins are listed, enabled, disabled, hidden and removed over REST, also by a key of two levels", async (t) => {
  const { world } = await withPlugin(t, "", "mine/notes");
  const { ask } = world;
  const hub = async () => {
    const { json } = await ask("GET", "/api/dashboard/plugins/hub");
    return json["plugins"]?.find((one) => String(one["key"]) === "mine/notes")?.["state"];
  };
  assert.equal(await hub(), "not enabled");
  const at = "/api/dashboard/plugins/mine%2Fnotes";
  assert.equal((await ask("POST", `${at}/enable`)).status, 200);
  assert.match(String(await hub()), /enabled|error/);
  assert.deepEqual((await ask("POST", `${at}/visibility`, { hidden: true })).json, { hidden: ["mine/notes"] });
  const page = (await ask("GET", "/api/dashboard/plugins")).json["plugins"]?.find(
    (one) => String(one["name"]) === "notes",
  );
  assert.equal(Reflect.get(Object(page?.["tab"]), "hidden"), true);
  assert.equal((await ask("POST", `${at}/disable`)).status, 200);
  assert.equal(await hub(), "disabled");
  assert.equal((await ask("POST", `${at}/update`, {})).status, 409);
  assert.deepEqual((await ask("DELETE", at)).json, { removed: true });
  assert.equal((await ask("DELETE", at)).status, 404);
  assert.ok(!existsSync(join(world.home.dir, "plugins/mine")));
});
