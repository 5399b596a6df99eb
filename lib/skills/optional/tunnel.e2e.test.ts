import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { quietPort } from "../../../fixtures/e2e/port.js";
import { start } from "../../../fixtures/e2e/process.js";
import { skillBench } from "../../../fixtures/e2e/skill-helper.js";
import { type StubMode, writeStubSsh } from "../../../fixtures/e2e/stub-ssh.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";

interface Setup {
  readonly mode?: StubMode;
  /** Default: the local service itself, so that a request over the "public" address arrives there. */
  readonly addresses?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function setup(t: TestContext, { mode = "address", addresses, env = {} }: Setup = {}) {
  const seen: string[] = [];
  const service = await loopback(async (request, response) => {
    seen.push(`${request.method} ${request.headers.authorization ?? ""}`.trim());
    response.writeHead(204).end();
  });
  t.after(service.close);
  t.after(() => endAll(state)); // before the bench removes what names the processes
  const bench = await skillBench(t, "devops/tunnel");
  const ssh = await writeStubSsh(bench.path("."), mode, addresses ?? [service.url]);
  const state = bench.path("state");
  const where = ["--state-dir", state];
  const startArgs = (...more: readonly string[]) => [
    "start",
    "--port",
    String(service.port),
    "--ssh",
    ssh.program,
    ...where,
    ...more,
  ];
  const run = (...args: readonly string[]) => bench.run("tunnel.mjs", args, env);
  return {
    ...bench,
    service,
    seen,
    state,
    ssh,
    name: `http-${service.port}`,
    startArgs,
    run,
    open: (...more: readonly string[]) => run(...startArgs(...more)),
    tunnel: (...args: readonly string[]) => run(...args, ...where),
    noted: (file: string) => readFileSync(join(ssh.notes, file), "utf8"),
  };
}

/** A failed test leaves no process behind. */
function endAll(state: string): void {
  if (!existsSync(state)) return;
  for (const file of readdirSync(state).filter((name) => name.endsWith(".json"))) {
    const { pid } = JSON.parse(readFileSync(join(state, file), "utf8"));
    if (Number.isInteger(pid) && isRunning(pid) && commandOf(pid).startsWith("sleep")) process.kill(pid, "SIGKILL");
  }
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "utf8");

/** An ended process whose parent has not asked for its end is not running. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

test("a tunnel is opened behind a secret, which is stored for its owner before ssh starts", async (t) => {
  const { open, noted, seen, state, name, service, tunnel } = await setup(t);
  const ran = await open();
  assert.equal(ran.code, 0, ran.err);
  assert.equal(ran.out.split("\n").length, 2);
  const { pid, log, expires_at: expires, secret, ...told } = JSON.parse(ran.out);
  assert.deepEqual(told, { name, url: service.url, gate: "bearer", user: null });
  assert.match(secret, /^[0-9a-f]{32}$/);
  assert.match(expires, /^\d{4}-\d\d-\d\dT/);
  const [mode, stored] = noted("secret").split("\n");
  assert.equal(mode, "600");
  assert.equal(JSON.parse(stored ?? "").secret, secret);
  assert.deepEqual(noted("arguments").split("\n"), [
    ..."-p 443 -o ServerAliveInterval=30 -o ServerAliveCountMax=3 -o StrictHostKeyChecking=accept-new -o".split(" "),
    `UserKnownHostsFile=${state}/known_hosts`,
    `-R0:localhost:${service.port}`,
    `k:${secret}+free@a.pinggy.io`,
    "",
  ]);
  assert.deepEqual(seen, [`HEAD Bearer ${secret}`]);
  assert.match(ran.err, /^checked: http:.* answers 204\n$/);
  assert.match(readFileSync(log, "utf8"), /You are not authenticated/);
  assert.equal(statSync(state).mode & 0o777, 0o700);
  assert.ok(isRunning(pid));
  assert.match(
    (await tunnel("status", name)).out,
    new RegExp(`^${name}  live  ${service.url}  (?:59|60) minutes left\n$`),
  );
  const stopped = await tunnel("stop", name);
  assert.equal(stopped.out, `${name} stopped\n`);
  assert.ok(!isRunning(pid));
  assert.deepEqual(readdirSync(state), [`${name}.log`]);
  assert.equal((await tunnel("status")).out, "no tunnels\n");
});

test("gates, headers and a token become keywords of the service", async (t) => {
  const gates = [
    [["--gate", "basic"], /^b:agent:[0-9a-f]{32}\+free$/],
    [["--gate", "cidr:203.0.113.0/24"], /^w:203\.0\.113\.0\/24\+free$/],
    [["--gate", "none", "--cors", "--force-https"], /^co\+x:https\+free$/],
    [["--gate", "none", "--header", "a:X-Tag:one two", "--header", "r:Cookie"], /^a:X-Tag:one two\+r:Cookie\+free$/],
  ] as const;
  for (const [options, user] of gates) {
    const { open, noted } = await setup(t);
    const ran = await open(...options);
    assert.equal(ran.code, 0, ran.err);
    assert.match(noted("arguments").split("\n").at(-2)?.replace("@a.pinggy.io", "") ?? "", user);
  }
});

test("basic login is printed with its user, and used by the check", async (t) => {
  const { open, seen } = await setup(t);
  const { user, secret, gate } = JSON.parse((await open("--gate", "basic")).out);
  assert.deepEqual([gate, user], ["basic", "agent"]);
  assert.deepEqual(seen, [`HEAD Basic ${Buffer.from(`agent:${secret}`).toString("base64")}`]);
});

test("a token of the service takes the place of the free tier, and does not reach the environment of ssh", async (t) => {
  const { open, noted } = await setup(t, { env: { PINGGY_TOKEN: "tok123" } });
  const { expires_at: expires, secret } = JSON.parse((await open()).out);
  assert.equal(expires, null);
  assert.equal(noted("arguments").split("\n").at(-2), `k:${secret}+tok123@a.pinggy.io`);
  assert.doesNotMatch(noted("environment"), /tok123/);
  assert.match(noted("environment"), /^SSH_ASKPASS=true$/m);
});

test("without a gate a warning says who can reach the service", async (t) => {
  const { open, service } = await setup(t);
  const ran = await open("--gate", "none");
  assert.match(ran.err, new RegExp(`warning: anyone who has the address can reach port ${service.port}`));
  assert.equal(JSON.parse(ran.out).secret, null);
});

test("tcp and tls give host and port", async (t) => {
  const tcp = await setup(t, { addresses: ["tcp://rnabc-1-2-3-4.a.free.pinggy.link:40123"] });
  const ran = await tcp.open("--type", "tcp");
  const { url, gate, name } = JSON.parse(ran.out);
  assert.deepEqual([url, gate, name], ["rnabc-1-2-3-4.a.free.pinggy.link:40123", "none", `tcp-${tcp.service.port}`]);
  assert.match(ran.err, /warning: anyone/);
  assert.deepEqual(tcp.seen, []);
  assert.equal(tcp.noted("arguments").split("\n").at(-2), "tcp@a.pinggy.io");
  const tls = await setup(t, { addresses: ["tls://rnabc.a.pinggy.link"], env: { PINGGY_TOKEN: "tok" } });
  assert.equal(
    JSON.parse((await tls.open("--type", "tls", "--gate", "cidr:2001:db8::/32")).out).url,
    "rnabc.a.pinggy.link:443",
  );
  assert.equal(tls.noted("arguments").split("\n").at(-2), "w:2001:db8::/32+tok+tls@a.pinggy.io");
});

test("of two addresses the one with https is used; one that does not answer is reported and kept", async (t) => {
  const { open, tunnel, name } = await setup(t, { addresses: ["http://127.0.0.1:1", "https://127.0.0.1:1"] });
  const ran = await open();
  assert.equal(JSON.parse(ran.out).url, "https://127.0.0.1:1");
  assert.match(ran.err, /warning: https:\/\/127\.0\.0\.1:1 does not answer yet/);
  assert.match((await tunnel("status", name)).out, /live/);
});

/** A module that lets the time of the helper stand still until ssh has printed its lines, which may take it longer than `--wait`. */
const timeFrom = (log: string): string => `
import { existsSync, readFileSync } from "node:fs";
const now = performance.now.bind(performance);
const printed = () => existsSync(${JSON.stringify(log)}) && readFileSync(${JSON.stringify(log)}, "utf8") !== "";
performance.now = () => (printed() ? now() : 0);
`;

for (const mode of ["silent", "stubborn"] as const)
  test(`without an address in time ssh is ended and its last lines are printed (${mode})`, async (t) => {
    const { begin, startArgs, path, state, noted, name } = await setup(t, { mode });
    await writeFile(path("time.mjs"), timeFrom(join(state, `${name}.log`)));
    const env = { NODE_OPTIONS: `--import ${path("time.mjs")}` };
    const ran = await begin("tunnel.mjs", startArgs("--wait", "0.5"), env).ended;
    assert.equal(ran.code, 1);
    assert.equal(ran.out, "");
    assert.match(ran.err, /no address after 0\.5 s; ssh was ended; last lines of .*\.log:\n/);
    assert.match(ran.err, /\nYou are not authenticated\.\n/);
    assert.ok(noted("arguments").includes("free@a.pinggy.io"));
    assert.deepEqual(readdirSync(state), [`${name}.log`]);
    const left = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && usesDirectory(pid, state));
    assert.deepEqual(left, []);
  });

/** The stub works in a directory beside the state. */
function usesDirectory(pid: string, state: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${join(state, "..")}`) && isRunning(Number(pid));
  } catch {
    return false; // It ended, or belongs to someone else.
  }
}

test("ssh that ends by itself is reported at once, whatever --wait says", async (t) => {
  const { open, state, name } = await setup(t, { mode: "fails" });
  const ran = await open("--wait", "600");
  assert.equal(ran.code, 1);
  assert.match(ran.err, /Permission denied \(publickey\)/);
  assert.deepEqual(readdirSync(state), [`${name}.log`]);
});

test("a port where nothing listens, and a program that does not exist, are refused", async (t) => {
  const { run, state, open } = await setup(t);
  const missing = await open("--ssh", "/nowhere/ssh");
  assert.deepEqual([missing.code, /cannot start \/nowhere\/ssh/.test(missing.err)], [1, true], missing.err);
  assert.ok(readdirSync(state).every((file) => !file.endsWith(".secret")));
  const port = await quietPort();
  const ran = await run("start", "--port", String(port), "--state-dir", state);
  assert.equal(ran.code, 1);
  assert.match(ran.err, new RegExp(`nothing listens on port ${port}`));
});

test("a second tunnel for a port is refused while the first runs", async (t) => {
  const { open, name, tunnel } = await setup(t);
  const first = JSON.parse((await open()).out);
  const second = await open();
  assert.equal(second.code, 1);
  assert.match(second.err, new RegExp(`${name} runs already at http:.*; stop it first`));
  assert.ok(isRunning(first.pid));
  await tunnel("stop", name);
  const third = JSON.parse((await open()).out);
  assert.notEqual(third.secret, first.secret);
});

test("stop never signals a process of another start time, whatever the pid", async (t) => {
  const { state, tunnel, path } = await setup(t);
  const other = start("sleep", ["300"], { env: {}, cwd: path(".") });
  t.after(() => other.end("SIGKILL"));
  await mkdir(state, { mode: 0o700 });
  const entry = {
    name: "http-80",
    type: "http",
    port: 80,
    gate: "bearer",
    url: "https://x",
    pid: other.pid,
    started: "boot 1",
    log: "x",
    expires_at: null,
  };
  await writeFile(join(state, "http-80.json"), JSON.stringify(entry));
  assert.equal((await tunnel("status", "http-80")).out, "http-80  gone  https://x\n");
  assert.equal((await tunnel("stop", "http-80")).out, "http-80 had ended already\n");
  assert.ok(isRunning(other.pid));
  for (const pid of [0, 1, -1, process.pid * -1, "1", null]) {
    await writeFile(join(state, "http-80.json"), JSON.stringify({ ...entry, pid }));
    assert.equal((await tunnel("stop", "http-80")).code, 0);
  }
});

test("a tunnel that ended by itself is gone, and can be started again", async (t) => {
  const { open, name, tunnel } = await setup(t);
  const { pid } = JSON.parse((await open()).out);
  process.kill(pid, "SIGKILL");
  await eventually(() => !isRunning(pid));
  assert.match((await tunnel("status")).out, new RegExp(`^${name}  gone  `));
  assert.equal((await open()).code, 0);
  assert.match((await tunnel("status")).out, new RegExp(`^${name}  live  `));
});

test("--attach stays with the tunnel and ends it when it is ended", async (t) => {
  const { begin, startArgs, state, name } = await setup(t);
  const running = begin("tunnel.mjs", startArgs("--attach"));
  const { pid } = JSON.parse(await running.line((line) => line.startsWith("{")));
  assert.ok(isRunning(pid));
  await running.end("SIGTERM");
  assert.ok(!isRunning(pid));
  assert.deepEqual(readdirSync(state), [`${name}.log`]);
});

test("a wrong command line is refused with its reason", async (t) => {
  const { run, startArgs, state } = await setup(t);
  const wrong = [
    [/a command is required/, []],
    [/unknown command 'open'/, ["open"]],
    [/--port must be a number from 1 to 65535/, ["start", "--port", "70000"]],
    [/--type: unknown value 'udp'/, startArgs("--type", "udp")],
    [/--gate: 'open' is not bearer, basic, none or cidr/, startArgs("--gate", "open")],
    [/--gate: 'cidr:10\.0\.0\.0\/33'/, startArgs("--gate", "cidr:10.0.0.0/33")],
    [/--type tcp knows neither headers nor logins/, startArgs("--type", "tcp", "--gate", "bearer")],
    [/--header 'X: y' is not a:NAME:VALUE/, startArgs("--header", "X: y")],
    [/--header 'a:X:a\+free' has a sign/, startArgs("--header", "a:X:a+free")],
    [/--wait must be a number of seconds/, startArgs("--wait", "0")],
    [/stop needs the name of a tunnel/, ["stop"]],
    [/Unknown option '--frob'/, ["status", "--frob"]],
  ] as const;
  for (const [message, args] of wrong) {
    const ran = await run(...args);
    assert.equal(ran.code, 2, args.join(" "));
    assert.match(ran.err, message);
  }
  assert.ok(!existsSync(state));
});

test("an unknown name is refused and never becomes a path", async (t) => {
  const { tunnel, path } = await setup(t);
  await writeFile(path("other.json"), JSON.stringify({ pid: 1 }));
  for (const name of ["../other", "http-1", "x"]) {
    const ran = await tunnel("stop", name);
    assert.deepEqual([ran.code, ran.err.includes(`unknown tunnel '${name}' (no tunnels)`)], [1, true], ran.err);
  }
  assert.ok(existsSync(path("other.json")));
});

test("a state directory that others can write is refused before a secret is made", async (t) => {
  const { open, state } = await setup(t);
  await mkdir(state, { mode: 0o700 });
  await chmod(state, 0o777);
  const ran = await open();
  assert.equal(ran.code, 1);
  assert.match(ran.err, /can be written by other users; choose another with --state-dir/);
  assert.deepEqual(readdirSync(state), []);
});

test("the ssh of this machine understands the arguments", async (t) => {
  const found = await start("sh", ["-c", "command -v ssh"], { env: { PATH: process.env["PATH"] ?? "" }, cwd: "." })
    .ended;
  if (found.code !== 0) return t.skip("openssh-client is not installed");
  const { open, noted, service, path } = await setup(t);
  const { secret } = JSON.parse((await open("--cors", "--header", "a:X-Tag:one two")).out);
  const args = ["-G", "-F", "/dev/null", ...noted("arguments").split("\n").slice(0, -1)];
  const env = { PATH: process.env["PATH"] ?? "", HOME: path(".") };
  const ran = await start("ssh", args, { env, cwd: path(".") }).ended;
  assert.equal(ran.code, 0, ran.err);
  for (const line of [
    "hostname a.pinggy.io",
    "port 443",
    `user k:${secret}+co+a:X-Tag:one two+free`,
    `remoteforward 0 [localhost]:${service.port}`,
    "stricthostkeychecking accept-new",
    "serveraliveinterval 30",
    "serveralivecountmax 3",
  ])
    assert.ok(ran.out.toLowerCase().split("\n").includes(line.toLowerCase()), `${line}\n${ran.out}`);
});
