import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { simDisk } from "../../fixtures/ports/disk.js";
import { checkpointWorld } from "../../fixtures/sim/checkpoint-world.js";

test("what rules leave out is neither kept nor touched, but for what a file tool names", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put(".gitignore", "ignored/\n*.tmp\n");
  for (const path of ["node_modules/x.js", "ignored/y", "z.tmp", "app.log", ".env", "v/pyvenv.cfg", "v/lib.py"])
    world.put(path, "old");
  const named = ["app.log", "made.log", "node_modules/x.js", ".env"];
  await world.turn(() => {
    for (const path of ["ignored/y", "z.tmp", "v/lib.py", ...named]) world.put(path, "new");
    rmSync(join(world.work, "ignored/y"));
  }, named);
  const { restored, removed } = await world.rollBack("1");
  assert.deepEqual(restored.toSorted(), [".env", "app.log", "node_modules/x.js"]);
  assert.deepEqual(removed, ["made.log"]);
  assert.deepEqual(
    [world.get("z.tmp"), world.get("v/lib.py"), world.get("app.log"), world.get(".env")],
    ["new", "new", "old", "old"],
  );
});

test("a named file whose name begins with two dots is kept as any other", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put(".gitignore", "*.log\n");
  world.put("..notes.log", "old");
  await world.turn(() => world.put("..notes.log", "new"), ["..notes.log"]);
  const { restored } = await world.rollBack("1");
  assert.deepEqual([restored, world.get("..notes.log")], [["..notes.log"], "old"]);
});

test("a file that was ignored then and is not now belongs to the user", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put(".gitignore", "secret.txt\n");
  world.put("secret.txt", "the user's");
  await world.turn(() => world.put(".gitignore", "nothing\n"));
  await world.rollBack("1", { force: true });
  assert.equal(world.get("secret.txt"), "the user's");
  assert.equal(world.get(".gitignore"), "secret.txt\n");
});

test("a file that was kept then and is ignored now comes back", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("kept.txt", "1");
  await world.turn(() => {
    world.put("kept.txt", "2");
    world.put(".gitignore", "kept.txt\n");
  });
  const report = await world.rollBack("1", { force: true });
  assert.equal(world.get("kept.txt"), "1");
  await world.rollBack(report.before, { force: true });
  assert.equal(world.get("kept.txt"), "2");
});

test("a rollback to a time before a file was first named knows how it was found", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  world.put("app.log", "as found");
  await world.turn(() => world.put("a.txt", "1"));
  await world.turn(() => world.put("app.log", "overwritten"), ["app.log"]);
  const oldest = (await world.rows()).at(-1);
  await world.rollBack(oldest?.id ?? "");
  assert.equal(world.get("app.log"), "as found");
});

test("permission rules of the project and the state of version control are never touched", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk() });
  for (const path of [".agent/permissions.yaml", ".git/config", ".git/hooks/x", "sub/.git/HEAD", ".hg/store", "a.txt"])
    world.put(path, "1");
  await world.turn(() => {
    for (const path of [
      ".agent/permissions.yaml",
      ".git/config",
      ".git/hooks/x",
      "sub/.git/HEAD",
      ".hg/store",
      "a.txt",
    ])
      world.put(path, "2");
  }, [".git/config", ".agent/permissions.yaml"]);
  const report = await world.rollBack("1", { force: true });
  assert.deepEqual(report.restored, ["a.txt"]);
  assert.deepEqual(
    report.skipped.map(({ path }) => path),
    [".agent/permissions.yaml"],
  );
  for (const path of [".agent/permissions.yaml", ".git/config", ".git/hooks/x", "sub/.git/HEAD", ".hg/store"])
    assert.equal(world.get(path), "2");
});

test("a file above the limit is skipped and never touched", async (t) => {
  const world = checkpointWorld(t, { disk: simDisk(), settings: { "checkpoints.max_file_size_mb": 1 } });
  world.put("big.bin", Buffer.alloc((1 << 20) + 1));
  world.put("grows.txt", "small");
  await world.turn(() => {
    world.put("big.bin", "small now");
    world.put("grows.txt", Buffer.alloc((1 << 20) + 1, "x"));
  });
  const report = await world.rollBack("1", { force: true });
  assert.deepEqual(
    report.skipped.map(({ path }) => path),
    ["big.bin", "grows.txt"],
  );
  assert.equal(world.get("big.bin"), "small now");
});
