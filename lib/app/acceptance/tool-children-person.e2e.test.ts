import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { type World, world } from "../../../fixtures/e2e/world.js";
import { startMsgt } from "../../../fixtures/servers/msgt/server.js";
import type { CronJob } from "../../contracts/gateway/cron.js";

const onLinux = { skip: process.platform === "linux" ? false : "ancestors are read from /proc" };
const TOKEN = "4242:token-of-the-test-bot";

interface Made {
  readonly made: World;
  /** A shell script that makes a job by the owner's socket and notes how that ended. */
  write(path: string, name: string): string;
  /** Resolves with how it ended. */
  outcome(name: string): Promise<string>;
}

async function prepare(t: TestContext, config = ""): Promise<Made> {
  const made = await world(t, { config });
  const out = (name: string) => join(made.work, name);
  return {
    made,
    write: (path, name) => {
      const agent = `'${process.execPath}' '${made.program}'`;
      const line = `${agent} cron create 'every 2h' hi --name ${name} > '${out(name)}' 2>&1; echo "exit $?" >> '${out(name)}'; mv '${out(name)}' '${out(name)}.done'`;
      // As a new file: the shell of an earlier run may still read on in the old one.
      writeFileSync(`${path}.new`, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
      renameSync(`${path}.new`, path);
      return path;
    },
    outcome: async (name) => {
      await eventually(() => existsSync(`${out(name)}.done`));
      return readFileSync(`${out(name)}.done`, "utf8");
    },
  };
}

async function names({ json }: World): Promise<readonly string[]> {
  return (await json<readonly CronJob[]>("cron", "list")).map(({ name }) => name).sort();
}

test("a hook and a quick command of a person write through the owner's socket", onLinux, async (t) => {
  const server = await startMsgt({ token: TOKEN });
  t.after(() => server.close());
  const { made, write, outcome } = await prepare(t, "quick_commands:\n  note: {type: exec, command: ./quick.sh}\n");
  const hook = join(made.home.dir, "hooks", "notes");
  mkdirSync(hook, { recursive: true });
  writeFileSync(join(hook, "HOOK.yaml"), 'name: notes\nevents: ["gateway:startup"]\nhandler: ./handler.sh\n');
  write(join(hook, "handler.sh"), "by-hook");
  const quick = write(join(made.work, "quick.sh"), "by-quick");
  writeFileSync(made.home.config, readFileSync(made.home.config, "utf8").replace("./quick.sh", quick));
  const env = { MSGT_BOT_TOKEN: TOKEN, MSGT_API_BASE: server.url, MSGT_ALLOWED_USERS: "7", MSGT_BATCH_DELAY_MS: "0" };
  const gateway = made.start(["gateway", "run", "--accept-hooks"], { env });
  await gateway.line((line) => line.includes("gateway of"));
  assert.match(await outcome("by-hook"), /exit 0/);
  const chat = { id: 7, type: "private" };
  server.update({
    message: { message_id: 11, date: 1_760_000_000, text: "/note", chat, from: { id: 7, first_name: "U" } },
  });
  assert.match(await outcome("by-quick"), /exit 0/);
  assert.deepEqual(await names(made), ["by-hook", "by-quick"]);
  await gateway.end("SIGINT");
});

test("the script of a job writes through the owner's socket while it is as a person chose it", onLinux, async (t) => {
  const { made, write, outcome } = await prepare(t);
  const scripts = join(made.home.dir, "scripts");
  mkdirSync(scripts);
  write(join(scripts, "s.sh"), "by-script");
  await made.owner();
  const job = ["--script", "s.sh", "--no-agent", "--name", "person"];
  assert.equal((await made.run(["cron", "create", "every 2h", ...job])).code, 0);
  assert.equal((await made.run(["cron", "run", "person"])).code, 0);
  assert.match(await outcome("by-script"), /exit 0/);
  write(join(scripts, "s.sh"), "by-other-script");
  await eventually(
    async () => (await made.json<{ readonly state: string }>("cron", "show", "person")).state === "scheduled",
  );
  assert.equal((await made.run(["cron", "run", "person"])).code, 0);
  assert.match(await outcome("by-other-script"), /started by the agent's tools/);
  assert.deepEqual(await names(made), ["by-script", "person"]);
});

test("the script of a job writes also where the owner is the command that looks at the jobs", onLinux, async (t) => {
  const { made, write, outcome } = await prepare(t);
  const scripts = join(made.home.dir, "scripts");
  mkdirSync(scripts);
  write(join(scripts, "s.sh"), "by-script");
  assert.equal(
    (await made.run(["cron", "create", "every 2h", "--script", "s.sh", "--no-agent", "--name", "person"])).code,
    0,
  );
  assert.equal((await made.run(["cron", "run", "person"])).code, 0);
  assert.match(await outcome("by-script"), /exit 0/);
});
