import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import type { ServerDefinition } from "./definition.js";
import { STEPS_AT_MOST, serverRoot, workTree } from "./roots.js";
import { languageOf, SERVERS, serverFor } from "./servers.js";

/** A directory with these empty files; a name that ends in `/` is a directory. */
function tree(t: TestContext, ...names: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-roots-")));
  t.after(() => rmSync(root, { recursive: true }));
  for (const name of names) {
    mkdirSync(name.endsWith("/") ? join(root, name) : dirname(join(root, name)), { recursive: true });
    if (!name.endsWith("/")) writeFileSync(join(root, name), "");
  }
  return root;
}

function named(id: string): ServerDefinition {
  const found = SERVERS.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
}

test("the work tree of the launch directory comes first, else that of the file", async (t) => {
  const root = tree(t, "outer/.git/", "outer/inner/.git", "outer/inner/src/", "other/.git/", "other/lib/", "none/");
  const at = (path: string) => join(root, path);
  assert.equal(await workTree(at("outer/inner/src/a.py"), at("outer")), at("outer"));
  assert.equal(await workTree(at("outer/inner/src/a.py"), at("outer/inner")), at("outer/inner"));
  assert.equal(await workTree(at("outer/inner/src/a.py"), at("none")), at("outer/inner"));
  assert.equal(await workTree(at("other/lib/a.py"), at("outer")), at("other"));
  assert.equal(await workTree(at("none/a.py"), at("none")), undefined);
  symlinkSync(at("outer"), at("link"));
  assert.equal(await workTree(at("outer/a.py"), at("link")), at("outer"));
});

const roots: [server: string, file: string, names: readonly string[], root: string | undefined][] = [
  ["typescript", "a/b/c.ts", ["a/package.json", "tsconfig.json"], "a"],
  ["typescript", "a/b/c.ts", [], ""],
  ["typescript", "a/b/c.ts", ["package.json", "a/deno.json"], undefined],
  ["typescript", "a/b/c.ts", ["a/package.json", "deno.json"], "a"],
  ["pyright", "a/b/c.py", ["a/b/requirements.txt", "pyproject.toml"], "a/b"],
  ["bash-language-server", "a/b/c.sh", ["a/package.json"], ""],
  ["haskell-language-server", "a/b/c.hs", ["a/some.cabal"], "a"],
];

for (const [id, file, names, expected] of roots) {
  test(`${id} works on ${file} in ${expected ?? "no place"} with ${names.join(" and ") || "no marks"}`, async (t) => {
    const root = tree(t, ".git/", "a/b/", ...names);
    const found = await serverRoot(named(id), join(root, file), root);
    assert.equal(found, expected === undefined ? undefined : join(root, expected).replace(/\/$/, ""));
  });
}

test("a walk up gives up after 64 directories", async (t) => {
  proves(t, "limit.lsp-framing");
  const near = `${"d/".repeat(STEPS_AT_MOST - 1)}`;
  const root = tree(t, ".git/", `${near}e/`);
  assert.equal(await workTree(join(root, near, "a.py"), "/"), root);
  assert.equal(await workTree(join(root, near, "e", "a.py"), "/"), undefined);
});

const files: [path: string, server: string | undefined, language: string][] = [
  ["/x/a.py", "pyright", "python"],
  ["/x/a.d.mts", "typescript", "typescript"],
  ["/x/A.TSX", "typescript", "typescriptreact"],
  ["/x/Dockerfile", "dockerfile-ls", "dockerfile"],
  ["/x/web.dockerfile", "dockerfile-ls", "dockerfile"],
  ["/x/run.ksh", "bash-language-server", "shellscript"],
  ["/x/a.hpp", "clangd", "cpp"],
  ["/x/.py", "pyright", "python"],
  ["/x/py", undefined, ""],
  ["/x.ts/Makefile", undefined, ""],
];

for (const [path, id, language] of files) {
  test(`${path} belongs to ${id ?? "no server"}`, () => {
    const found = serverFor(path);
    assert.equal(found?.id, id);
    if (found !== undefined) assert.equal(languageOf(found, path), language);
  });
}

test("no two servers claim the same files, and every package has its exact version", () => {
  const claimed = SERVERS.flatMap((one) => [...one.extensions, ...(one.names ?? [])]);
  assert.deepEqual(claimed, [...new Set(claimed)]);
  for (const { install } of SERVERS)
    if (install.by === "npm")
      for (const name of install.packages) assert.match(name, /^(@[\w-]+\/)?[\w-]+@\d+\.\d+\.\d+$/);
});
