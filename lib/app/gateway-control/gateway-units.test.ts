import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { processCaller } from "../../cli/terminal-caller.js";
import type { ProfilePlace } from "../process/gateway-place.js";
import { installUnit, uninstallUnit } from "./gateway-units.js";

const USER = { system: false, force: false } as const;

/** A home of a user whose service manager notes what it is told; `without`: there is none. */
function home(t: TestContext, { without = false } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "agent-units-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const at = layOutHome(join(dir, ".agent"));
  mkdirSync(at.dir, { mode: 0o700 });
  if (!without) writeFileSync(join(dir, "systemctl"), `#!/bin/sh\necho "$@" >> ${dir}/told\n`, { mode: 0o755 });
  const env = { HOME: dir, PATH: without ? dir : `${dir}:/usr/bin:/bin` };
  const caller = { ...processCaller([]), env };
  const place: ProfilePlace = {
    home: at,
    line: { argv: [], home: at, version: "1", entry: undefined, globals: {}, caller },
  };
  return { place, at, unit: join(dir, ".config/systemd/user/agent-gateway.service") };
}

const onLinux = { skip: process.platform === "linux" ? false : "this manager is that of Linux" };

test(
  "a unit is installed and removed as often as one likes, and each time it is said what was done and what is next",
  onLinux,
  async (t) => {
    const { place, unit } = home(t);
    assert.deepEqual(await uninstallUnit(place, USER), ["agent-gateway.service is not installed"]);
    const [first, next, lingers] = await installUnit(place, USER);
    assert.equal(first, `${unit} written; agent-gateway.service enabled`);
    assert.equal(next, "agent gateway start starts it");
    assert.match(lingers ?? "", /^loginctl enable-linger /);
    const before = readFileSync(unit, "utf8");
    assert.match((await installUnit(place, USER))[0] ?? "", /is up to date/);
    assert.equal(readFileSync(unit, "utf8"), before);
    assert.deepEqual(await uninstallUnit(place, USER), ["agent-gateway.service stopped and removed"]);
    assert.equal(existsSync(unit), false);
    assert.deepEqual(await uninstallUnit(place, USER), ["agent-gateway.service is not installed"]);
  },
);

test(
  "a unit that someone changed is kept until --force, and the longest drain is that of the settings",
  onLinux,
  async (t) => {
    const { place, at, unit } = home(t);
    await installUnit(place, USER);
    writeFileSync(at.config, "agent:\n  restart_drain_timeout: 900\n");
    await assert.rejects(installUnit(place, USER), {
      code: "E_STATE",
      message: /exists and differs/,
    });
    assert.match(readFileSync(unit, "utf8"), /TimeoutStopSec=240/);
    await installUnit(place, { ...USER, force: true });
    assert.match(readFileSync(unit, "utf8"), /TimeoutStopSec=960/);
  },
);

test(
  "without a service manager install names what starts the gateway, and there is nothing to remove",
  onLinux,
  async (t) => {
    const { place, unit } = home(t, { without: true });
    await assert.rejects(installUnit(place, USER), (error: { code?: string; hint?: string }) => {
      assert.equal(error.code, "E_STATE");
      assert.match(error.hint ?? "", /agent gateway start/);
      return true;
    });
    assert.equal(existsSync(unit), false);
    assert.deepEqual(await uninstallUnit(place, USER), ["agent-gateway.service is not installed"]);
    await assert.rejects(installUnit(place, { ...USER, runAs: "robot" }), {
      code: "E_USAGE",
      message: /--run-as-user requires --system/,
    });
  },
);
