import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Child, Spawner } from "../../base/process/spawn.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { openPage } from "./open-browser.js";

const URL = "https://portal.example/device?user_code=AB";

test("a page is shown with the program of the screen, and without the secrets of the caller", {
  skip: process.platform !== "linux",
}, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "open-page-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const program = join(dir, process.platform === "darwin" ? "open" : "xdg-open");
  writeFileSync(
    program,
    '#!/bin/sh\nPATH=/usr/bin:/bin\n{ echo "$1"; env; } > "$HOME/seen.part"\nmv "$HOME/seen.part" "$HOME/seen"\n',
  );
  chmodSync(program, 0o755);
  let child: Child | undefined;
  const spawner: Spawner = {
    ...systemSpawner,
    spawn: async (spec) => {
      child = await systemSpawner.spawn(spec);
      return { ...child, unref: () => undefined }; // the test waits for its end
    },
  };
  const env = { PATH: dir, HOME: dir, DISPLAY: ":0", SECRET_TOKEN: "not-for-it" };
  assert.equal(await openPage(spawner, URL, env), true);
  await child?.exited;
  const seen = readFileSync(join(dir, "seen"), "utf8");
  assert.equal(seen.split("\n")[0], URL);
  assert.match(seen, /DISPLAY=:0/);
  assert.ok(!seen.includes("not-for-it"));
});

const NOTHING: readonly (readonly [why: string, url: string, env: Record<string, string>])[] = [
  ["there is no screen", URL, { PATH: "/usr/bin" }],
  ["there is no program for it", URL, { PATH: "/nowhere", DISPLAY: ":0" }],
  ["it is no page", "file:///etc/passwd", { PATH: "/usr/bin", DISPLAY: ":0" }],
  ["it looks like an option", "--help", { PATH: "/usr/bin", DISPLAY: ":0" }],
];

for (const [why, url, env] of NOTHING) {
  test(`nothing is started when ${why}`, async () => {
    const spawner = { ...systemSpawner, spawn: async () => assert.fail("something was started") };
    assert.equal(await openPage(spawner, url, env), false);
  });
}
