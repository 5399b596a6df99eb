import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { createMadeRepositories } from "./made.js";
import { findCageProject, type PlanSettings, planCage } from "./plan.js";

/** A user with a home of the product and a repository. `/var/tmp` is hidden in cages, so names are compared, not mounts. */
function world(t: TestContext, settings: Partial<PlanSettings> = {}) {
  const base = realpathSync(mkdtempSync("/var/tmp/agent-plan-"));
  t.after(() => rmSync(base, { recursive: true }));
  const user = join(base, "user");
  const project = join(base, "user", "project");
  const tmp = join(base, "tmp");
  const home = layOutHome(join(user, ".agent"));
  for (const dir of [home.runDir, join(project, ".git"), join(project, "sub"), tmp])
    mkdirSync(dir, { recursive: true });
  writeFileSync(join(project, ".git", "config"), "[core]\n");
  const all: PlanSettings = {
    home,
    tmp,
    writable: [],
    network: "host",
    mayRead: () => false,
    made: createMadeRepositories(join(base, "made")),
    ...settings,
  };
  const env = { PATH: "/usr/bin:/bin", HOME: user };
  const planFor = (directory: string, own: readonly string[] = []) =>
    planCage({ directory, lineage: "s_1", env, own }, all);
  return { base, user, project, home, planFor };
}

test("a session in a directory of a repository writes the whole repository but its settings and hooks", (t) => {
  const { project, planFor } = world(t);
  const plan = planFor(join(project, "sub"));
  assert.equal(plan.project, project);
  assert.ok(plan.writable.includes(project) && plan.writable.includes(join(project, ".git")));
  for (const name of ["config", "hooks", "info/attributes"])
    assert.ok(plan.readOnly.includes(join(project, ".git", name)), name);
});

test("rules of the project are read-only, and its .env is empty unless a rule shows it", (t) => {
  const shows = world(t, { mayRead: (path) => path.endsWith(".env.test") });
  mkdirSync(join(shows.project, ".agent"));
  for (const name of [".env", ".env.test", ".env.example"]) writeFileSync(join(shows.project, name), "TOKEN=x\n");
  const plan = shows.planFor(shows.project);
  assert.ok(plan.readOnly.includes(join(shows.project, ".agent")));
  assert.deepEqual(plan.secret, [join(shows.project, ".env")]);
  assert.ok(
    plan.hidden.includes(join(shows.project, ".env")) && plan.readOnly.includes(join(shows.project, ".env.test")),
  );
  assert.ok(![...plan.hidden, ...plan.readOnly].includes(join(shows.project, ".env.example")));
});

test("the home of the product and the secrets of the user are hidden where they exist", (t) => {
  const { user, home, project, planFor } = world(t);
  mkdirSync(join(user, ".ssh"));
  const { hidden } = planFor(project);
  assert.ok(hidden.includes(home.dir) && hidden.includes(join(user, ".ssh")) && !hidden.includes(join(user, ".aws")));
});

test("a worker writes its workspace and attachments in the home of the product, and nothing else there", (t) => {
  const { home, project, planFor } = world(t);
  const board = join(home.dir, "kanban", "boards", "main");
  const workspace = join(board, "workspaces", "t_1");
  const attachments = join(board, "attachments", "t_1");
  for (const dir of [workspace, attachments]) mkdirSync(dir, { recursive: true });
  const { writable } = planFor(project, [workspace, attachments, home.dir, home.runDir]);
  assert.deepEqual(
    writable.filter((dir) => dir.startsWith(home.dir)),
    [workspace, attachments],
  );
});

for (const dir of ["/", "/usr", "/etc", "/tmp", "/proc"])
  test(`a session that begins in ${dir} cannot write there`, (t) => {
    const { planFor } = world(t);
    assert.ok(!planFor(dir).writable.includes(dir));
  });

test("cage_writable adds directories that exist, never the system's, the home as a whole, or what is hidden", (t) => {
  const { user, project, planFor } = world(t, {
    writable: ["~/.cache", "~/missing", "/etc", "~", "~/.ssh", "relative"],
  });
  for (const name of [".cache", ".ssh"]) mkdirSync(join(user, name));
  const { writable } = planFor(project);
  assert.ok(writable.includes(join(user, ".cache")));
  for (const dir of ["/etc", join(user, ".ssh"), join(user, "missing")]) assert.ok(!writable.includes(dir), dir);
});

test("a link in the project does not make what it leads to writable", (t) => {
  const { base, project, planFor } = world(t);
  symlinkSync(base, join(project, "out"));
  assert.equal(findCageProject(join(project, "out"), "/nonexistent"), base);
  assert.ok(!planFor(project).writable.includes(base));
});

test("the repositories of a person inside the project are held as its own is, those that a command has made can be removed", (t) => {
  const { project, planFor } = world(t);
  const makeRepository = (name: string) => {
    mkdirSync(join(project, name, ".git"), { recursive: true });
    writeFileSync(join(project, name, ".git", "config"), "");
  };
  makeRepository("lib/one");
  assert.ok(planFor(project).readOnly.includes(join(project, "lib/one/.git/config")));
  makeRepository("two");
  const plan = planFor(project);
  assert.deepEqual(plan.made, [join(project, "two/.git")]);
  assert.ok(
    plan.writable.includes(join(project, "lib/one/.git")) &&
      plan.readOnly.includes(join(project, "lib/one/.git/hooks")),
  );
  assert.ok(![...plan.readOnly, ...plan.writable].some((path) => path.startsWith(join(project, "two"))));
});

test("a repository at the top that a command has made is held, and stays known as made in later processes", (t) => {
  const { base, project, planFor } = world(t);
  rmSync(join(project, ".git"), { recursive: true });
  planFor(project);
  mkdirSync(join(project, ".git"));
  writeFileSync(join(project, ".git", "config"), "");
  assert.ok(planFor(project).readOnly.includes(join(project, ".git", "config")));
  const later = createMadeRepositories(join(base, "made"));
  assert.deepEqual([...later.find(project, [join(project, ".git")])], [join(project, ".git")]);
});
