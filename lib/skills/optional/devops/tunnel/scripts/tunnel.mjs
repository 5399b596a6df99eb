import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { connect, isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { identify } from "./lib/identity.mjs";
import {
  findAddress,
  findHeaderFault,
  readLog,
  splitCommand,
  sshArguments,
  sshEnvironment,
  stripControls,
} from "./lib/ssh.mjs";
import { isLive, State } from "./lib/state.mjs";

const HELP = `Usage: node tunnel.mjs start --port N [options]
       node tunnel.mjs status [NAME] [--state-dir D]
       node tunnel.mjs stop NAME [--state-dir D]

Make a local port reachable from the internet through the public service Pinggy, with the ssh of this machine.
start prints one line of JSON: name, url, gate, user, secret, pid, log, expires_at.

Options of start:
  --port N              Local port; something must listen on it.
  --type http|tcp|tls   What the port speaks. Default: http.
  --gate G              Who gets in: bearer, basic, cidr:<CIDR> or none. Default: bearer for http, none for tcp and tls,
                        which know cidr and none only.
  --cors                Let browsers of other sites send requests (CORS preflight passes the gate).
  --force-https         Redirect http to https.
  --header H            Change a header of requests: a:NAME:VALUE adds, u:NAME:VALUE updates, r:NAME removes. Repeatable.
  --wait S              Seconds to wait for the address. Default: 15.
  --attach              Stay until the tunnel ends; for a command in a cage, whose processes end with it.
  --ssh CMD             Program to use in place of ssh.
  --state-dir D         Where tunnels and secrets are kept. Default: agent-tunnel in the user's state directory.
  --help                Print this help.

PINGGY_TOKEN: token of a paid plan, without the limits of the free one (60 minutes, one tunnel for each address).
Exit codes: 0 done, 1 failed, 2 usage.
`;

const FREE_MS = 60 * 60 * 1000;
const POLL_MS = 50;
/** The address with https comes right behind the one with http. */
const SECOND_ADDRESS_MS = 500;
const CHECK_MS = 5_000;
/** How long a process may take to end when it is asked to. */
const END_MS = 3_000;
/** @type {readonly NodeJS.Signals[]} */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const SHOWN_LOG_LINES = 10;
const DEFAULT_WAIT_SECONDS = 15;
const MOST_WAIT_SECONDS = 600;

/** An expected failure: its message is printed, and the helper ends with its code. */
class TunnelError extends Error {
  /**
   * @param {number} exit 1 failed, 2 usage
   * @param {string} message
   */
  constructor(exit, message) {
    super(message);
    this.exit = exit;
  }
}

/** @param {string} message */
const usageError = (message) => new TunnelError(2, message);
/** @param {string} message */
const failure = (message) => new TunnelError(1, message);
/** @param {string} line */
const note = (line) => process.stderr.write(`${line}\n`);

async function main() {
  const { values, positionals } = readArguments();
  const [command, name, ...more] = positionals;
  if (values.help) {
    process.stdout.write(HELP);
    return;
  }
  const state = new State(values["state-dir"]);
  if (more.length > 0) throw usageError(`unexpected argument '${more[0]}'`);
  if (command === "start" && name === undefined) await start(values, state);
  else if (command === "status") await status(name, state);
  else if (command === "stop") await stop(name, state);
  else throw usageError(command === undefined ? "a command is required" : `unknown command '${positionals.join(" ")}'`);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        port: { type: "string" },
        type: { type: "string" },
        gate: { type: "string" },
        cors: { type: "boolean" },
        "force-https": { type: "boolean" },
        header: { type: "string", multiple: true },
        "state-dir": { type: "string" },
        ssh: { type: "string" },
        wait: { type: "string" },
        attach: { type: "boolean" },
        help: { type: "boolean" },
      },
    });
  } catch (error) {
    throw usageError(error instanceof Error ? (error.message.split(". ")[0] ?? "") : String(error));
  }
}

/** @typedef {ReturnType<typeof readArguments>["values"]} Values */

/**
 * @param {Values} values
 * @param {State} state
 */
async function start(values, state) {
  const tunnel = toTunnel(values);
  const waitSeconds = toWait(values.wait);
  const [program, ...first] = splitCommand(values.ssh ?? "ssh");
  if (!(await isListening(tunnel.port)))
    throw failure(`nothing listens on port ${tunnel.port} of this machine; start the service first`);
  const fault = state.prepare();
  if (fault !== undefined)
    throw failure(`state directory ${state.directory}: ${fault}; choose another with --state-dir`);
  const name = `${tunnel.type}-${tunnel.port}`;
  const earlier = state.read(name);
  if (earlier !== undefined && (await isLive(earlier)))
    throw failure(`${name} runs already at ${earlier.url ?? "an address not known yet"}; stop it first`);

  if (tunnel.gate.kind === "none") note(`warning: anyone who has the address can reach port ${tunnel.port}`);
  const gate = values.gate ?? tunnel.gate.kind;
  const { user, secret } = tunnel;
  // Kept before anything is public: a tunnel whose secret was lost could not be used or checked.
  state.writeSecret(name, { gate, user, secret });
  const log = state.path(name, "log");
  const child = launch([program, ...first, ...sshArguments(tunnel, state.knownHosts)], log);
  // Whoever ends this helper before it is done, or while it stays, ends the tunnel.
  const end = () => child.kill("SIGTERM");
  for (const name of SIGNALS) process.once(name, end);
  try {
    const pid = await begun(child, program);
    const started = await identify(pid);
    if (started === undefined) throw failure(`${program} ended at once; ${lastLines(log)}`);
    const expiresAt = tunnel.token === undefined ? new Date(Date.now() + FREE_MS).toISOString() : null;
    const entry = {
      name,
      type: tunnel.type,
      port: tunnel.port,
      gate,
      url: null,
      pid,
      started,
      log,
      expires_at: expiresAt,
    };
    state.write(entry);
    const url = await waitForAddress(child, { log, type: tunnel.type, waitSeconds });
    state.write({ ...entry, url });
    if (tunnel.type === "http") await checkAddress(url, tunnel);
    process.stdout.write(`${JSON.stringify({ name, url, gate, user, secret, pid, log, expires_at: expiresAt })}\n`);
    if (values.attach) await ended(child);
    for (const name of SIGNALS) process.off(name, end);
  } catch (error) {
    await endChild(child);
    state.remove(name);
    throw error;
  }
  if (values.attach) state.remove(name);
  else child.unref();
}

/**
 * @param {Values} values
 * @returns {import("./lib/ssh.mjs").Tunnel}
 */
function toTunnel(values) {
  const port = /^\d{1,5}$/.test(values.port ?? "") ? Number(values.port) : 0;
  if (port < 1 || port > 65_535) throw usageError(`--port must be a number from 1 to 65535`);
  const type = values.type ?? "http";
  if (type !== "http" && type !== "tcp" && type !== "tls")
    throw usageError(`--type: unknown value '${type}' (known: http, tcp, tls)`);
  const gate = toGate(values.gate ?? (type === "http" ? "bearer" : "none"));
  const isOfHttp = gate.kind === "bearer" || gate.kind === "basic" || values.cors || values["force-https"];
  if (type !== "http" && (isOfHttp || values.header !== undefined))
    throw usageError(`--type ${type} knows neither headers nor logins; use --gate cidr:<CIDR> or --gate none`);
  for (const header of values.header ?? []) {
    const fault = findHeaderFault(header);
    if (fault !== undefined) throw usageError(`--header '${header}' ${fault}`);
  }
  const token = process.env["PINGGY_TOKEN"]?.trim() || undefined;
  if (token !== undefined && !/^\w+$/.test(token))
    throw usageError("PINGGY_TOKEN is not a token of letters and digits");
  return {
    port,
    type,
    gate,
    user: gate.kind === "basic" ? "agent" : null,
    secret: gate.kind === "basic" || gate.kind === "bearer" ? randomBytes(16).toString("hex") : null,
    cors: values.cors ?? false,
    forceHttps: values["force-https"] ?? false,
    headers: values.header ?? [],
    token,
  };
}

/**
 * @param {string} text
 * @returns {import("./lib/ssh.mjs").Gate}
 */
function toGate(text) {
  if (text === "bearer" || text === "basic" || text === "none") return { kind: text };
  const [, address = "", bits] = /^cidr:([\da-fA-F.:]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0 || Number(bits) > (family === 4 ? 32 : 128))
    throw usageError(`--gate: '${text}' is not bearer, basic, none or cidr:<CIDR> such as cidr:203.0.113.0/24`);
  return { kind: "cidr", cidr: `${address}/${bits}` };
}

/** @param {string | undefined} text */
function toWait(text) {
  if (text === undefined) return DEFAULT_WAIT_SECONDS;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds > 0 && seconds <= MOST_WAIT_SECONDS))
    throw usageError(`--wait must be a number of seconds up to ${MOST_WAIT_SECONDS}`);
  return seconds;
}

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: "localhost", port });
    const finish = (/** @type {boolean} */ is) => {
      socket.destroy();
      resolve(is);
    };
    socket.setTimeout(CHECK_MS, () => finish(false));
    socket.on("connect", () => finish(true));
    socket.on("error", () => finish(false));
  });
}

/**
 * Start ssh in a session of its own, so that it outlives this helper and its terminal.
 *
 * @param {[program: string, ...args: string[]]} command
 * @param {string} log
 */
function launch([program, ...args], log) {
  const out = openSync(log, "w", 0o600);
  try {
    return spawn(program, args, { detached: true, stdio: ["ignore", out, out], env: sshEnvironment(process.env) });
  } finally {
    closeSync(out);
  }
}

/** @typedef {ReturnType<typeof launch>} Child */

/**
 * @param {Child} child
 * @param {string} program
 * @returns {Promise<number>} its pid
 */
function begun(child, program) {
  return new Promise((resolve, reject) => {
    child.once("spawn", () => resolve(child.pid ?? 0));
    child.once("error", (error) => reject(failure(`cannot start ${program}: ${error.message}`)));
  });
}

/**
 * @param {Child} child
 * @param {{ log: string, type: import("./lib/ssh.mjs").Tunnel["type"], waitSeconds: number }} job
 * @returns {Promise<string>}
 */
async function waitForAddress(child, { log, type, waitSeconds }) {
  const until = performance.now() + waitSeconds * 1000;
  let found = findAddress(readLog(log), type);
  while (found === undefined) {
    if (hasEnded(child)) throw failure(`ssh ended before it had an address; ${lastLines(log)}`);
    if (performance.now() > until) throw failure(`no address after ${waitSeconds} s; ssh was ended; ${lastLines(log)}`);
    await sleep(POLL_MS);
    found = findAddress(readLog(log), type);
  }
  const second = performance.now() + SECOND_ADDRESS_MS;
  while (found.startsWith("http:") && performance.now() < second) {
    await sleep(POLL_MS);
    found = findAddress(readLog(log), type) ?? found;
  }
  return found;
}

/** @param {Child} child */
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;

/** @param {Child} child */
async function ended(child) {
  if (!hasEnded(child)) await new Promise((resolve) => child.once("exit", resolve));
}

/** @param {string} log */
function lastLines(log) {
  const lines = stripControls(readLog(log))
    .split("\n")
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return `it printed nothing (${log})`;
  return `last lines of ${log}:\n${lines.slice(-SHOWN_LOG_LINES).join("\n")}`;
}

/**
 * One request over the public address. A tunnel that does not answer yet is reported, and kept.
 *
 * @param {string} url
 * @param {import("./lib/ssh.mjs").Tunnel} tunnel
 */
async function checkAddress(url, { gate, user, secret }) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (gate.kind === "bearer") headers["authorization"] = `Bearer ${secret}`;
  if (gate.kind === "basic") headers["authorization"] = `Basic ${Buffer.from(`${user}:${secret}`).toString("base64")}`;
  try {
    const signal = AbortSignal.timeout(CHECK_MS);
    const response = await fetch(url, { method: "HEAD", headers, redirect: "manual", signal });
    note(`checked: ${url} answers ${response.status}`);
  } catch (error) {
    note(`warning: ${url} does not answer yet: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @param {Child} child */
async function endChild(child) {
  if (child.pid === undefined || hasEnded(child)) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
  await ended(child);
  clearTimeout(timer);
}

/**
 * @param {string | undefined} name
 * @param {State} state
 */
async function status(name, state) {
  if (name !== undefined && state.read(name) === undefined) throw unknownTunnel(name, state);
  const names = name === undefined ? state.names() : [name];
  if (names.length === 0) process.stdout.write("no tunnels\n");
  for (const entry of names.flatMap((each) => state.read(each) ?? [])) {
    const life = (await isLive(entry)) ? "live" : "gone";
    const left = life === "live" ? `  ${remaining(entry.expires_at)}` : "";
    process.stdout.write(`${entry.name}  ${life}  ${entry.url ?? "(no address yet)"}${left}\n`);
  }
}

/** @param {string | null} expiresAt */
function remaining(expiresAt) {
  if (expiresAt === null) return "no time limit";
  const minutes = Math.max(0, Math.ceil((Date.parse(expiresAt) - Date.now()) / 60_000));
  return `${minutes} minutes left`;
}

/**
 * @param {string} name
 * @param {State} state
 */
function unknownTunnel(name, state) {
  const known = state.names();
  return failure(`unknown tunnel '${name}' (${known.length === 0 ? "no tunnels" : `known: ${known.join(", ")}`})`);
}

/**
 * End the process of a tunnel. Its pid may belong to another process by now, so the start time is compared first.
 *
 * @param {string | undefined} name
 * @param {State} state
 */
async function stop(name, state) {
  if (name === undefined) throw usageError("stop needs the name of a tunnel");
  const entry = state.read(name);
  if (entry === undefined) throw unknownTunnel(name, state);
  if (await isLive(entry)) {
    await endProcess(entry);
    process.stdout.write(`${name} stopped\n`);
  } else process.stdout.write(`${name} had ended already\n`);
  state.remove(name);
}

/** @param {import("./lib/state.mjs").Entry} entry */
async function endProcess(entry) {
  signal(entry.pid, "SIGTERM");
  const until = performance.now() + END_MS;
  while (await isLive(entry)) {
    if (performance.now() > until) signal(entry.pid, "SIGKILL");
    await sleep(POLL_MS);
  }
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    // It ended between the look and the signal.
    if (code !== "ESRCH") throw failure(`cannot end process ${pid}: ${error instanceof Error ? error.message : error}`);
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof TunnelError)) throw error;
  note(`tunnel: ${error.message}${error.exit === 2 ? " (see tunnel.mjs --help)" : ""}`);
  process.exitCode = error.exit;
}
