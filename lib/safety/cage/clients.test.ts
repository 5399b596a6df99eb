import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { findClientPrograms } from "./clients.js";

function setup(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(process.cwd(), "dist", "path-")));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const program = (name: string) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "#!/bin/sh\n");
    chmodSync(path, 0o755);
    return path;
  };
  const link = (name: string, to: string) => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    symlinkSync(to, join(root, name));
  };
  const find = (dirs: string, ...open: readonly string[]) => {
    const named = dirs.split(" ").map((dir) => join(root, dir));
    const all = findClientPrograms(named.join(":"), join(root, "user"), open);
    return all.filter((path) => path.startsWith(root)).map((path) => path.slice(root.length + 1));
  };
  return { root, program, link, find };
}

test("clients are found in every directory of PATH and where login shells look, once each, by their real path", (t) => {
  const { program, link, find } = setup(t);
  for (const name of ["a/terraform", "a/ls", "b/docker", "user/.local/bin/gh", "lib/node_modules/vercel/index.js"])
    program(name);
  link("b/vercel", "../lib/node_modules/vercel/index.js");
  link("b/terraform", "../a/terraform");
  assert.deepEqual(find("a b missing").toSorted(), [
    "a/terraform",
    "b/docker",
    "lib/node_modules/vercel/index.js",
    "user/.local/bin/gh",
  ]);
});

test("a program with many names is left alone: it starts others as well", (t) => {
  const { program, link, find } = setup(t);
  program("tools/mise");
  link("a/terraform", "../tools/mise");
  link("a/node", "../tools/mise");
  assert.deepEqual(find("a"), []);
});

test("a client that the line names stays, with what it starts itself and under its other names", (t) => {
  const { program, link, find } = setup(t);
  for (const name of ["a/terraform", "a/terragrunt", "a/flyctl", "a/gh"]) program(name);
  link("a/fly", "flyctl");
  assert.deepEqual(find("a", "terragrunt", "fly"), ["a/gh"]);
});

test("a client that is installed later is found by the next command", (t) => {
  const { root, program, find } = setup(t);
  program("a/terraform");
  utimesSync(join(root, "a"), 1, 1);
  assert.deepEqual(find("a"), ["a/terraform"]);
  program("a/gh");
  assert.deepEqual(find("a").toSorted(), ["a/gh", "a/terraform"]);
});
