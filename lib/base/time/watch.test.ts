import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { watchFiles } from "./watch.js";

/** A watched `config.yaml`; `next()` resolves at the next change that is reported. */
function watched(t: TestContext, prepare: (dir: string) => void = () => undefined) {
  const dir = mkdtempSync(join(tmpdir(), "watch-"));
  prepare(dir);
  let tell: () => void = () => undefined;
  let count = 0;
  const failures: Error[] = [];
  const stop = watchFiles(
    [join(dir, "config.yaml")],
    () => {
      count += 1;
      tell();
    },
    (error) => failures.push(error),
  );
  const keepAlive = watch(dir); // a watch of ours lets the process end
  t.after(() => {
    keepAlive.close();
    stop();
    rmSync(dir, { recursive: true });
  });
  const next = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  return { dir, file: join(dir, "config.yaml"), next, stop, failures, count: () => count };
}

test("a file that is made, written, replaced or removed is reported", async (t) => {
  const { dir, file, next } = watched(t);
  // Each is one event: a second one would stand for the change after it.
  for (const change of [
    () => writeFileSync(file, ""),
    () => appendFileSync(file, "b"),
    () => {
      writeFileSync(join(dir, "new"), "c");
      renameSync(join(dir, "new"), file);
    },
    () => rmSync(file),
  ]) {
    const seen = next();
    change();
    await seen;
  }
});

test("other files of the directory are not reported", async (t) => {
  const { dir, file, next, count } = watched(t);
  writeFileSync(join(dir, "sessions.db"), "x");
  mkdirSync(join(dir, "logs"));
  const before = next();
  mkdirSync(file); // events come in order, and this one comes alone
  await before;
  assert.equal(count(), 1);
});

test("a file behind a link is watched where it really is, also after the link was turned", async (t) => {
  const { dir, file, next } = watched(t, (at) => {
    for (const name of ["one", "two"]) {
      mkdirSync(join(at, name));
      writeFileSync(join(at, name, "real.yaml"), "a");
    }
    symlinkSync(join(at, "one", "real.yaml"), join(at, "config.yaml"));
  });
  let seen = next();
  appendFileSync(join(dir, "one", "real.yaml"), "b"); // one event
  await seen;
  seen = next();
  symlinkSync(join(dir, "two", "real.yaml"), join(dir, "link"));
  renameSync(join(dir, "link"), file);
  await seen;
  seen = next();
  appendFileSync(join(dir, "two", "real.yaml"), "b");
  await seen;
});

test("a directory that is not there is told, not thrown", () => {
  const failures: Error[] = [];
  const stop = watchFiles(["/nonexistent/config.yaml"], assert.fail, (error) => failures.push(error));
  stop();
  stop();
  assert.match(String(failures[0]), /ENOENT/);
});
