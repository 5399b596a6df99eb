import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { layOutHome } from "../../base/home.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { launchdPlist } from "./launchd.js";
import { systemdUnit } from "./systemd.js";
import { driftOf, managerOf } from "./unit-manager.js";
import { labelName, stopSeconds, type UnitFacts, unitName } from "./unit-names.js";
import { programsOf } from "./unit-programs.js";

const FACTS: UnitFacts = {
  home: layOutHome("/home/u/.agent"),
  userHome: "/home/u",
  node: "/usr/bin/node",
  cli: "/opt/agent/agent.cjs",
  path: "/usr/bin:/bin",
  drain: 180,
};
const at = (dir: string, profile = "default") => ({ ...FACTS, home: layOutHome(dir, "/home/u/.agent", profile) });

test("a unit starts the gateway in place of another, reloads, stops and restarts it as the manager should", () => {
  assert.equal(
    systemdUnit(FACTS),
    `[Unit]
Description=Messaging gateway of /home/u/.agent
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=simple
ExecStart=/usr/bin/node /opt/agent/agent.cjs gateway run --replace
ExecReload=/bin/kill -USR1 $MAINPID
ExecStop=/usr/bin/node /opt/agent/agent.cjs gateway stop --direct
Restart=always
RestartSec=5
RestartForceExitStatus=75
RestartPreventExitStatus=78
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=240
Environment=AGENT_HOME=/home/u/.agent
Environment=PATH=/usr/bin:/bin

[Install]
WantedBy=default.target
`,
  );
});

const NAMES = [
  ["the usual home", at("/home/u/.agent"), /^agent-gateway\.service$/, /^ai\.agent\.gateway$/],
  [
    "a profile of it",
    at("/home/u/.agent/profiles/work", "work"),
    /^agent-gateway-work\.service$/,
    /^ai\.agent\.gateway-work$/,
  ],
  ["a home elsewhere", at("/srv/agent"), /^agent-gateway-[0-9a-f]{8}\.service$/, /^ai\.agent\.gateway-[0-9a-f]{8}$/],
  [
    "a profile elsewhere",
    at("/srv/agent/profiles/a", "a"),
    /^agent-gateway-a-[0-9a-f]{8}\.service$/,
    /^ai\.agent\.gateway-a-[0-9a-f]{8}$/,
  ],
] as const;
for (const [what, facts, unit, label] of NAMES) {
  test(`${what} has a unit of its own name`, () => {
    assert.match(unitName(facts), unit);
    assert.match(labelName(facts), label);
  });
}

test("a unit of the machine names its user, one of a profile the profile, and signs that managers read are escaped", () => {
  const text = systemdUnit({
    ...at("/home/u/.agent/profiles/work", "work"),
    user: "robot",
    cli: '/opt/a b/"x"$1%.cjs',
  });
  assert.match(text, /^User=robot$/m);
  assert.match(text, /^WantedBy=multi-user\.target$/m);
  assert.ok(text.includes('ExecStart=/usr/bin/node "/opt/a b/\\"x\\"$$1%%.cjs" -p work gateway run --replace\n'), text);
});

const DRAINS = [
  [0, 120],
  [60, 120],
  [180, 240],
  [900, 960],
] as const;
for (const [drain, seconds] of DRAINS) {
  test(`a drain of ${drain} s is never cut off by the manager, which waits ${seconds} s`, () => {
    assert.equal(stopSeconds(drain), seconds);
    assert.ok(systemdUnit({ ...FACTS, drain }).includes(`\nTimeoutStopSec=${seconds}\n`));
    assert.ok(launchdPlist({ ...FACTS, drain }).includes(`<key>ExitTimeOut</key>\n  <integer>${seconds}</integer>`));
  });
}

test("a launchd job is kept alive unless it ended as planned, and writes to the log of the gateway", () => {
  const text = launchdPlist(at("/home/u/.agent/profiles/a&b", "work"));
  assert.match(text, /<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/);
  assert.match(text, /<string>\/home\/u\/\.agent\/profiles\/a&amp;b\/logs\/gateway\.log<\/string>/);
  assert.deepEqual([...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map((one) => one[1]).slice(0, 7), [
    "/usr/bin/node",
    "/opt/agent/agent.cjs",
    "-p",
    "work",
    "gateway",
    "run",
    "--replace",
  ]);
});

const analyzer = "/usr/bin/systemd-analyze";
const verified = (file: string) => spawnSync(analyzer, ["verify", "--man=no", file], { encoding: "utf8" });

/** It also needs a system that lets it look. */
function noAnalyzer(): string | false {
  if (!existsSync(analyzer)) return "systemd-analyze is not installed";
  const { status, stderr } = verified("/usr/lib/systemd/system/basic.target");
  return status === 0 ? false : `systemd-analyze does not work here: ${stderr}`;
}
const skip = noAnalyzer();

test("systemd itself finds nothing wrong with a unit, whatever signs its paths hold, and does with a wrong one", {
  skip,
}, (t) => {
  const dir = mkdtempSync(join(tmpdir(), "units-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const verify = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    return verified(join(dir, name));
  };
  const odd = join(dir, 'a b%c"$d.cjs');
  writeFileSync(odd, "");
  const facts = {
    ...at(`${dir}/profiles/work`, "work"),
    node: process.execPath,
    cli: odd,
    path: "/usr/bin:/opt/x y%z",
  };
  for (const [name, more] of [
    ["plain.service", {}],
    ["machine.service", { user: "root" }],
  ] as const) {
    const { status, stderr } = verify(name, systemdUnit({ ...facts, ...more }));
    assert.deepEqual([status, stderr], [0, ""]);
  }
  assert.match(
    verify("wrong.service", systemdUnit(facts).replace("KillMode=mixed", "KillMode=maybe")).stderr,
    /kill mode/,
  );
});

/** A service manager that notes what it is told, and says that everything works. */
function manager(t: TestContext, more: Partial<UnitFacts> = {}, platform: "linux" | "darwin" = "linux") {
  const dir = mkdtempSync(join(tmpdir(), "units-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const name = platform === "linux" ? "systemctl" : "launchctl";
  const told = join(dir, "told");
  writeFileSync(
    join(dir, name),
    `#!/bin/sh\necho "$@" >> ${told}\n[ ! -e ${dir}/broken ] || { echo no bus; exit 1; }\n`,
    { mode: 0o755 },
  );
  const facts = { ...FACTS, userHome: dir, home: layOutHome(join(dir, ".agent")), ...more };
  const run = programsOf(systemSpawner, { PATH: `${dir}:/usr/bin:/bin` }, dir);
  const made = managerOf({ facts, run, env: {}, system: false, platform, uid: 7 });
  assert.ok(made);
  const lines = () => (existsSync(told) ? readFileSync(told, "utf8").trim().split("\n") : []);
  return {
    made,
    lines,
    dir,
    facts,
    again: (drain: number) => managerOf({ facts: { ...facts, drain }, run, env: {}, system: false, platform }),
  };
}

test("a unit is written, enabled, seen as stale when the drain was changed, and removed", async (t) => {
  const { made, lines, dir, again } = manager(t);
  assert.deepEqual(await made.state(), { kind: "systemd", installed: false, active: false, stale_unit: false });
  assert.deepEqual(lines(), []);
  await made.install();
  assert.equal(made.file, join(dir, ".config/systemd/user/agent-gateway.service"));
  assert.equal(readFileSync(made.file, "utf8"), made.text);
  assert.equal(statSync(made.file).mode & 0o777, 0o644);
  assert.deepEqual(await made.state(), { kind: "systemd", installed: true, active: true, stale_unit: false });
  const later = again(900);
  assert.equal((await later?.state())?.stale_unit, true);
  assert.deepEqual(later && driftOf(later), ["-TimeoutStopSec=240", "+TimeoutStopSec=960"]);
  await made.start();
  await made.restart();
  await made.stop();
  await made.uninstall();
  assert.equal(existsSync(made.file), false);
  assert.deepEqual(
    lines().filter((line) => !line.includes("is-active")),
    [
      "--user show --property=Version",
      "--user daemon-reload",
      "--user enable agent-gateway.service",
      "--user start agent-gateway.service",
      "--user restart agent-gateway.service",
      "--user stop agent-gateway.service",
      "--user disable --now agent-gateway.service",
      "--user daemon-reload",
    ],
  );
});

test("a manager that does not work is reported with its words, and nothing is written", async (t) => {
  const { made, dir } = manager(t);
  writeFileSync(join(dir, "broken"), "");
  await assert.rejects(made.install(), /systemctl show --property=Version failed: no bus/);
  assert.equal(existsSync(made.file), false);
});

test("a launchd job is loaded, restarted and taken out", async (t) => {
  const { made, lines, dir } = manager(t, {}, "darwin");
  await made.install();
  assert.equal(made.file, join(dir, "Library/LaunchAgents/ai.agent.gateway.plist"));
  await made.start();
  await made.restart();
  await made.uninstall();
  assert.deepEqual(
    lines().filter((line) => !line.startsWith("print")),
    [
      "enable gui/7/ai.agent.gateway",
      "kickstart gui/7/ai.agent.gateway",
      "kickstart -k gui/7/ai.agent.gateway",
      "bootout gui/7/ai.agent.gateway",
    ],
  );
});

const SMUGGLED: readonly (readonly [string, Partial<UnitFacts>, RegExp])[] = [
  [
    "a user name with a line break",
    { user: "root\nExecStartPre=/bin/x" },
    /"root\\nExecStartPre=\/bin\/x" is not a user name/,
  ],
  ["a user name with a carriage return", { user: "root\r" }, /is not a user name/],
  ["a user name that is empty", { user: "" }, /"" is not a user name/],
  ["a user name with a blank", { user: "root ExecStart" }, /is not a user name/],
  ["a user name that looks like an option", { user: "-u" }, /is not a user name/],
  ["a user whom the machine does not know", { user: "agent-no-such-user" }, /unknown user 'agent-no-such-user'/],
  ["a PATH with a line break", { path: "/usr/bin\nExecStartPre=/bin/x" }, /PATH contains a control character/],
  ["a program path with a line break", { cli: "/opt/a\nb.cjs" }, /path of the program contains a control character/],
];
for (const [what, facts, message] of SMUGGLED) {
  for (const platform of ["linux", "darwin"] as const) {
    test(`${what} is refused before a unit is written (${platform})`, async (t) => {
      const { made, lines } = manager(t, facts, platform);
      await assert.rejects(made.install(), { message });
      assert.equal(existsSync(made.file), false);
      assert.deepEqual(lines(), []);
    });
  }
}

test("a unit of the machine takes a login name or a user id that exists", async (t) => {
  for (const user of ["root", "0"]) {
    const { made } = manager(t, { user });
    await made.install();
    assert.match(readFileSync(made.file, "utf8"), new RegExp(`^User=${user}$`, "m"));
  }
});
