import assert from "node:assert/strict";
import { test } from "node:test";
import { seeded } from "../../../fixtures/ports/random.js";
import { skillHome, skillText } from "../../../fixtures/sim/skill-home.js";
import { AppError } from "../../base/errors.js";
import type { SkillEdit } from "../../contracts/skills/writes.js";

const USER = { who: "user" } as const;
const NAMES = ["alpha", "beta", "gamma", "delta"] as const;
const FILES = ["references/a.md", "scripts/run.sh", "assets/deep/b.txt"] as const;

for (const seed of process.env["AGENT_TEST_SHORT"] === "1" ? [1] : [1, 2, 3, 4]) {
  test(`100 random changes and all of them undone give the first bytes (seed ${seed})`, async (t) => {
    const random = seeded(seed);
    const { writes, put, tree } = skillHome(t);
    put("alpha/SKILL.md", skillText("alpha"));
    put("tools/beta/SKILL.md", skillText("beta").replaceAll("\n", "\r\n"));
    put("tools/beta/references/a.md", "\0binary\xff");
    const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T; // the index is below the length
    const text = () => `line ${random.below(1_000)}\n`.repeat(1 + random.below(3));
    const edit = (): SkillEdit => {
      const name = pick(NAMES);
      const file_path = pick(FILES);
      const kinds: readonly SkillEdit[] = [
        { action: "create", name, category: pick(["", "tools", "x/y"]), content: skillText(name, text()) },
        { action: "edit", name, content: skillText(name, text()) },
        { action: "patch", name, old_string: "line", new_string: `line ${random.below(9)}`, replace_all: true },
        { action: "write_file", name, file_path, file_content: text() },
        { action: "remove_file", name, file_path },
        { action: "delete", name },
        { action: "archive", name },
        { action: "restore", name },
      ];
      return pick(kinds);
    };
    const states = [tree()];
    const versions: string[] = [];
    for (let tries = 0; versions.length < 100 && tries < 2_000; tries++) {
      try {
        const { version } = await writes.apply(await writes.plan(edit(), USER), USER);
        versions.push(version);
        states.push(tree());
      } catch (error) {
        assert.ok(error instanceof AppError && error.code !== "E_INTERNAL", String(error));
        assert.deepEqual(tree(), states.at(-1));
      }
    }
    assert.equal(versions.length, 100);
    for (const version of versions.toReversed()) {
      await writes.undo(version, USER);
      states.pop();
      assert.deepEqual(tree(), states.at(-1), version);
    }
    assert.equal(states.length, 1);
  });
}
