import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import type { Running } from "../../fixtures/e2e/process.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import { startMsgt } from "../../fixtures/servers/msgt/server.js";

const onLinux = { skip: process.platform === "linux" ? false : "processes are found by /proc" };
const TOKEN = "4242:token-of-the-test-bot";

/** Processes at work in a directory. */
const workingIn = (dir: string): readonly string[] => readdirSync("/proc").filter((pid) => directoryOf(pid) === dir);

function directoryOf(pid: string): string | undefined {
  try {
    return /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : undefined;
  } catch {
    return undefined; // it has ended
  }
}

interface Place {
  readonly made: World;
  /** Where the program works: nothing else does. */
  readonly dir: string;
  /** A program that does not end, has a child in its group and one in a group of its own, and heeds no signal. */
  readonly line: string;
}

async function prepare(t: TestContext, config = ""): Promise<Place> {
  const made = await world(t, { config });
  const dir = join(made.work, "there");
  mkdirSync(dir);
  const line = `cd '${dir}' && trap "" HUP TERM INT && { sleep 600 & } && bash -c 'set -m; sleep 600 & touch begun; wait'; true`;
  return { made, dir, line };
}

async function killAndLook({ dir }: Place, owner: Running): Promise<void> {
  await eventually(() => existsSync(join(dir, "begun")));
  assert.ok(workingIn(dir).length > 2);
  await owner.end("SIGKILL");
  await eventually(() => workingIn(dir).length === 0);
}

test("an owner that is killed takes the script of a job with it", onLinux, async (t) => {
  const place = await prepare(t);
  const { made, line } = place;
  const scripts = join(made.home.dir, "scripts");
  mkdirSync(scripts);
  writeFileSync(join(scripts, "s.sh"), `#!/bin/bash\n${line}\n`, { mode: 0o755 });
  const owner = await made.owner();
  assert.equal(
    (await made.run(["cron", "create", "every 2h", "--script", "s.sh", "--no-agent", "--name", "one"])).code,
    0,
  );
  assert.equal((await made.run(["cron", "run", "one"])).code, 0);
  await killAndLook(place, owner);
});

test("an owner that is killed takes a quick command with it", onLinux, async (t) => {
  const place = await prepare(t, "quick_commands:\n  wait: {type: exec, command: ./quick.sh}\n");
  writeFileSync(join(place.made.work, "quick.sh"), `#!/bin/bash\n${place.line}\n`, { mode: 0o755 });
  await killAndLook(place, place.made.start(["-z", "/wait"]));
});

test("an owner that is killed takes a hook of its gateway with it", onLinux, async (t) => {
  const server = await startMsgt({ token: TOKEN });
  t.after(() => server.close());
  const place = await prepare(t);
  const hook = join(place.made.home.dir, "hooks", "notes");
  mkdirSync(hook, { recursive: true });
  writeFileSync(join(hook, "HOOK.yaml"), 'name: notes\nevents: ["gateway:startup"]\nhandler: ./handler.sh\n');
  writeFileSync(join(hook, "handler.sh"), `#!/bin/bash\n${place.line}\n`, { mode: 0o755 });
  const env = { MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: server.url, MSGT_ALLOWED_USERS: "7", MSGT_BATCH_DELAY_MS: "0" };
  await killAndLook(place, place.made.start(["gateway", "run", "--accept-hooks"], { env }));
});

test("an owner that is killed takes a hook of its turns with it", onLinux, async (t) => {
  const place = await prepare(t, "hooks:\n  on_session_start: [{command: ./hook.sh}]\n");
  writeFileSync(join(place.made.home.dir, "hook.sh"), `#!/bin/bash\n${place.line}\n`, { mode: 0o755 });
  await killAndLook(place, place.made.start(["-z", "hello", "--accept-hooks"]));
});

test("an owner that is killed takes the program that posts comments with it", onLinux, async (t) => {
  const place = await prepare(t);
  const { made, line } = place;
  const bin = join(made.work, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), `#!/bin/bash\n${line}\n`, { mode: 0o755 });
  const env = {
    PATH: `${bin}:${made.env["PATH"] ?? ""}`,
    WEBHOOK_ENABLED: "true",
    WEBHOOK_HOST: "127.0.0.1",
    WEBHOOK_PORT: "0",
  };
  const owner = made.start(["gateway", "run"], { env });
  await owner.line((line) => line.includes("gateway of"));
  const extra = JSON.stringify({ repo: "own/er", pr_number: "7" });
  const route = ["--deliver", "github_comment", "--deliver-extra", extra, "--deliver-only", "--prompt", "one"];
  assert.equal((await made.run(["webhook", "subscribe", "pr", ...route], { env })).code, 0);
  made.start(["webhook", "test", "pr"], { env });
  await killAndLook(place, owner);
});
