import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Bench, bench } from "../../../fixtures/worlds/tool-context.js";
import type { AnyTool } from "../core/define.js";
import patch from "./patch.js";
import readFile from "./read-file.js";
import searchFiles from "./search-files.js";
import writeFile from "./write-file.js";

const LINKS: Readonly<Record<string, string>> = {
  "link-ssh": "USER/.ssh",
  "link-key": "USER/.ssh/id_rsa",
  "link-new": "USER/.ssh/not-yet",
  "link-link": "link-ssh",
  "link-agent": "AGENT",
  "link-env": ".env",
  "link-zero": "/dev/zero",
  loop: "loop2",
  loop2: "loop",
};

type Entry = readonly [name: string, tool: AnyTool, args: (path: string) => Readonly<Record<string, unknown>>];
const WRITES: readonly Entry[] = [
  ["write_file", writeFile, (path) => ({ path, content: "x" })],
  ["patch replace", patch, (path) => ({ path, old_string: "secret", new_string: "x" })],
  ["patch add", patch, (path) => inPatch(`*** Add File: ${path}\n+x`)],
  ["patch update", patch, (path) => inPatch(`*** Update File: ${path}\n@@\n-secret\n+x`)],
  ["patch delete", patch, (path) => inPatch(`*** Delete File: ${path}`)],
  ["patch move", patch, (path) => inPatch(`*** Move File: a.txt -> ${path}`)],
];
const READS: readonly Entry[] = [
  ["read_file", readFile, (path) => ({ path })],
  ["search_files", searchFiles, (path) => ({ pattern: "secret", path })],
];

const inPatch = (text: string) => ({ mode: "patch", patch: `*** Begin Patch\n${text}\n*** End Patch` });

const CORPUS = readFileSync(join(process.cwd(), "fixtures/corpora/paths.txt"), "utf8");
const ROWS = CORPUS.split("\n").flatMap((line) => {
  const [item = "", reason = ""] = line.split(" # ");
  const [kind, expected, ...rest] = item.split(" ");
  return expected === "no" ? [{ entries: kind === "w" ? WRITES : READS, path: rest.join(" "), reason }] : [];
});

test("the table holds at least 120 hostile paths", () => assert.ok(ROWS.length >= 120, `${ROWS.length}`));

for (const { entries, path, reason } of ROWS) {
  test(`${entries.map(([name]) => name).join(", ")}: ${path} is refused and nothing is changed (${reason})`, async (t) => {
    const world = hostileWorld(t);
    const before = digest(world.root);
    const given = path
      .replace("AGENT", join(world.root, "home"))
      .replace("HOME", join(world.root, "user"))
      .replace("\\0", "\0");
    for (const [name, tool, args] of entries) {
      const { text, status } = await world.run(tool, args(given));
      assert.notEqual(status ?? "ok", "ok", `${name}: ${text}`);
      assert.ok(!text.includes("the secret line"), name);
    }
    assert.equal(digest(world.root), before);
    assert.deepEqual(world.asked, [], "what is refused is not asked about");
  });
}

/** A user with keys, an agent with settings, a project with links to both. */
function hostileWorld(t: TestContext): Bench {
  const world = bench(t);
  const { root, project } = world;
  const secret = "the secret line\n";
  for (const dir of ["user/.ssh", "user/.aws", "home/profiles/other", "home/mcp-tokens", "project/sub"])
    mkdirSync(join(root, dir), { recursive: true });
  for (const file of [
    "user/.ssh/id_rsa",
    "user/.netrc",
    "home/.env",
    "home/auth.json",
    "home/config.yaml",
    "project/.env",
  ])
    writeFileSync(join(root, file), secret);
  for (const file of ["project/a.txt", "project/server.key"]) writeFileSync(join(root, file), secret);
  for (const [name, target] of Object.entries(LINKS))
    symlinkSync(target.replace("USER", join(root, "user")).replace("AGENT", join(root, "home")), join(project, name));
  return world;
}

/** Every name, kind, content and link below a directory. */
function digest(root: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(root, { recursive: true, encoding: "utf8" }).sort()) {
    const path = join(root, name);
    const facts = lstatSync(path);
    const content = facts.isSymbolicLink() ? readlinkSync(path) : facts.isFile() ? readFileSync(path) : "";
    hash.update(`${name}\0${facts.mode}\0`).update(content);
  }
  return hash.digest("hex");
}
