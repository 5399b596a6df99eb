import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { realDisk } from "../../base/fs/disk.js";
import { homeFrom, loginRoot } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { createLogLines } from "../../base/log/log-lines.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { Secret } from "../../base/secret.js";
import { systemClock } from "../../base/time/clock.js";
import type { AppOptions } from "../../config/app-options.js";
import { loadConfig } from "../../config/load-config.js";
import { buildLogins } from "../../runtime/logins.js";
import { createNet } from "../../safety/net/net.js";
import { ALL_KEYS } from "../all-keys.gen.js";
import { buildAuth } from "./build-logins.js";

const never = new AbortController().signal;

/** The logins of an owner of that home, on real files. */
async function owner(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
) {
  const dir = mkdtempSync(join(tmpdir(), "build-logins-"));
  const net = createNet({ clock: systemClock, allowPrivate: () => true });
  t.after(async () => {
    await net.close();
    rmSync(dir, { recursive: true, force: true });
  });
  mkdirSync(join(dir, "profiles/work"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  const build = async (profile: string) => {
    const home = homeFrom({ AGENT_HOME: dir, AGENT_PROFILE: profile });
    const config = await loadConfig({ home, env, clock: systemClock, keys: ALL_KEYS });
    const app: AppOptions = {
      home,
      kind: "command",
      version: "0",
      env: config.env,
      config,
      clock: systemClock,
      ids: randomIds,
      disk: realDisk,
      spawner: systemSpawner,
      net,
      log: silentLog,
      lines: createLogLines(),
    };
    const logins = buildLogins(app, false);
    return { logins, auth: buildAuth(app, logins), home };
  };
  return { dir, build };
}

test("a key in .env wins over the same variable of the process, and -y deletes its line alone", async (t) => {
  const files = { ".env": "# mine\nOTHER=1\nROUTER_API_KEY=sk-file-12345678\n" };
  const { dir, build } = await owner(t, files, { ROUTER_API_KEY: "sk-process-12345678" });
  const { logins, auth } = await build("default");
  assert.equal((await logins.source("router").get(never)).bearer, "sk-file-12345678");
  assert.equal((await auth.remove("router", "1", true)).variable, null);
  assert.equal(readFileSync(join(dir, ".env"), "utf8"), "# mine\nOTHER=1\n");
  assert.equal(
    logins.source("router").isAuthenticated(),
    false,
    "the variable of the process is not picked up in its place",
  );
});

test("without -y the line stays, and the key is not used", async (t) => {
  const { dir, build } = await owner(t, { ".env": "ROUTER_API_KEY=sk-file-12345678\n" });
  const { logins, auth } = await build("default");
  assert.equal((await auth.remove("router", "1", false)).variable, "ROUTER_API_KEY");
  assert.equal(readFileSync(join(dir, ".env"), "utf8"), "ROUTER_API_KEY=sk-file-12345678\n");
  assert.equal(logins.source("router").isAuthenticated(), false);
});

test("profiles share the logins of their root, and hold none of their own", async (t) => {
  const { dir, build } = await owner(t, {});
  const root = await build("default");
  const work = await build("work");
  await work.auth.addKey("router", new Secret("sk-shared-12345678"), {});
  assert.equal((await root.logins.source("router").get(never)).bearer, "sk-shared-12345678");
  assert.equal(loginRoot(work.home), dir);
  assert.throws(() => readFileSync(join(work.home.dir, "auth.json")));
});

test("addresses of the settings serve a login", async (t) => {
  const config = "auth:\n  providers:\n    subscription:\n      portal_url: http://portal.example\n";
  const { build } = await owner(t, { "config.yaml": config });
  const { auth } = await build("default");
  const told = async () => assert.fail("it must not begin");
  await assert.rejects(
    auth.login("subscription", { told, signal: never }),
    /portal_url "http:\/\/portal\.example": credentials are only sent to https/,
  );
});
