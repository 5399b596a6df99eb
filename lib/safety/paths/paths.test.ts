import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import {
  abbreviateHome,
  absolutePath,
  guardRead,
  guardWrite,
  innerPath,
  isBelow,
  isSecretFile,
  isWithin,
  type PathScope,
  projectRoot,
  secretFilter,
} from "./paths.js";

const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "paths-")));
after(() => rmSync(root, { recursive: true, force: true }));

const userHome = join(root, "user");
const agent = join(userHome, ".agent");
const project = join(userHome, "project");
// The checkout itself may lie in a temporary directory of the machine.
const scope: PathScope = { home: layOutHome(agent), userHome, project, env: {}, temporary: [join(root, "temporary")] };

for (const dir of [".ssh", ".agent", "project/sub"]) mkdirSync(join(userHome, dir), { recursive: true });
writeFileSync(join(userHome, ".ssh/id_rsa"), "key");
writeFileSync(join(project, ".env"), "A=1");
const LINKS: Readonly<Record<string, string>> = {
  "link-ssh": join(userHome, ".ssh"),
  "link-key": join(userHome, ".ssh/id_rsa"),
  "link-new": join(userHome, ".ssh/not-yet"),
  "link-link": "link-ssh",
  "link-agent": agent,
  "link-env": ".env",
  "link-zero": "/dev/zero",
  loop: "loop2",
  loop2: "loop",
};
for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(project, name));

const lines = readFileSync(join(process.cwd(), "fixtures/corpora/paths.txt"), "utf8").split("\n");
for (const line of lines.filter((one) => one !== "")) {
  const [item = "", reason = ""] = line.split(" # ");
  const [kind, expected, ...rest] = item.split(" ");
  const given = rest.join(" ").replace("AGENT", agent).replace("HOME", userHome).replace("\\0", "\0");
  test(`${kind === "w" ? "writing" : "reading"} ${rest.join(" ")} is ${expected === "yes" ? "possible" : "refused"}: ${reason}`, () => {
    const path = absolutePath(given, project, userHome);
    const answer = kind === "w" ? guardWrite(path, scope) : guardRead(path, scope);
    assert.equal(answer.ok, expected === "yes", answer.ok ? answer.path : answer.why);
  });
}

test("outside AGENT_WRITE_SAFE_ROOT nothing is written", () => {
  const safe = { ...scope, env: { AGENT_WRITE_SAFE_ROOT: join(project, "sub") } };
  assert.ok(guardWrite(join(project, "sub/a"), safe).ok);
  assert.ok(!guardWrite(join(project, "a"), safe).ok);
  assert.ok(!guardWrite(join(project, "subway/a"), safe).ok);
});

test("what the agent keeps beside skills is changed by its own tools only", () => {
  for (const path of [
    "skills/.versions/a/1.json",
    "skills/.pending/x.json",
    "skills/.usage.json",
    "skills/.hub/lock.json",
  ]) {
    const answer = guardWrite(join(agent, path), scope);
    assert.match(answer.ok ? "" : answer.why, /skill_manage/, path);
  }
  assert.ok(guardWrite(join(agent, "skills/a/SKILL.md"), scope).ok);
});

test("another profile's skills are written only when asked for", () => {
  const path = join(agent, "profiles/other/skills/x");
  assert.ok(guardWrite(path, { ...scope, crossProfile: true }).ok);
});

test("logins of all profiles are out of reach wherever the boards are", () => {
  const profile = { ...scope, home: layOutHome(join(agent, "profiles/work"), join(root, "boards"), "work") };
  assert.ok(!guardRead(join(agent, "auth.json"), profile).ok);
  assert.ok(!guardWrite(join(agent, "auth.json"), profile).ok);
});

test("what lies outside the project is told apart", () => {
  const outside = (path: string) => {
    const answer = guardWrite(path, scope);
    return answer.ok && answer.outside;
  };
  assert.deepEqual(
    [join(project, "a"), join(root, "temporary/x"), join(userHome, "other"), join(userHome, "projects/a")].map(outside),
    [false, false, true, true],
  );
});

test("a prefix is no containment", () => {
  assert.ok(isWithin("/a/b", "/a") && isWithin("/a", "/a") && isWithin("/a", "/"));
  assert.ok(!isWithin("/ab", "/a"));
});

test("a file whose name begins with two dots lies below its directory", () => {
  assert.equal(innerPath("/a/..notes", "/a"), "..notes");
  assert.equal(innerPath("/a/b/c", "/a/"), "b/c");
  assert.equal(innerPath("/b", "/"), "b");
  for (const path of ["/a", "/", "/ab", "/a/../b"]) assert.equal(innerPath(path, "/a"), undefined);
  assert.ok(isBelow("/a/..", "/") === false && isBelow("/a/b", "/a") && !isBelow("/a", "/a"));
});

test("a path below the home of its user is shown with ~, and as it is where there is no home", () => {
  assert.deepEqual(
    ["/home/ann", "/home/ann/work", "/home/anna"].map((path) => abbreviateHome(path, "/home/ann")),
    ["~", "~/work", "/home/anna"],
  );
  assert.equal(abbreviateHome("/work", ""), "/work");
});

test("the project is the nearest directory with a project file, and never the whole home", () => {
  writeFileSync(join(project, "package.json"), "{}");
  writeFileSync(join(userHome, "Makefile"), "");
  assert.equal(projectRoot(join(project, "sub"), userHome), project);
  assert.equal(projectRoot(join(userHome, ".ssh"), userHome), join(userHome, ".ssh"));
});

test("a search finds the same files secret as a single read", () => {
  const roots = [
    project,
    userHome,
    agent,
    join(userHome, ".ssh"),
    join(userHome, ".config"),
    join(userHome, ".aws"),
    root,
    "/",
  ];
  const files = ["a.txt", ".env", "sub/.ENV.local", "server.key", "node_modules/x/test.key"].map((name) =>
    join(project, name),
  );
  const homes = [
    ".ssh/id_rsa",
    ".ssh/known_hosts",
    ".netrc",
    ".npmrc",
    ".aws/credentials",
    ".config/gh/hosts.yml",
    ".agent/auth.json",
    ".agent/config.yaml",
  ].map((name) => join(userHome, name));
  for (const top of roots) {
    const isSecret = secretFilter(top, scope);
    for (const file of [...files, ...homes])
      if (isWithin(file, top)) assert.equal(isSecret(file), isSecretFile(file, scope), `${file} below ${top}`);
  }
});

test("a path with a NUL and one whose links go round are refused for what each of them is", () => {
  const why = (path: string) =>
    [guardRead(path, scope), guardWrite(path, scope)].map((answer) => (answer.ok ? "" : answer.why));
  for (const text of why(join(project, "a\0b"))) assert.match(text, /no name of a file holds a NUL character/);
  for (const text of why(join(project, "loop"))) assert.match(text, /its links lead nowhere/);
});

test("a refused read says which directory of keys the file lies in", () => {
  const answer = guardRead(join(userHome, ".aws/credentials"), scope);
  assert.match(answer.ok ? "" : answer.why, /~\/\.aws holds keys or credentials/);
});

for (const dir of ["bare", "bare/objects", "bare/refs", "made/objects", "made/refs"])
  mkdirSync(join(project, dir), { recursive: true });
writeFileSync(join(project, "bare/HEAD"), "ref: refs/heads/main\n");

/** Parts of repositories that git takes settings or programs from, and what lies beside them. */
const GIT: readonly (readonly [path: string, setting: boolean])[] = [
  [".git", true],
  [".git/config", true],
  [".git/config.worktree", true],
  [".git/commondir", true],
  [".git/info", true],
  [".git/info/attributes", true],
  [".git/hooks/pre-commit", true],
  [".git/worktrees/w/gitdir", true],
  [".git/worktrees/w/config.worktree", true],
  [".git/modules/m", true],
  [".git/modules/a/b/config", true],
  [".git/modules/m/hooks/post-checkout", true],
  [".GIT/Config", true],
  ["sub/.git", true],
  ["sub/.git/info/attributes", true],
  ["bare/config", true],
  ["bare/hooks/update", true],
  ["bare/info/attributes", true],
  ["made/HEAD", true],
  [".git/info/exclude", false],
  [".git/COMMIT_EDITMSG", false],
  [".git/index.lock", false],
  [".gitignore", false],
  [".gitattributes", false],
  ["sub/config", false],
  ["sub/HEAD", false],
  ["sub/hooks/use.ts", false],
  ["bare/description", false],
];
for (const [path, setting] of GIT)
  test(`writing ${path} ${setting ? "asks: git takes settings from it" : "does not ask: git takes no settings from it"}`, () => {
    const answer = guardWrite(join(project, path), scope);
    assert.equal(answer.ok && answer.risk, setting ? "system-write" : undefined);
  });
