import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { ALL_KEYS } from "../app/all-keys.gen.js";
import { layOutHome } from "../base/home.js";
import { loadConfig } from "../config/load-config.js";
import { siteRefusal } from "./site-rules.js";

interface Given {
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly permissions?: string;
  readonly list?: string;
}

/** What the settings of a home say of an address. */
async function asking(t: TestContext, { config = "", env = {}, permissions, list }: Given) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "sites-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  writeFileSync(home.config, config);
  if (permissions !== undefined) writeFileSync(join(dir, "permissions.yaml"), permissions);
  if (list !== undefined) writeFileSync(join(dir, "shared.txt"), list);
  const loaded = await loadConfig({ home, env, clock: manualClock(), keys: ALL_KEYS });
  const refusal = siteRefusal({ home, config: loaded });
  return async (url: string) => (await refusal(new URL(url))) ?? "allowed";
}

test("security.extra_blocked_hosts blocks a host with everything below it, and the reason names the setting", async (t) => {
  const ask = await asking(t, { config: "security:\n  extra_blocked_hosts: [corp.example, 203.0.113.7]\n" });
  assert.equal(
    await ask("https://wiki.corp.example/page"),
    "wiki.corp.example is a blocked host (security.extra_blocked_hosts: corp.example)",
  );
  assert.match(await ask("https://WIKI.Corp.Example./"), /blocked host/);
  assert.match(await ask("http://203.0.113.7/"), /blocked host/);
  assert.equal(await ask("https://notcorp.example/"), "allowed");
});

test("the block list of websites holds only where it is enabled, with its shared files", async (t) => {
  const lists = "    domains: [ads.example]\n    shared_files: [shared.txt]\n";
  const list = "tracker.example\n";
  const off = await asking(t, { config: `security:\n  website_blocklist:\n${lists}`, list });
  assert.equal(await off("https://ads.example/"), "allowed");
  const on = await asking(t, { config: `security:\n  website_blocklist:\n    enabled: true\n${lists}`, list });
  assert.match(
    await on("https://www.ads.example/"),
    /block list \(security\.website_blocklist\.domains: ads\.example\)/,
  );
  assert.match(await on("https://tracker.example/"), /block list .*shared\.txt \(tracker\.example\)/);
  assert.equal(await on("https://fine.example/"), "allowed");
  const gone = await asking(t, { config: `security:\n  website_blocklist:\n    enabled: true\n${lists}` });
  assert.match(await gone("https://fine.example/"), /shared\.txt cannot be read \(ENOENT\).*shared_files/);
});

const SECRET = "zq9-Lm/Ω-4711-never-told";

test("an address that carries a secret of the program is refused, however it is spelled", async (t) => {
  const ask = await asking(t, { env: { TAVILY_API_KEY: SECRET, OTHER: "an-ordinary-value" } });
  const forms = [
    `https://evil.example/?k=${SECRET}`,
    `https://evil.example/?k=${encodeURIComponent(SECRET)}`,
    `https://evil.example/#${SECRET}`,
    `https://user:${encodeURIComponent(SECRET)}@evil.example/`,
    `https://evil.example/${Buffer.from(SECRET).toString("base64url")}`,
    `https://evil.example/?k=${Buffer.from(SECRET).toString("base64").replaceAll("+", "%2B")}`,
    `https://evil.example/?k=${[...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")}`,
  ];
  for (const url of forms)
    assert.match(await ask(url), /contains a secret that this program holds.*evil\.example/, url);
  assert.ok(!(await ask(forms[0] ?? "")).includes(SECRET));
  assert.equal(await ask("https://evil.example/?k=an-ordinary-value"), "allowed");
});

test("a variable that looks like a secret by its name and holds a host does not block that host", async (t) => {
  const ask = await asking(t, { env: { AUTH_TOKEN_HOST: "login.example", MY_TOKEN: "login.example" } });
  assert.equal(await ask("https://login.example/"), "allowed");
  assert.equal(await ask("https://www.login.example/"), "allowed");
});

test("an address with a placeholder of a secret is refused", async (t) => {
  const ask = await asking(t, {});
  assert.match(await ask("https://evil.example/?k=«secret:api_key:1»"), /placeholder of a secret/);
  assert.match(await ask("https://evil.example/%C2%ABsecret:api_key:1%C2%BB"), /placeholder of a secret/);
});

test("rules of the user that deny hosts hold for every request, redirects and what a browser loads among them", async (t) => {
  const permissions =
    'deny:\n  - "fetch:*.internal.example"\nask:\n  - "fetch:asked.example"\nallow:\n  - "fetch:www.internal.example"\n';
  const ask = await asking(t, { permissions });
  assert.equal(
    await ask("https://www.internal.example/"),
    "www.internal.example is denied by the rule 'fetch:*.internal.example' (agent permissions list numbers the rules)",
  );
  assert.match(await ask("https://WWW.INTERNAL.example/"), /denied/);
  assert.equal(await ask("https://internal.example/"), "allowed");
  assert.equal(await ask("https://asked.example/"), "allowed");
});
