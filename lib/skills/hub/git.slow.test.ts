import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { simNet } from "../../../fixtures/ports/net.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import { createUsage } from "../usage/usage.js";
import { createSkillHub } from "./hub.js";

/** A real repository with a skill, and a hub in an empty home. */
function place(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "agent-hub-git-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const repository = join(dir, "repo.git");
  mkdirSync(repository);
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: repository, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  const commit = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(repository, path)), { recursive: true });
      writeFileSync(join(repository, path), text);
    }
    git("add", "-A");
    git("commit", "-q", "-m", "x");
  };
  const home = { dir: join(dir, "home") };
  const base = { home, clock: systemClock, ids: randomIds, spawner: systemSpawner };
  const hub = createSkillHub({
    ...base,
    net: simNet(),
    config: { get: (key) => key.default },
    usage: async () => createUsage({ ...base, now: systemClock.now }),
    env: () => process.env,
    optional: () => join(dir, "optional"),
    userHome: () => dir,
  });
  const options = { force: false, cwd: dir, local: true, confirm: async () => true };
  const installed = (path: string) => readFileSync(join(home.dir, "skills", path), "utf8");
  return { dir, repository, git, commit, home, hub, options, installed, url: `file://${repository}` };
}

const main = (body: string, version: string) =>
  `---\nname: notes\ndescription: Use for notes.\nversion: ${version}\n---\n${body}\n`;

test("a skill of a git repository is installed from a tag, and an update follows the branch that was named", async (t) => {
  const made = place(t);
  made.commit({ "packs/notes/SKILL.md": main("First.", "1.0.0"), "packs/notes/references/a.md": "a\n" });
  made.git("tag", "v1");
  made.commit({ "packs/notes/SKILL.md": main("Second.", "1.1.0") });
  const tagged = await made.hub.install(`${made.url}/packs/notes@v1`, { ...made.options, name: "old-notes" });
  assert.deepEqual([tagged?.version, tagged?.ref, tagged?.source], ["1.0.0", "v1", "git"]);
  assert.match(tagged?.commit ?? "", /^[0-9a-f]{40}$/);
  assert.match(made.installed("old-notes/SKILL.md"), /First\./);
  const followed = await made.hub.install(`${made.url}/packs/notes@main`, made.options);
  assert.match(made.installed("notes/SKILL.md"), /Second\./);
  made.commit({ "packs/notes/SKILL.md": main("Third.", "1.2.0") });
  assert.deepEqual(
    (await made.hub.check()).map(({ name, update }) => [name, update]),
    [
      ["notes", "available"],
      ["old-notes", "none"],
    ],
  );
  await made.hub.update("notes", { force: false, confirm: async () => true });
  assert.match(made.installed("notes/SKILL.md"), /Third\./);
  const now = (await made.hub.list()).find(({ name }) => name === "notes");
  assert.notEqual(now?.commit, followed?.commit);
});

test("an unknown branch, a directory that is not there and a link out of the repository are refused, and leave nothing", async (t) => {
  const made = place(t);
  writeFileSync(join(made.dir, "SKILL.md"), main("Outside.", "1.0.0"));
  made.commit({ "packs/notes/SKILL.md": main("First.", "1.0.0") });
  symlinkSync(made.dir, join(made.repository, "out"));
  symlinkSync("/etc/passwd", join(made.repository, "packs/notes/link"));
  made.git("add", "-A");
  made.git("commit", "-q", "-m", "links");
  for (const inner of ["/packs/notes@nope", "/gone", "/out", "/packs/notes"])
    await assert.rejects(made.hub.install(`${made.url}${inner}`, made.options), AppError, inner);
  assert.deepEqual(await made.hub.list(), []);
  assert.equal(existsSync(join(made.home.dir, "skills", "notes")), false);
});

test("a repository becomes a tap once, is listed and removed; one without skills, and what is no repository, does not", async (t) => {
  const { hub, commit, url, dir } = place(t);
  let taps: readonly string[] = [];
  const services = {
    skills: { hub: async () => hub },
    config: { get: () => taps },
    settings: {
      change: async (changes: Readonly<Record<string, unknown>>) => {
        taps = Object.values(changes)[0] as readonly string[]; // the one setting of these commands
      },
    },
  };
  const tap = (...words: string[]) => runLine(["skills", "tap", ...words], services);
  commit({ "README.md": "none yet\n" });
  const empty = await tap("add", url);
  assert.equal(empty.code, 1);
  assert.match(empty.err, /has no directory with a SKILL\.md/);
  assert.equal((await tap("add", dir)).code, 1);
  assert.deepEqual(taps, []);
  commit({ "skills/notes/SKILL.md": main("Do it.", "1.0.0") });
  assert.equal((await tap("add", url)).out, `Added ${url}.\n`);
  await tap("add", url);
  assert.deepEqual(taps, [url]);
  assert.match((await tap("list")).out, new RegExp(url.replaceAll(/[.?]/g, "\\$&")));
  assert.equal((await tap("remove", url)).code, 0);
  assert.deepEqual(taps, []);
});
