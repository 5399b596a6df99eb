import assert from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const COMMANDS = [
  ["kanban", "list"],
  ["status"],
  ["-z", "hi"],
  ["config", "show"],
  ["doctor"],
  ["gateway", "start"],
  ["--headless"],
];

interface Refused {
  readonly name: string;
  readonly root?: true;
  /** Spoil the home; the command that mends it. */
  spoil(world: World): string;
}

const REFUSED: readonly Refused[] = [
  {
    name: "that anyone may write to",
    spoil: ({ home }) => {
      chmodSync(home.dir, 0o777);
      return `chmod go-w ${home.dir}`;
    },
  },
  {
    name: "that the group may write to",
    spoil: ({ home }) => {
      chmodSync(home.dir, 0o770);
      return `chmod go-w ${home.dir}`;
    },
  },
  {
    name: "with the sticky bit that anyone may write to",
    spoil: ({ home }) => {
      chmodSync(home.dir, 0o1777);
      return `chmod go-w ${home.dir}`;
    },
  },
  {
    name: "that anyone may replace by another one",
    spoil: ({ home }) => {
      chmodSync(dirname(home.dir), 0o777);
      return `chmod +t ${dirname(home.dir)}`;
    },
  },
  {
    name: "whose settings anyone may write",
    spoil: ({ home }) => {
      chmodSync(home.dir, 0o755);
      chmodSync(home.config, 0o666);
      return `chmod go-w ${home.config}`;
    },
  },
  {
    name: "that belongs to another user",
    root: true,
    spoil: ({ home }) => {
      chownSync(home.dir, NOBODY, NOBODY);
      return `chown -R ${process.getuid?.()} ${home.dir}`;
    },
  },
];

for (const { name, root, spoil } of REFUSED) {
  test(`a home ${name} is refused by every command, which names the command that mends it`, {
    skip: root && !isRoot ? "only root gives files away" : false,
  }, async (t) => {
    const made = await world(t);
    const mends = spoil(made);
    for (const words of COMMANDS) {
      const { code, out, err } = await made.run(words);
      assert.deepEqual([code, out], [78, ""], `${words.join(" ")}: ${err}`);
      assert.ok(err.includes(mends), err);
    }
    const json = JSON.parse((await made.run(["status", "--json"])).out);
    assert.equal(json.error.code, "E_HOME");
    assert.equal((await start("sh", ["-c", mends], { env: made.env, cwd: made.work }).ended).code, 0);
    assert.equal((await made.run(["kanban", "list"])).code, 0, "the named command mends it");
  });
}

test("a command refuses a spoiled home also while its owner serves", async (t) => {
  const made = await world(t);
  await made.owner();
  assert.equal((await made.run(["kanban", "list"])).code, 0);
  chmodSync(made.home.dir, 0o777);
  assert.equal((await made.run(["kanban", "list"])).code, 78);
  chmodSync(made.home.dir, 0o700);
  assert.equal((await made.run(["kanban", "list"])).code, 0);
});

test("another user's commands refuse the home of root, and work in their own", {
  skip: isRoot ? false : "only root becomes another user",
}, async (t) => {
  const made = await world(t);
  for (const dir of [dirname(made.home.dir), made.home.dir, made.work]) chmodSync(dir, 0o755);
  const own = join(dirname(made.home.dir), "own");
  mkdirSync(own);
  writeFileSync(join(own, "config.yaml"), readFileSync(made.home.config));
  for (const path of [own, join(own, "config.yaml")]) chownSync(path, NOBODY, NOBODY);
  const as = (home: string) =>
    start(
      "setpriv",
      [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups", process.execPath, made.program, "kanban", "list"],
      {
        env: { ...made.env, AGENT_HOME: home, HOME: own },
        cwd: made.work,
      },
    ).ended;
  const refused = await as(made.home.dir);
  assert.equal(refused.code, 78, refused.err);
  assert.match(refused.err, /belongs to another user \(uid 0, you are 65534\)/);
  const allowed = await as(own);
  assert.equal(allowed.code, 0, allowed.err);
});

test("a home that others may only read is corrected, and the log and doctor report it", async (t) => {
  const made = await world(t);
  writeFileSync(made.home.env, "A=1\n");
  for (const [path, mode] of [
    [made.home.dir, 0o755],
    [made.home.env, 0o644],
  ] as const)
    chmodSync(path, mode);
  const doctor = await made.run(["doctor"]);
  assert.match(doctor.out, /other users can read .*\n.*chmod 700/);
  assert.equal((await made.run(["kanban", "create", "one", "--external"])).code, 0);
  assert.deepEqual([statSync(made.home.dir).mode & 0o777, statSync(made.home.env).mode & 0o777], [0o700, 0o600]);
  const lines = readFileSync(join(made.home.logs, "agent.log"), "utf8").split("\n");
  assert.equal(lines.filter((line) => line.includes("other users could read it")).length, 2);
  assert.match((await made.run(["doctor"])).out, /^ok +home/m);
});
