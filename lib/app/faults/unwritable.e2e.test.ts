import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { start } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";

const mayMount = spawnSync("unshare", ["-m", "true"]).status === 0;
const NOBODY = 65_534;
const mayChange = process.getuid?.() === 0 && spawnSync("setpriv", ["--version"]).status === 0;

/** Reading commands go on; everything that changes something is refused. */
const READING = [
  ["kanban", "list"],
  ["sessions", "list"],
  ["config", "show"],
  ["status"],
  ["kanban", "boards", "list", "--all"],
];
const WRITING = [
  ["kanban", "create", "two"],
  ["-z", "hi"],
  ["config", "set", "model.default", "x"],
  ["kanban", "boards", "create", "x"],
  ["kanban", "boards", "switch", "default"],
  ["kanban", "boards", "pause"],
  ["--headless"],
];

/** Runs each line of the file `lines` and keeps what it printed and its code. */
const EACH = `
n=0; while read -r line; do n=$((n + 1)); "$NODE" "$AGENT" $line --json > "$OUT/$n.out" 2> "$OUT/$n.err"; echo $? > "$OUT/$n.code"; done < "$OUT/lines"
`;
const READ_ONLY = `mount --bind "$AGENT_HOME" "$AGENT_HOME" && mount -o remount,ro,bind "$AGENT_HOME" || exit 9${EACH}`;

async function filled(made: World): Promise<void> {
  await made.json("kanban", "create", "one", "--external");
  assert.equal((await made.run(["-z", "hi"])).code, 0);
}

/** Every file with its content and time. */
function everything(dir: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(dir, { recursive: true }) as string[]) {
    const path = join(dir, name);
    const { mtimeMs } = statSync(path);
    found[name] = statSync(path).isFile() ? `${mtimeMs} ${readFileSync(path).toString("base64")}` : "";
  }
  return found;
}

async function tryAll(made: World, program: readonly string[], script: string): Promise<void> {
  const before = everything(made.home.dir);
  const all = [...READING, ...WRITING];
  writeFileSync(join(made.work, "lines"), all.map((words) => `${words.join(" ")}\n`).join(""));
  const env = { ...made.env, NODE: process.execPath, AGENT: made.program, OUT: made.work };
  const [file = "sh", ...args] = [...program, "sh", "-c", script];
  const ran = await start(file, args, { env, cwd: made.work }).ended;
  assert.equal(ran.code, 0, ran.err);
  const told = (n: number, what: string) => readFileSync(join(made.work, `${n}.${what}`), "utf8");
  for (const [place, words] of all.entries()) {
    const [code, out, err] = ["code", "out", "err"].map((what) => told(place + 1, what).trim());
    const said = `${words.join(" ")}: ${out}${err}`;
    if (place < READING.length) {
      assert.equal(code, "0", said);
      continue;
    }
    const last = JSON.parse(out?.split("\n").at(-1) ?? "");
    assert.deepEqual([code, err, last.error.code], [words[0] === "--headless" ? "78" : "1", "", "E_STORE"], said);
    assert.match(last.error.message, /read-only|permission denied|EACCES|EROFS/, said);
    assert.ok(last.error.hint.length > 0, said);
  }
  assert.deepEqual(everything(made.home.dir), before);
}

test("a home on a read-only file system can be looked at; whatever would change it says so, and changes nothing", {
  skip: mayMount ? false : "mounting is not permitted",
}, async (t) => {
  const made = await world(t);
  await filled(made);
  await tryAll(made, ["unshare", "-m"], READ_ONLY);
});

test("a home without the right to write can be looked at; whatever would change it says so, and changes nothing", {
  skip: mayChange ? false : "this user cannot become another",
}, async (t) => {
  const made = await world(t);
  await filled(made);
  for (const name of ["", ...(readdirSync(made.home.dir, { recursive: true }) as string[])]) {
    const path = join(made.home.dir, name);
    chownSync(path, NOBODY, NOBODY);
    chmodSync(path, statSync(path).isDirectory() ? 0o555 : 0o444);
  }
  chmodSync(dirname(made.home.dir), 0o755);
  chownSync(made.work, NOBODY, NOBODY);
  await tryAll(made, ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"], EACH);
});

/** A small file system of its own, filled to the last byte. */
const FULL = `
mount -t tmpfs -o size=3m,mode=700 tmpfs "$AGENT_HOME" || exit 9
printf 'model:\n  provider: offline\n' > "$AGENT_HOME/config.yaml"; "$NODE" "$AGENT" kanban create one --external > "$OUT/first" || exit 8
dd if=/dev/zero of="$AGENT_HOME/fill" bs=1k 2> "$OUT/dd"; cp "$AGENT_HOME/config.yaml" "$OUT/before.yaml"
"$NODE" "$AGENT" config set model.default x --json > "$OUT/set"; echo $? > "$OUT/set.code"
"$NODE" "$AGENT" doctor > "$OUT/doctor"; echo $? > "$OUT/doctor.code"; cp "$AGENT_HOME/config.yaml" "$OUT/after.yaml"
`;

test("a full disk is reported as one by settings and by doctor, and leaves the settings as they were", {
  skip: mayMount ? false : "mounting is not permitted",
}, async (t) => {
  const made = await world(t);
  const env = { ...made.env, NODE: process.execPath, AGENT: made.program, OUT: made.work };
  const ran = await start("unshare", ["-m", "sh", "-c", FULL], { env, cwd: made.work }).ended;
  assert.equal(ran.code, 0, ran.err);
  const told = (name: string) => readFileSync(join(made.work, name), "utf8");
  const { error } = JSON.parse(told("set"));
  assert.deepEqual(
    [error.code, error.message, told("set.code")],
    ["E_STORE_FULL", `${made.home.config}: the disk is full`, "1\n"],
  );
  assert.match(told("doctor"), /^fail {2}home: .* has 0 MB of free disk space$/m);
  assert.equal(told("doctor.code"), "1\n");
  assert.equal(told("after.yaml"), told("before.yaml"));
});
