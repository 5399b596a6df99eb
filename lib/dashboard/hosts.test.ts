import assert from "node:assert/strict";
import { test } from "node:test";
import { dashboardWorld } from "../../fixtures/dashboard/world.js";
import { proves } from "../../fixtures/requirements.js";

test("DB3: a dashboard on every address answers to the names that are allowed, and to nothing that begins like them", async (t) => {
  const config = "dashboard:\n  allowed_hosts: [desk.example]\n";
  const { ask, open } = await dashboardWorld(t, { config, host: "0.0.0.0" });
  const asked = async (host: string) => (await ask("GET", "/api/openapi.json", undefined, { host })).status;
  assert.equal(await asked("desk.example"), 200);
  assert.equal(await asked(`Desk.Example.:${open.port}`), 200);
  assert.equal(await asked("desk.example.evil.test"), 400);
  assert.equal(await asked("evil.example"), 400);
  const refused = await ask("GET", "/api/status", undefined, { host: "desk.example.evil.test" });
  assert.match(String(refused.json["detail"]), /^Invalid Host header\. /);
});

test("pages of an allowed origin may call it and read the answers; no other origin gets so much as a header", async (t) => {
  const config = "dashboard:\n  allowed_origins: ['https://panel.example']\n";
  const { ask, askPlain, url } = await dashboardWorld(t, { config });
  const headers = { origin: "https://panel.example", "sec-fetch-site": "cross-site" };
  const preflight = await askPlain("OPTIONS", "/api/auth/ws-ticket", { headers });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers["access-control-allow-methods"], "POST");
  assert.match(String(preflight.headers["access-control-allow-headers"]), /x-agent-session-token/);
  const allowed = await ask("POST", "/api/auth/ws-ticket", {}, headers);
  const { vary } = allowed.headers;
  assert.deepEqual(
    [allowed.status, allowed.headers["access-control-allow-origin"], vary],
    [200, "https://panel.example", "Origin"],
  );
  const listed = await ask("GET", "/api/sessions", undefined, headers);
  const readable = String(listed.headers["access-control-expose-headers"]).split(", ");
  for (const name of ["etag", "x-total-count", "retry-after"])
    assert.ok(readable.includes(name), `a page can read ${name}`);
  for (const origin of ["https://evil.example", "null", "http://panel.example", "https://panel.example.evil.test"]) {
    const refused = await ask("POST", "/api/auth/ws-ticket", {}, { origin });
    assert.equal(refused.status, 403);
    assert.ok(!Object.keys(refused.headers).some((name) => name.startsWith("access-control-")));
  }
  const own = await ask(
    "POST",
    "/api/auth/ws-ticket",
    {},
    { origin: url.replace(/\/$/, ""), "sec-fetch-site": "same-origin" },
  );
  assert.equal(own.status, 200);
});

test("below a base path everything is there with the prefix and without it, for proxies of both kinds", async (t) => {
  proves(t, "names.base-url");
  const { ask, askPlain, url, open } = await dashboardWorld(t, { config: "dashboard:\n  base_path: /tools/agent/\n" });
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/tools\/agent\/$/);
  assert.ok(open.entryUrl().startsWith(`${url}#code=`));
  for (const path of ["/", "/app.js", "/api/status"])
    for (const base of ["", "/tools/agent"])
      assert.equal((await askPlain("GET", base + path)).status, 200, base + path);
  const bare = await askPlain("GET", "/tools/agent");
  assert.deepEqual([bare.status, bare.headers.location], [308, "/tools/agent/"]);
  assert.equal((await askPlain("GET", "/tools/agentx/api/status")).status, 404);
  assert.equal((await askPlain("GET", "/tools/agent/api/openapi.json")).status, 401);
  assert.equal((await ask("GET", "/tools/agent/api/openapi.json")).status, 200);
});

test("the page and all its files forbid foreign content and frames, and nothing under /api is kept", async (t) => {
  const { ask, askPlain } = await dashboardWorld(t);
  for (const path of ["/", "/index.html", "/app.js"]) {
    const { status, headers } = await askPlain("GET", path);
    assert.equal(status, 200);
    const policy = String(headers["content-security-policy"]);
    assert.ok(policy.includes("default-src 'none'") && !/unsafe|\*|http/.test(policy), policy);
    const { "x-frame-options": frame, "x-content-type-options": sniff, "referrer-policy": referrer } = headers;
    assert.deepEqual([frame, sniff, referrer], ["DENY", "nosniff", "no-referrer"]);
    const known = await askPlain("GET", path, { headers: { "if-none-match": String(headers.etag) } });
    assert.deepEqual([known.status, known.text], [304, ""]);
  }
  for (const path of ["/api/status", "/api/openapi.json", "/api/none"]) {
    const { headers } = await ask("GET", path);
    assert.deepEqual([headers["cache-control"], headers["x-content-type-options"]], ["no-store", "nosniff"]);
  }
});

const NOWHERE = [
  "/none",
  "/../config.yaml",
  "/%2e%2e/config.yaml",
  "/..%2fconfig.yaml",
  "/app.js/",
  "//app.js",
  "/app.js%00",
  "/.env",
  "/index",
];
test("what is no file of the page is not there, however it is written", async (t) => {
  const { askPlain } = await dashboardWorld(t);
  for (const path of NOWHERE) assert.ok([404, 400].includes((await askPlain("GET", path)).status), path);
  assert.equal((await askPlain("POST", "/app.js")).status, 405);
  assert.equal((await askPlain("HEAD", "/app.js")).text, "");
});

test("the looks of the page are told to everybody, and chosen only with the token", async (t) => {
  const { ask, askPlain, app } = await dashboardWorld(t);
  const before = await askPlain("GET", "/api/dashboard/themes");
  assert.deepEqual([before.status, before.json["active"]], [200, "default"]);
  assert.equal((await askPlain("PUT", "/api/dashboard/theme", { body: { name: "dark" } })).status, 401);
  assert.equal((await ask("PUT", "/api/dashboard/theme", { name: "neon" })).status, 404);
  assert.equal((await ask("PUT", "/api/dashboard/theme", { name: "dark" })).json["active"], "dark");
  assert.equal(app.settings.get("dashboard.theme")?.value, "dark");
});
