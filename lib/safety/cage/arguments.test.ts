import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { cageArguments, cageEnv } from "./arguments.js";
import type { CagePlan } from "./types.js";

const EMPTIES = { dir: "/empty", file: "/nothing", refusal: "/refusal" };
const PLAN: CagePlan = {
  project: "/srv/p",
  writable: ["/srv/p"],
  readOnly: [],
  hidden: [],
  secret: [],
  made: [],
  masked: [],
  shown: [],
  tmp: "/srv/tmp",
  network: "host",
};

/** Mounts of a plan after those of the system, each as `option target`. */
function mountsOf(plan: Partial<CagePlan>): readonly string[] {
  const args = cageArguments({ ...PLAN, ...plan }, EMPTIES);
  const found: string[] = [];
  for (const [at, word] of args.entries()) {
    if (word === "--tmpfs" || word === "--remount-ro") found.push(`${word} ${args[at + 1]}`);
    else if (/^--(ro-)?bind(-try)?$/.test(word)) found.push(`${word} ${args[at + 1]} ${args[at + 2]}`);
  }
  return found.filter((text) => !text.endsWith(" /") && !/ (\/var)?\/tmp$/.test(text));
}

function directory(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), "agent-arguments-"));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

test("a mount inside another one comes after it, whatever order the plan names them in", () => {
  const plan = { writable: ["/srv/p/.git", "/srv/p"], readOnly: ["/srv/p/.git/config"] };
  assert.deepEqual(mountsOf(plan), [
    "--bind /srv/p /srv/p",
    "--bind /srv/p/.git /srv/p/.git",
    "--ro-bind-try /srv/p/.git/config /srv/p/.git/config",
  ]);
});

test("on one path the stricter mount counts: hidden before read-only before writable", () => {
  const plan = { writable: ["/srv/p", "/srv/x"], readOnly: ["/srv/x"], hidden: ["/srv/x"] };
  assert.deepEqual(mountsOf(plan).slice(1), [
    "--bind /srv/x /srv/x",
    "--ro-bind-try /srv/x /srv/x",
    "--ro-bind /nothing /srv/x",
  ]);
});

test("a hidden directory is empty, and one with a workspace in it holds that alone and stays read-only", () => {
  assert.deepEqual(mountsOf({ hidden: ["/etc"] }), ["--ro-bind /empty /etc", "--bind /srv/p /srv/p"]);
  const plan = { hidden: ["/etc"], writable: ["/etc/work"] };
  assert.deepEqual(mountsOf(plan), ["--tmpfs /etc", "--bind /etc/work /etc/work", "--remount-ro /etc"]);
});

test("a program that may not start is replaced by one that refuses, unless its directory is hidden", () => {
  const plan = { masked: ["/opt/bin/terraform", "/hidden/aws"], hidden: ["/hidden"] };
  assert.ok(mountsOf(plan).includes("--ro-bind /refusal /opt/bin/terraform"));
  assert.ok(!mountsOf(plan).join("\n").includes("/hidden/aws"));
});

test("what is hidden in the real temporary directory needs no mount unless something there is shown", () => {
  assert.deepEqual(mountsOf({ hidden: ["/tmp/secret"] }), ["--bind /srv/p /srv/p"]);
  assert.ok(mountsOf({ hidden: ["/tmp/p/.env"], writable: ["/tmp/p"] }).includes("--ro-bind /nothing /tmp/p/.env"));
});

test("a cage has no network of the machine when it is off, and never a capability but those of builds", () => {
  const args = cageArguments({ ...PLAN, network: "none" }, EMPTIES);
  assert.ok(args.includes("--unshare-net"));
  assert.ok(!cageArguments(PLAN, EMPTIES).includes("--unshare-net"));
  assert.ok(args.includes("--unshare-pid") && args.includes("--unshare-ipc") && args.includes("--die-with-parent"));
  assert.equal(args[args.indexOf("--cap-drop") + 1], "ALL");
  assert.ok(!args.includes("CAP_SYS_ADMIN") && !args.includes("CAP_SYS_PTRACE"));
});

test("variables that lead to agents, displays and engines are left out, and temporary files go to the private directory", (t) => {
  const home = directory(t);
  const env = {
    HOME: home,
    SSH_AUTH_SOCK: "/run/s",
    DISPLAY: ":0",
    DOCKER_HOST: "unix:///run/d",
    DB_HOST: "db",
    TMPDIR: "/x",
  };
  const kept = cageEnv(env, { writable: [] });
  assert.deepEqual([kept["SSH_AUTH_SOCK"], kept["DISPLAY"], kept["DOCKER_HOST"]], [undefined, undefined, undefined]);
  assert.deepEqual([kept["DB_HOST"], kept["TMPDIR"], kept["HOME"]], ["db", "/tmp", home]);
});

test("npm and its like use a cache below /tmp where the home has none that they can write, and else the person's", (t) => {
  const home = directory(t);
  mkdirSync(join(home, "disk"));
  symlinkSync(join(home, "disk"), join(home, ".npm"));
  mkdirSync(join(home, ".cache"));
  writeFileSync(join(home, ".gradle"), "");
  const kept = cageEnv({ HOME: home, gomodcache: "/mine" }, { writable: [join(home, "disk")] });
  assert.deepEqual(
    ["npm_config_cache", "XDG_CACHE_HOME", "GRADLE_USER_HOME", "GOMODCACHE"].map((name) => kept[name]),
    [undefined, "/tmp/.caches/cache", "/tmp/.caches/gradle", undefined],
  );
});
