import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { bundleProgram } from "../../../fixtures/worlds/program.js";
import { systemSpawner } from "./spawn-system.js";

const onLinux = { skip: process.platform === "linux" ? false : "processes are found by /proc" };

/** The owner is killed at the earliest moment at which its first child exists: no one but the kernel knows that child. */
const KILLED_AT_START = `
import children from "node:child_process";
const start = children.spawn;
children.spawn = (file, args, options) => {
  const child = start(file, args, options);
  if (!args.includes("agent-owner-watch")) process.kill(process.pid, "SIGKILL");
  return child;
};
`;

const PORTS = `
import { systemSpawner as spawner } from "./lib/base/process/spawn-system.js";
import { systemClock as clock } from "./lib/base/time/clock.js";
const env = { PATH: process.env.PATH, HOME: process.env.HOME };
const ports = { spawner, clock, env };
const helper = process.argv[2];
`;

const START = (more: string) =>
  `${PORTS}
void spawner.spawn({ file: helper, args: [], cwd: "/", env, endsWithOwner: true, ${more} });`;

const STARTS = [
  ["a program", START("")],
  ["a server that speaks on its input and output", START('stdin: "pipe"')],
  ["code with a channel", START("channel: true")],
  [
    "a login to a host",
    `${PORTS}
import { openSshMaster } from "./lib/safety/git/ssh-master.js";
void openSshMaster(ports, { host: "example.com" }, { program: [helper], dir: env.HOME, name: "s" });`,
  ],
  [
    "a program that git asks for a password",
    `${PORTS}
import { fillCredential } from "./lib/safety/git/credential.js";
void fillCredential(ports, { protocol: "https", host: "example.com", path: "a.git" }, [["credential.helper", "!" + helper]]);`,
  ],
] as const;

interface Place {
  /** The home of everything that is started: by it they are found. */
  readonly home: string;
  readonly helper: string;
  /** Files of helpers that did something. */
  begun(): readonly string[];
  /** Processes that live in this home. */
  living(): readonly number[];
  readonly env: Readonly<Record<string, string>>;
}

function place(t: TestContext): Place {
  const home = mkdtempSync(join(tmpdir(), "agent-gate-"));
  const notes = join(home, "notes");
  mkdirSync(notes);
  const helper = join(home, "helper");
  writeFileSync(helper, `#!/bin/sh\n: >${notes}/$$\nexec sleep 3000\n`, { mode: 0o755 });
  const living = () => systemSpawner.marked("HOME", home).filter((pid) => systemSpawner.identify(pid) !== undefined);
  t.after(() => {
    for (const pid of living()) systemSpawner.signal({ pid }, "SIGKILL");
    rmSync(home, { recursive: true, force: true });
  });
  return {
    home,
    helper,
    living,
    begun: () => readdirSync(notes),
    env: { PATH: process.env["PATH"] ?? "", HOME: home },
  };
}

for (const [what, code] of STARTS)
  test(`an owner that is killed the moment it starts a process leaves nothing: ${what}`, onLinux, async (t) => {
    const { helper, living, begun, env } = place(t);
    const program = await bundleProgram({ code: KILLED_AT_START + code });
    t.after(program.remove);
    const owner = spawn(process.execPath, [program.file, helper], { env, stdio: ["ignore", "ignore", "inherit"] });
    const how = await new Promise((resolve) => owner.once("exit", (_code, signal) => resolve(signal)));
    assert.equal(how, "SIGKILL");
    await eventually(() => living().length === 0);
    assert.deepEqual(begun(), [], "what was started has done nothing of its own");
  });

/** The watcher is killed once it is there; its end is not heard of before the program starts. */
const WATCHER_KILLED = `
import children from "node:child_process";
const start = children.spawn;
children.spawn = (file, args, options) => {
  const child = start(file, args, options);
  if (args.includes("agent-owner-watch") && !globalThis.killed) globalThis.killed = process.kill(child.pid, "SIGKILL");
  return child;
};
`;

test("an owner whose watcher was killed gets another one before a program begins", onLinux, async (t) => {
  const { helper, living, begun, env } = place(t);
  const program = await bundleProgram({ code: WATCHER_KILLED + START("") });
  t.after(program.remove);
  const owner = spawn(process.execPath, [program.file, helper], { env, stdio: ["ignore", "ignore", "inherit"] });
  const gone = new Promise((resolve) => owner.once("exit", resolve));
  t.after(() => owner.kill("SIGKILL"));
  await eventually(() => begun().length === 1);
  owner.kill("SIGKILL");
  await gone;
  await eventually(() => living().length === 0);
});

/** An owner that starts one program after the other, as fast as it can. */
const STARTS_MANY = `${PORTS}
const begin = async () => { for (;;) await spawner.spawn({ file: helper, args: [], cwd: "/", env, endsWithOwner: true }); };
process.stdout.write("up\\n");
void begin();
`;

test("fifty owners that are killed while they start programs leave none of them", onLinux, async (t) => {
  const { helper, living, begun, env } = place(t);
  const program = await bundleProgram({ code: STARTS_MANY });
  t.after(program.remove);
  for (let round = 0; round < 50; round++) {
    const before = begun().length;
    const owner = spawn(process.execPath, [program.file, helper], { env, stdio: ["ignore", "pipe", "inherit"] });
    const gone = new Promise((resolve) => owner.once("exit", resolve));
    t.after(() => owner.kill("SIGKILL"));
    await new Promise((resolve) => owner.stdout.once("data", resolve));
    if (round % 2 === 0) await eventually(() => begun().length > before);
    owner.kill("SIGKILL");
    await gone;
  }
  await eventually(() => living().length === 0);
  assert.ok(begun().length >= 25);
});
