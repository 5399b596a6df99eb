import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { watchDirectories, watchFiles } from "./watch.js";

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

test("a file behind a link is followed however often an editor replaces it", async (t) => {
  const { dir, next } = watched(t, (at) => {
    mkdirSync(join(at, "dotfiles"));
    writeFileSync(join(at, "dotfiles", "real.yaml"), "a");
    symlinkSync(join(at, "dotfiles", "real.yaml"), join(at, "config.yaml"));
  });
  const real = join(dir, "dotfiles", "real.yaml");
  for (const text of ["b", "c", "d"]) {
    const seen = next();
    writeFileSync(`${real}.new`, text);
    renameSync(`${real}.new`, real);
    await seen;
  }
});

/** A watched directory `profiles`, which may be there only later. */
function named(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "watch-"));
  let tell: () => void = () => undefined;
  const failures: Error[] = [];
  const stop = watchDirectories(
    join(dir, "profiles"),
    () => tell(),
    (error) => failures.push(error),
  );
  t.after(() => {
    stop();
    rmSync(dir, { recursive: true });
  });
  const next = () =>
    new Promise<void>((resolve) => {
      tell = resolve;
    });
  return { dir: join(dir, "profiles"), next, stop, failures };
}

test("a directory that is made later is watched from then on, also when it was removed meanwhile", async (t) => {
  const { dir, next, failures } = named(t);
  const keepAlive = watch(tmpdir());
  t.after(() => keepAlive.close());
  for (let round = 0; round < 2; round++) {
    let seen = next();
    mkdirSync(dir);
    await seen;
    for (const name of ["one", "two"]) {
      seen = next();
      mkdirSync(join(dir, name));
      await seen;
    }
    seen = next();
    rmSync(join(dir, "one"), { recursive: true });
    await seen;
    seen = next();
    rmSync(dir, { recursive: true });
    await seen;
  }
  assert.deepEqual(failures, []);
});

test("what lies in a home costs no watches: one for its names, however many files it has", async (t) => {
  if (process.platform !== "linux") return;
  const { dir, file, next } = watched(t, (at) => {
    for (let n = 0; n < 200; n++) writeFileSync(join(at, `file-${n}`), "x");
  });
  const seen = next();
  writeFileSync(file, "a");
  await seen;
  assert.ok(watchesOf(dir) <= 2); // that of the test itself is one
});

/** Watches of this process on a directory and what is in it. */
function watchesOf(dir: string): number {
  const inodes = new Set([dir, ...readdirSync(dir).map((name) => join(dir, name))].map((path) => statSync(path).ino));
  const held = readdirSync("/proc/self/fdinfo").flatMap((fd) => {
    try {
      return [...readFileSync(`/proc/self/fdinfo/${fd}`, "utf8").matchAll(/^inotify .*\bino:([0-9a-f]+)/gm)];
    } catch {
      return []; // it was the one that read the directory
    }
  });
  return held.filter(([, inode = ""]) => inodes.has(Number.parseInt(inode, 16))).length;
}

test("after they were stopped nothing is watched any more", async (t) => {
  if (process.platform !== "linux") return;
  const { dir, file, next, stop } = watched(t);
  const seen = next();
  writeFileSync(file, "a");
  await seen;
  stop();
  stop();
  const there = named(t);
  let made = there.next();
  mkdirSync(there.dir);
  await made;
  made = there.next();
  mkdirSync(join(there.dir, "one"));
  await made;
  there.stop();
  there.stop();
  assert.deepEqual([watchesOf(dir), watchesOf(there.dir)], [1, 0]); // the one of the test itself
});

test("variables that make other programs poll change nothing about how directories are watched", async (t) => {
  const foreign = { CHOKIDAR_USEPOLLING: "1", CHOKIDAR_INTERVAL: "1000000000" };
  const before = Object.keys(foreign).map((name) => [name, process.env[name]] as const);
  t.after(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });
  Object.assign(process.env, foreign);
  const { dir, next } = named(t);
  for (const change of [() => mkdirSync(dir), () => mkdirSync(join(dir, "one")), () => mkdirSync(join(dir, "two"))]) {
    const seen = next();
    change();
    await seen;
  }
});

test("a directory that is not there is reported, not thrown", () => {
  const failures: Error[] = [];
  const stop = watchFiles(["/nonexistent/config.yaml"], assert.fail, (error) => failures.push(error));
  stop();
  stop();
  assert.match(String(failures[0]), /ENOENT/);
});
