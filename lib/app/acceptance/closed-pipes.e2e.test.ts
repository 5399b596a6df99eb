import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { closedPipe, runInto } from "../../../fixtures/e2e/closed-pipe.js";
import { type KanbanWorld, kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { start } from "../../../fixtures/e2e/process.js";
import { COMMANDS } from "../../commands/index.gen.js";

const WAYS = [
  { way: "without an owner", owned: false },
  { way: "with an owner", owned: true },
];

const OFF = { AGENT_KANBAN_DISPATCH_IN_GATEWAY: "0" };

async function setup(t: TestContext, owned: boolean) {
  const made = await kanbanWorld(t);
  const ids = [await made.make("one", "--external"), await made.make("two", "--external")];
  if (owned) await made.D(OFF);
  return { ...made, ids };
}

test("a log that is only looked for makes nothing in a fresh home", async (t) => {
  const { K, home } = await kanbanWorld(t);
  const before = readdirSync(home.dir);
  assert.equal((await K("log", "t_12345678")).code, 1);
  assert.deepEqual(readdirSync(home.dir), before);
});

/** A pipeline of the shell, with `$K` as the board; code of the whole, and of each member behind it in `codes`. */
async function shell(
  { env, program, work }: KanbanWorld,
  line: string,
): Promise<{ out: string; err: string; codes: string }> {
  const script = `K="$NODE $PROGRAM kanban"; ${line}; echo "\${PIPESTATUS[*]}" >&2`;
  const more = { NODE: process.execPath, PROGRAM: program };
  const { out, err } = await start("bash", ["-c", script], { env: { ...env, ...more }, cwd: work }).ended;
  const lines = err.trimEnd().split("\n");
  return { out, err: lines.slice(0, -1).join("\n"), codes: lines.at(-1) ?? "" };
}

for (const { way, owned } of WAYS) {
  test(`JSON goes through pipes whole or in part, ${way}`, async (t) => {
    const made = await setup(t, owned);
    const created = await shell(
      made,
      '$K create three --external --json | sed -n \'s/.*"id": "\\(t_[0-9a-f]*\\)",/\\1/p\'',
    );
    assert.match(created.out, /^t_[0-9a-f]{8}\n$/);
    assert.deepEqual([created.err, created.codes], ["", "0 0"]);
    assert.deepEqual(await shell(made, "$K list --json | head -1"), { out: "[\n", err: "", codes: "0 0" });
    assert.deepEqual(await shell(made, "$K list | true"), { out: "", err: "", codes: "0 0" });
  });

  test(`a followed board ends with its reader, also when nothing more happens, ${way}`, async (t) => {
    const made = await setup(t, owned);
    const { out, err, codes } = await shell(made, "$K watch --json --since 0 | head -2");
    const kinds = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).kind);
    assert.deepEqual([kinds, err, codes], [["created", "created"], "", "0 0"]);
    const tail = await shell(made, `$K tail ${made.ids[0]} --json | head -1`);
    assert.deepEqual([JSON.parse(tail.out).kind, tail.err, tail.codes], ["created", "", "0 0"]);
  });

  test(`every action that writes to a closed pipe ends quietly with 0, ${way}`, async (t) => {
    const made = await setup(t, owned);
    const pipe = closedPipe(t, made.work);
    for (const { path } of COMMANDS.filter((entry) => entry.path.startsWith("kanban "))) {
      await t.test(path, async () => {
        const { code, err } = await runInto(pipe, process.execPath, [made.program, ...path.split(" "), "--json"], {
          env: made.env,
          cwd: made.work,
        });
        assert.deepEqual([code, err], [0, ""]);
      });
    }
    const help = await runInto(pipe, process.execPath, [made.program, "kanban", "-h"], {
      env: made.env,
      cwd: made.work,
    });
    assert.deepEqual([help.code, help.err], [0, ""]);
  });
}
