import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { identify } from "./identity.mjs";

/**
 * A tunnel as it is remembered.
 *
 * @typedef {object} Entry
 * @property {string} name
 * @property {string} type
 * @property {number} port
 * @property {string} gate
 * @property {string | null} url undefined until the service has named it
 * @property {number} pid
 * @property {string} started identity of the process beside its pid
 * @property {string} log
 * @property {string | null} expires_at
 */

/** Type and port, as `start` composes it. Names come from the command line and become paths. */
const NAME = /^(?:http|tcp|tls)-\d{1,5}$/;

/** Where tunnels are remembered: a directory that other users cannot read. */
export class State {
  /** @param {string | undefined} directory */
  constructor(directory) {
    this.directory = resolve(directory ?? defaultDirectory());
  }

  /**
   * Create the directory, or refuse one that another user could have made.
   *
   * @returns {string | undefined} why it cannot be used
   */
  prepare() {
    try {
      mkdirSync(this.directory, { recursive: true, mode: 0o700 });
      const { uid, mode } = lstatSync(this.directory);
      if (process.getuid !== undefined && uid !== process.getuid()) return "belongs to another user";
      if ((mode & 0o022) !== 0) return "can be written by other users";
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * @param {string} name
   * @param {"json" | "secret" | "log"} kind
   */
  path(name, kind) {
    return join(this.directory, `${name}.${kind}`);
  }

  get knownHosts() {
    return join(this.directory, "known_hosts");
  }

  /**
   * Store the secret in a new file that only its owner can read.
   *
   * @param {string} name
   * @param {{ gate: string, user: string | null, secret: string | null }} secret
   */
  writeSecret(name, secret) {
    this.#write(this.path(name, "secret"), secret);
  }

  /** @param {Entry} entry */
  write(entry) {
    this.#write(this.path(entry.name, "json"), entry);
  }

  /**
   * @param {string} name
   * @returns {Entry | undefined} undefined: not known
   */
  read(name) {
    if (!NAME.test(name)) return undefined;
    try {
      return JSON.parse(readFileSync(this.path(name, "json"), "utf8"));
    } catch {
      return undefined; // Never started, or stopped.
    }
  }

  /** @returns {string[]} */
  names() {
    try {
      const files = readdirSync(this.directory).filter((file) => file.endsWith(".json"));
      return files.map((file) => file.slice(0, -".json".length)).toSorted();
    } catch {
      return []; // No tunnel was started yet.
    }
  }

  /**
   * Forget a tunnel and its secret. The log stays for whoever wants to know what happened.
   *
   * @param {string} name
   */
  remove(name) {
    rmSync(this.path(name, "secret"), { force: true });
    rmSync(this.path(name, "json"), { force: true });
  }

  /**
   * @param {string} path
   * @param {unknown} value
   */
  #write(path, value) {
    const temporary = `${path}.${process.pid}.tmp`;
    rmSync(temporary, { force: true });
    writeFileSync(temporary, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  }
}

function defaultDirectory() {
  return join(process.env["XDG_STATE_HOME"]?.trim() || join(homedir(), ".local", "state"), "agent-tunnel");
}

/**
 * Whether the process of a tunnel still runs, and is not a later one of the same pid.
 *
 * @param {Entry} entry
 */
export async function isLive(entry) {
  return Number.isSafeInteger(entry.pid) && entry.pid > 1 && (await identify(entry.pid)) === entry.started;
}
