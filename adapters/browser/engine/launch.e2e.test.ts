import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { noChromium } from "../../../fixtures/browser/test-session.js";
import { randomIds } from "../../../lib/base/ids.js";
import { findBrowser } from "../../../lib/base/process/find-browser.js";
import { systemSpawner } from "../../../lib/base/process/spawn-system.js";
import { systemClock } from "../../../lib/base/time/clock.js";
import { type Launched, launchBrowser } from "./launch.js";

const real = { skip: noChromium };

/** Start a program that looks at its flags first, and then becomes the real browser. */
function launched(t: TestContext, first: string) {
  const found = findBrowser("", process.env);
  assert.ok("program" in found);
  const dir = mkdtempSync(join(tmpdir(), "launch-"));
  let started: Launched | undefined;
  t.after(async () => {
    await started?.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });
  const program = join(dir, "browser");
  writeFileSync(program, `#!/bin/sh\n${first}\nexec ${JSON.stringify(found.program)} "$@"\n`, { mode: 0o755 });
  const profiles = join(dir, "profiles");
  const parts = {
    program,
    profiles,
    clock: systemClock,
    ids: randomIds,
    spawner: systemSpawner,
    env: process.env,
    self: { pid: process.pid, root: false },
  };
  const start = async (): Promise<Launched> => {
    started = await launchBrowser(parts, new AbortController().signal);
    return started;
  };
  return { profiles, start };
}

const NO_SANDBOX = 'case " $* " in *" --no-sandbox "*) ;; *) echo "FATAL: No usable sandbox!" >&2; exit 1 ;; esac';

test("where the system refuses the sandbox, the browser starts without it and says so", real, async (t) => {
  const { start, profiles } = launched(t, NO_SANDBOX);
  const browser = await start();
  assert.equal(browser.note, "no sandbox: this system refuses it (unprivileged user namespaces)");
  assert.match(browser.browser.version(), /^\d+\./);
  assert.equal(
    readdirSync(profiles).filter((name) => name.endsWith(".json")).length,
    1,
    "the first try left no profile",
  );
});

test("a browser that does not start for another reason is not tried without its sandbox", real, async (t) => {
  const { start, profiles } = launched(t, 'echo "ERROR: cannot open display" >&2; exit 3');
  await assert.rejects(start(), /did not start: .*cannot open display/);
  assert.deepEqual(readdirSync(profiles), []);
});
