import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { systemSpawner } from "../../base/process/spawn-system.js";

const onLinux = { skip: process.platform === "linux" ? false : "processes are found by /proc" };

const PORTS = `
import { systemSpawner as spawner } from "./lib/base/process/spawn-system.js";
import { systemClock as clock } from "./lib/base/time/clock.js";
const ports = { spawner, clock, env: { PATH: process.env.PATH, HOME: process.env.HOME } };
const helper = process.argv[2];
`;

const LOGINS = [
  [
    "a credential helper that waits",
    `import { fillCredential } from "./lib/safety/git/credential.js";${PORTS}
fillCredential(ports, { protocol: "https", host: "example.com", path: "a.git" }, [["credential.helper", "!" + helper]]);`,
  ],
  [
    "a login to a host",
    `import { openSshMaster } from "./lib/safety/git/ssh-master.js";${PORTS}
openSshMaster(ports, { host: "example.com" }, { program: [helper], dir: process.env.HOME, name: "s" });`,
  ],
] as const;

for (const [what, code] of LOGINS)
  test(`an owner that is killed takes with it: ${what}`, onLinux, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "agent-logins-"));
    mkdirSync(join(dir, "home"));
    const program = await bundleProgram({ code });
    t.after(() => {
      program.remove();
      rmSync(dir, { recursive: true, force: true });
    });
    const helper = join(dir, "helper");
    const begun = join(dir, "begun");
    writeFileSync(helper, `#!/bin/sh\necho $$ >${begun}.part; mv ${begun}.part ${begun}; exec sleep 3000\n`, {
      mode: 0o755,
    });
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(dir, "home") };
    const owner = spawn(process.execPath, [program.file, helper], { env, stdio: ["ignore", "ignore", "inherit"] });
    const gone = new Promise((resolve) => owner.once("exit", resolve));
    t.after(() => owner.kill("SIGKILL"));
    await eventually(() => existsSync(begun));
    const id = systemSpawner.identify(Number(readFileSync(begun, "utf8")));
    assert.ok(id !== undefined && systemSpawner.alive(id));
    t.after(() => systemSpawner.alive(id) && systemSpawner.signal({ pid: id.pid }, "SIGKILL"));
    owner.kill("SIGKILL");
    await gone;
    await eventually(() => !systemSpawner.alive(id));
  });
