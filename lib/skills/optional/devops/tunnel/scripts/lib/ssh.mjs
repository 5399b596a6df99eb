import { readFileSync, statSync } from "node:fs";

/** The service listens here, behind every firewall that lets web pages through. */
const SERVER = "a.pinggy.io";
const SERVER_PORT = 443;

/** What ssh refuses in a user name, and the sign that joins the keywords. */
const REFUSED = /[+'`"\\;&<>|(){}\p{Cc}]/u;

/**
 * @typedef {object} Tunnel
 * @property {number} port local port
 * @property {"http" | "tcp" | "tls"} type
 * @property {Gate} gate
 * @property {string | null} user of the gate "basic"
 * @property {string | null} secret
 * @property {boolean} cors
 * @property {boolean} forceHttps
 * @property {string[]} headers `a:Name:value`, `u:Name:value` or `r:Name`
 * @property {string | undefined} token of the service
 */

/** @typedef {{ kind: "bearer" | "basic" | "cidr" | "none", cidr?: string }} Gate */

/**
 * @param {Tunnel} tunnel
 * @param {string} knownHosts file of host keys
 */
export function sshArguments(tunnel, knownHosts) {
  const options = [
    "ServerAliveInterval=30",
    "ServerAliveCountMax=3",
    "StrictHostKeyChecking=accept-new",
    `UserKnownHostsFile=${knownHosts}`,
  ];
  return [
    "-p",
    String(SERVER_PORT),
    ...options.flatMap((option) => ["-o", option]),
    `-R0:localhost:${tunnel.port}`,
    `${keywordsOf(tunnel).join("+")}@${SERVER}`,
  ];
}

/**
 * The service reads its settings from the user name: keywords joined by `+`.
 *
 * @param {Tunnel} tunnel
 */
function keywordsOf({ type, gate, user, secret, cors, forceHttps, headers, token }) {
  const keywords = [];
  if (gate.kind === "bearer") keywords.push(`k:${secret}`);
  if (gate.kind === "basic") keywords.push(`b:${user}:${secret}`);
  if (gate.kind === "cidr") keywords.push(`w:${gate.cidr}`);
  if (cors) keywords.push("co");
  if (forceHttps) keywords.push("x:https");
  keywords.push(...headers);
  if (token !== undefined) keywords.push(token);
  if (type !== "http") keywords.push(type);
  else if (token === undefined) keywords.push("free");
  return keywords;
}

/**
 * @param {string} text `a:Name:value`, `u:Name:value` or `r:Name`
 * @returns {string | undefined} why it cannot be used
 */
export function findHeaderFault(text) {
  const isKnown = /^[au]:[\w-]+:.+$/s.test(text) || /^r:[\w-]+$/.test(text);
  if (!isKnown) return "is not a:NAME:VALUE, u:NAME:VALUE or r:NAME";
  return REFUSED.test(text) ? "has a sign that cannot be sent in a user name of ssh" : undefined;
}

/**
 * Program and first arguments of `--ssh`: the path of a program, or a command of several words.
 *
 * @param {string} command
 * @returns {[program: string, ...args: string[]]}
 */
export function splitCommand(command) {
  const words = statSync(command, { throwIfNoEntry: false })?.isFile() ? [command] : command.trim().split(/\s+/);
  return [words[0] ?? command, ...words.slice(1)];
}

/**
 * Without a terminal ssh cannot ask for the empty password that the service accepts from users without a key: `true` answers with it.
 *
 * @param {NodeJS.ProcessEnv} env
 */
export function sshEnvironment({ PINGGY_TOKEN: _token, ...env }) {
  return { ...env, SSH_ASKPASS: "true", SSH_ASKPASS_REQUIRE: "force" };
}

/**
 * The public address in what ssh printed. It stands alone in a line; the service also names its own pages there.
 *
 * @param {string} log
 * @param {Tunnel["type"]} type
 * @returns {string | undefined} an address, or host:port for tcp and tls
 */
export function findAddress(log, type) {
  const lines = stripControls(log)
    .split("\n")
    .map((line) => line.trim());
  if (type === "http") {
    const addresses = lines.filter((line) => /^https?:\/\/[\w.-]+(?::\d+)?\/?$/.test(line) && !isOwnPage(line));
    return addresses.find((line) => line.startsWith("https:")) ?? addresses[0];
  }
  for (const line of lines) {
    const [, host, port] = /^(?:tcp|tls):\/\/([\w.-]+)(?::(\d+))?\/?$/.exec(line) ?? [];
    if (host !== undefined && (port !== undefined || type === "tls")) return `${host}:${port ?? SERVER_PORT}`;
  }
  return undefined;
}

/** @param {string} address */
const isOwnPage = (address) => /^https?:\/\/(?:[\w-]+\.)?pinggy\.io\b/.test(address);

/**
 * Lines of a log without colours and other control sequences.
 *
 * @param {string} text
 */
export function stripControls(text) {
  return text
    .replaceAll("\r", "\n")
    .replace(/\u001B(?:\[[\d;?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g, "")
    .replace(/[^\P{Cc}\n]/gu, "");
}

/**
 * @param {string} path
 * @returns {string} empty when the log does not exist
 */
export function readLog(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ssh has not written anything.
  }
}
