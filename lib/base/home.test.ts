import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { AppError } from "./errors.js";
import { checkProfile } from "./fs/directory.js";
import { homeFrom } from "./home.js";

describe("the home that variables name", () => {
  for (const { what, env, dir, root, profile } of [
    { what: "the root", env: { AGENT_HOME: "/r" }, dir: "/r", root: "/r", profile: "default" },
    {
      what: "a profile of the root",
      env: { AGENT_HOME: "/r", AGENT_PROFILE: "a" },
      dir: "/r/profiles/a",
      root: "/r",
      profile: "a",
    },
    { what: "a profile's home", env: { AGENT_HOME: "/r/profiles/a" }, dir: "/r/profiles/a", root: "/r", profile: "a" },
    {
      what: "another profile of the same root: the name wins over the home",
      env: { AGENT_HOME: "/r/profiles/a", AGENT_PROFILE: "b" },
      dir: "/r/profiles/b",
      root: "/r",
      profile: "b",
    },
    {
      what: "the root, from a profile's home",
      env: { AGENT_HOME: "/r/profiles/a", AGENT_PROFILE: "default" },
      dir: "/r",
      root: "/r",
      profile: "default",
    },
  ])
    it(what, () => {
      const home = homeFrom(env);
      assert.deepEqual([home.dir, home.root, home.profile], [dir, root, profile]);
    });
});

describe("the profile that a command line names", () => {
  it("has to be there, and the names that are there are told", (t) => {
    const root = mkdtempSync(join(tmpdir(), "agent-profiles-"));
    t.after(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, "profiles", "work"), { recursive: true });
    for (const name of [undefined, "", "default", "work"]) checkProfile(root, name);
    for (const name of ["nobody", "..", "../profiles/work", "Work"])
      assert.throws(
        () => checkProfile(root, name),
        (error) => error instanceof AppError && error.code === "E_USAGE" && error.hint === "profiles: default, work",
      );
  });
});
