import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { systemClock } from "../base/time/clock.js";
import { type OutboundScope, openOutbound } from "./outbound.js";

const top = realpathSync(mkdtempSync(join(tmpdir(), "agent-out-")));
const user = join(top, "user");
const home = join(user, ".agent");
const out = join(top, "work");
const server = createServer();

const OLD = new Date(systemClock.now() - 3_600_000);

/** Files of the tree, below its top. */
const FILES = [
  "work/a.png",
  "work/räksmörgås.png",
  "work/with space.pdf",
  "work/UPPER.PNG",
  "work/.env",
  "work/id_rsa",
  "work/deep/er/b.txt",
  "user/plain.txt",
  "user/.ssh/config",
  "user/.aws/credentials",
  "user/.gnupg/x",
  "user/.kube/config",
  "user/.docker/config.json",
  "user/.config/any/thing.txt",
  "user/.azure/x",
  "user/.gcloud/x",
  "user/.netrc",
  "user/.sshx/ok.txt",
  "user/.configure.txt",
  "user/.agent/.env",
  "user/.agent/config.yaml",
  "user/.agent/state.db",
  "user/.agent/sessions.db",
  "user/.agent/auth.json",
  "user/.agent/logs/gateway.log",
  "user/.agent/skills/a/SKILL.md",
  "user/.agent/memories/MEMORY.md",
  "user/.agent/scripts/x.sh",
  "user/.agent/cache/images/ok.png",
  "user/.agent/cache/audio/ok.mp3",
  "user/.agent/cache/videos/ok.mp4",
  "user/.agent/cache/other/no.png",
  "user/.agent/cache/documents/ok.pdf",
  "user/.agent/cache/screenshots/ok.png",
  "user/.agent/cache/documents/.env",
  "user/.agent/cron/output/j/1.md",
  "user/.agent/cron/other.md",
  "user/.agent/cache/documentsx/no.pdf",
  "user/.agent/kanban/workspaces/t_1/ok.txt",
  "user/.agent/kanban/attachments/t_1/ok.txt",
  "user/.agent/kanban/runs/1.log",
  "user/.agent/kanban/boards/b/workspaces/t_2/ok.txt",
  "user/.agent/kanban/boards/b/kanban.db",
  "user/.agent/kanban.db",
  "user/.agent/profiles/alice/.env",
  "user/.agent/profiles/alice/state.db",
  "user/.agent/profiles/alice/cache/images/ok.png",
  "user/.agent/profiles/alice/cron/output/j/1.md",
  "user/.agent/profiles/alice/memories/MEMORY.md",
  "run/owner.token",
  "allow/inside.txt",
  "work/fresh.txt",
];

before(async () => {
  for (const file of FILES) {
    mkdirSync(dirname(join(top, file)), { recursive: true });
    writeFileSync(join(top, file), file);
    utimesSync(join(top, file), OLD, OLD);
  }
  writeFileSync(join(out, "fresh.txt"), "new");
  symlinkSync(join(home, "state.db"), join(out, "link.db"));
  symlinkSync(join(out, "a.png"), join(out, "link.png"));
  symlinkSync(join(out, "link.db"), join(out, "link-of-link.db"));
  symlinkSync(home, join(out, "homelink"));
  symlinkSync("loop", join(out, "loop"));
  symlinkSync(join(out, "nothing"), join(out, "dangling.png"));
  symlinkSync(join(home, ".env"), join(home, "cache/images/planted.png"));
  symlinkSync(join(out, "a.png"), join(home, "cache/images/outward.png"));
  symlinkSync(join(user, ".ssh"), join(out, "keys"));
  linkSync(join(home, "state.db"), join(out, "hard.txt"));
  linkSync(join(out, "deep/er/b.txt"), join(out, "two-names.txt"));
  linkSync(join(home, "cache/documents/ok.pdf"), join(home, "cache/documents/twin.pdf"));
  execFileSync("mkfifo", [join(out, "fifo.png")]);
  await new Promise<void>((resolve) => server.listen(join(out, "sock.png"), resolve));
});
after(() => {
  server.close();
  rmSync(top, { recursive: true, force: true });
});

const scope = (more: Partial<OutboundScope> = {}): OutboundScope => ({
  home: { dir: home, root: home, runDir: join(top, "run") },
  userHome: user,
  env: {},
  strict: false,
  allowDirs: [],
  now: () => systemClock.now(),
  ...more,
});

/** Path below the top, or an absolute one (`/...` or `~...`), and whether it is sent. */
const CASES: readonly (readonly [string, "sent" | RegExp])[] = [
  ["work/a.png", "sent"],
  ["work/räksmörgås.png", "sent"],
  ["work/with space.pdf", "sent"],
  ["work/UPPER.PNG", "sent"],
  ["work/deep/../a.png", "sent"],
  ["work/link.png", "sent"],
  ["~/plain.txt", "sent"],
  ["~/.sshx/ok.txt", "sent"],
  ["~/.configure.txt", "sent"],
  ["~/.agent/cache/images/ok.png", "sent"],
  ["~/.agent/cache/audio/ok.mp3", "sent"],
  ["~/.agent/cache/videos/ok.mp4", "sent"],
  ["~/.agent/cache/documents/ok.pdf", "sent"],
  ["~/.agent/cache/documents/twin.pdf", "sent"],
  ["~/.agent/cache/screenshots/ok.png", "sent"],
  ["~/.agent/cache/images/outward.png", "sent"],
  ["~/.agent/cron/output/j/1.md", "sent"],
  ["~/.agent/kanban/workspaces/t_1/ok.txt", "sent"],
  ["~/.agent/kanban/attachments/t_1/ok.txt", "sent"],
  ["~/.agent/kanban/boards/b/workspaces/t_2/ok.txt", "sent"],
  ["~/.agent/profiles/alice/cache/images/ok.png", "sent"],
  ["~/.agent/profiles/alice/cron/output/j/1.md", "sent"],
  ["/etc/passwd", /system/],
  ["/ETC/passwd", /no such file|system/],
  ["/etc/../etc/hostname", /system/],
  ["/usr/../etc/passwd", /system/],
  ["/proc/self/environ", /system/],
  ["/proc/self/mem", /system/],
  ["/proc/self/root/etc/passwd", /system/],
  ["/proc/1/cmdline", /system|no such/],
  ["/proc/thread-self/environ", /system|no such/],
  ["/dev/null", /system/],
  ["/dev/zero", /system/],
  ["/dev/random", /system/],
  ["/dev/stdin", /./],
  ["/sys/kernel/uevent_seqnum", /system|no such/],
  ["/boot", /system|no such/],
  ["/var/log/dpkg.log", /system|no such/],
  ["/var/lib/dpkg/status", /system|no such/],
  ["/var/run/utmp", /system|no such/],
  ["/run/utmp", /system|no such/],
  ["/root/.bashrc", /system|no such/],
  ["~/.ssh/config", /keys/],
  ["~/.aws/credentials", /keys/],
  ["~/.gnupg/x", /keys/],
  ["~/.kube/config", /keys/],
  ["~/.docker/config.json", /keys/],
  ["~/.config/any/thing.txt", /keys/],
  ["~/.azure/x", /keys/],
  ["~/.gcloud/x", /keys/],
  ["~/.SSH/config", /no such|keys/],
  ["~/.netrc", /secrets/],
  ["work/.env", /secrets/],
  ["work/id_rsa", /secrets/],
  ["work/keys/config", /keys/],
  ["~/.agent/.env", /agent/],
  ["~/.agent/config.yaml", /agent/],
  ["~/.agent/state.db", /agent/],
  ["~/.agent/sessions.db", /agent/],
  ["~/.agent/auth.json", /agent/],
  ["~/.agent/logs/gateway.log", /agent/],
  ["~/.agent/skills/a/SKILL.md", /agent/],
  ["~/.agent/memories/MEMORY.md", /agent/],
  ["~/.agent/scripts/x.sh", /agent/],
  ["~/.agent/cron/other.md", /agent/],
  ["~/.agent/cache/other/no.png", /agent/],
  ["~/.agent/cache/documentsx/no.pdf", /agent/],
  ["~/.agent/cache/documents/.env", /secrets/],
  ["~/.agent/cache/documents/../../state.db", /agent/],
  ["~/.agent/cache/images/planted.png", /agent/],
  ["~/.agent/kanban/runs/1.log", /agent/],
  ["~/.agent/kanban/boards/b/kanban.db", /agent/],
  ["~/.agent/kanban.db", /agent/],
  ["~/.agent/kanban/workspaces/../../kanban.db", /agent/],
  ["~/.agent/profiles/alice/.env", /agent/],
  ["~/.agent/profiles/alice/state.db", /agent/],
  ["~/.agent/profiles/alice/memories/MEMORY.md", /agent/],
  ["~/.AGENT/state.db", /agent|no such/],
  ["~/./.agent//state.db", /agent/],
  ["run/owner.token", /agent/],
  ["work/link.db", /agent/],
  ["work/link-of-link.db", /agent/],
  ["work/homelink/state.db", /agent/],
  ["work/homelink/cache/../.env", /agent/],
  ["work/loop", /no such/],
  ["work/dangling.png", /no such/],
  ["work/hard.txt", /hard links/],
  ["work/two-names.txt", /hard links/],
  ["work/fifo.png", /not a regular file/],
  ["work/sock.png", /not a regular file/],
  ["work", /not a regular file/],
  ["work/a.png/", /./],
  ["work/none.png", /no such/],
  ["~", /not a regular file/],
  ["~other/x", /absolute/],
];

const absolute = (path: string): string => (path.startsWith("~") || path.startsWith("/") ? path : join(top, path));

for (const [path, expected] of CASES) {
  test(`${expected === "sent" ? "may leave" : "GW-24: stays"}: ${path}`, async () => {
    const answer = await openOutbound(absolute(path) + (path.endsWith("/") ? "/" : ""), scope());
    if (answer.ok) await answer.file.close();
    if (expected === "sent") return assert.equal(answer.ok, true, answer.ok ? "" : answer.reason);
    assert.equal(answer.ok, false);
    if (!answer.ok) assert.match(answer.reason, expected);
  });
}

const STRANGE = [
  "",
  ".",
  "a.png",
  "../a.png",
  "\0",
  `${out}/a.png\0.txt`,
  "file:///etc/passwd",
  "MEDIA:/etc/passwd",
  "~root/.bashrc",
  "\\etc",
];

for (const path of STRANGE) {
  test(`no file: ${JSON.stringify(path.replace(top, ""))}`, async () =>
    assert.equal((await openOutbound(path, scope())).ok, false));
}

const STRICT: readonly (readonly [string, boolean])[] = [
  ["work/a.png", false],
  ["work/fresh.txt", true],
  ["allow/inside.txt", true],
  ["~/.agent/cache/images/ok.png", true],
  ["~/.agent/state.db", false],
];

for (const [path, sent] of STRICT) {
  test(`strict delivery: ${path} ${sent ? "may leave" : "stays"}`, async () => {
    const answer = await openOutbound(absolute(path), scope({ strict: true, allowDirs: [join(top, "allow")] }));
    if (answer.ok) await answer.file.close();
    assert.equal(answer.ok, sent);
  });
}

test("an allowed directory of strict mode opens nothing of the agent", async () => {
  const answer = await openOutbound(join(home, "state.db"), scope({ strict: true, allowDirs: ["/"] }));
  assert.equal(answer.ok, false);
});

test("a file that is swapped for a link again and again is never another file's content", async () => {
  const path = join(out, "swap.png");
  let on = true;
  const swapping = (async () => {
    for (let n = 0; on; n++) {
      const next = join(out, `next${n % 2}`);
      rmSync(next, { force: true });
      if (n % 2 === 0) writeFileSync(next, "harmless");
      else symlinkSync(join(home, "state.db"), next);
      renameSync(next, path);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let tries = 0; tries < 150; tries++) {
    const answer = await openOutbound(path, scope());
    if (!answer.ok) continue;
    assert.equal(await answer.file.readFile("utf8"), "harmless");
    await answer.file.close();
  }
  on = false;
  await swapping;
});

test("a directory on the way that is swapped for a link to the home gives nothing of the home", async () => {
  const dir = join(out, "way");
  mkdirSync(join(out, "real-way"));
  writeFileSync(join(out, "real-way", "state.db"), "harmless");
  let on = true;
  const swapping = (async () => {
    for (let n = 0; on; n++) {
      rmSync(join(out, "next-way"), { force: true });
      symlinkSync(n % 2 === 0 ? join(out, "real-way") : home, join(out, "next-way"));
      renameSync(join(out, "next-way"), dir);
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  for (let tries = 0; tries < 150; tries++) {
    const answer = await openOutbound(join(dir, "state.db"), scope());
    if (!answer.ok) continue;
    assert.equal(await answer.file.readFile("utf8"), "harmless");
    await answer.file.close();
  }
  on = false;
  await swapping;
});

test("a file below /tmp is that of the conversation's own directory, which no link leads out of", async () => {
  const tmp = join(home, "cache/tmp/s_1");
  mkdirSync(join(tmp, "sub"), { recursive: true });
  writeFileSync(join(tmp, "sub/plot.png"), "its own");
  writeFileSync(join(tmp, ".env"), "TOKEN=1");
  symlinkSync(join(home, "state.db"), join(tmp, "store.png"));
  const scope: OutboundScope = {
    home: { dir: home, root: home, runDir: join(top, "run") },
    userHome: user,
    env: {},
    strict: false,
    allowDirs: [],
    now: systemClock.now,
  };
  const own = { ...scope, tmp: { dir: tmp, kept: () => [out] } };
  const answer = await openOutbound("/tmp/sub/plot.png", own);
  assert.ok(answer.ok, JSON.stringify(answer));
  assert.equal((await answer.file.readFile()).toString(), "its own");
  await answer.file.close();
  const kept = await openOutbound(join(out, "a.png"), own);
  assert.ok(kept.ok, "a project in the temporary directory of this machine");
  await kept.file.close();
  for (const [path, why] of [
    ["/tmp/.env", /secrets/],
    ["/tmp/store.png", /belongs to the agent|no such file/],
    ["/tmp/missing.png", /no such file/],
    [join(user, "../user/.agent/state.db"), /no such file|belongs to the agent/],
  ] as const) {
    const refused = await openOutbound(path, own);
    assert.ok(!refused.ok && why.test(refused.reason), `${path}: ${JSON.stringify(refused)}`);
  }
  assert.ok(!(await openOutbound("/tmp/sub/plot.png", scope)).ok);
  assert.ok(!(await openOutbound(join(tmp, "sub/plot.png"), scope)).ok);
});
