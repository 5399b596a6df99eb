import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import type { Server } from "node:net";
import { dirname } from "node:path";
import { AppError, systemCode } from "../lib/base/errors.js";
import { makeDir } from "../lib/base/fs/directory.js";

/** Who holds the lock, for people and for clients that look for the socket. The lock itself is the truth, this text may be stale. */
export interface OwnerText {
  readonly pid: number;
  /** Kernel start time and boot id; empty where the system gives none. */
  readonly start: string;
  readonly boot: string;
  readonly host: string;
  readonly version: string;
  /** Path of the owner's socket; empty before it listens. */
  readonly socket: string;
}

/** A held lock. It is also released by the kernel when the process dies, however it dies. */
export interface Lock {
  /** `socket`: no `flock` program was found; the lock does not reach into other network namespaces, and doctor says so. */
  readonly kind: "flock" | "exlock" | "socket";
  /** Replace the owner's text. */
  describe(owner: OwnerText): void;
  /** Give the lock up; the file stays. Harmless twice. */
  release(): void;
}

const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const O_EXLOCK = 0x20; // macOS; node:constants does not name it
const onMac = process.platform === "darwin";

/**
 * Take the lock at `path` (mode 0600, made when missing, never removed) or answer undefined when it is held.
 *
 * @throws E_STORE with `data.reason` "unlockable" when the system cannot lock at all
 */
export async function tryLock(path: string): Promise<Lock | undefined> {
  makeDir(dirname(path));
  const fd = openUnlessBusy(path);
  if (fd === undefined) return undefined;
  if (onMac) return heldFile("exlock", fd);
  const { spawnSync } = await import("node:child_process"); // a process that only asks for the owner never needs it
  const done = spawnSync("flock", ["-x", "-n", "3"], {
    stdio: ["ignore", "ignore", "ignore", fd],
    env: { PATH: SYSTEM_PATH },
  });
  if (done.status === 0 && sameFile(fd, path)) return heldFile("flock", fd);
  if (done.status === 0 || done.status === 1) {
    closeSync(fd); // 1: held by another; 0 on another file: the home was moved meanwhile
    return undefined;
  }
  return socketLock(path, fd);
}

const UNWRITABLE = "read-only commands still work; AGENT_HOME selects another home";

function openUnlessBusy(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT | (onMac ? O_EXLOCK | constants.O_NONBLOCK : 0), 0o600);
  } catch (error) {
    const code = systemCode(error);
    if (code === "EAGAIN" || code === "EWOULDBLOCK") return undefined;
    const why =
      code === "EROFS"
        ? "the file system is read-only"
        : code === "EACCES" || code === "EPERM"
          ? "permission denied"
          : undefined;
    const said =
      why === undefined
        ? `cannot open the lock ${path}: ${code ?? String(error)}`
        : `cannot write ${dirname(path)}: ${why}`;
    throw new AppError(
      "E_STORE",
      said,
      { reason: "unlockable", path, ...(why === undefined ? {} : { hint: UNWRITABLE }) },
      error,
    );
  }
}

function sameFile(fd: number, path: string): boolean {
  const held = fstatSync(fd);
  const there = statSync(path, { throwIfNoEntry: false });
  return there !== undefined && there.ino === held.ino && there.dev === held.dev;
}

function heldFile(kind: Lock["kind"], fd: number, alsoRelease: () => void = () => undefined): Lock {
  let held = true;
  return {
    kind,
    describe: (owner) => {
      if (!held) return;
      ftruncateSync(fd, 0);
      writeSync(fd, `${JSON.stringify(owner)}\n`, 0);
      fsyncSync(fd);
    },
    release: () => {
      if (!held) return;
      held = false;
      closeSync(fd);
      alsoRelease();
    },
  };
}

/** Without the `flock` program: a name in the abstract socket space, which the kernel also frees with the process. */
async function socketLock(path: string, fd: number): Promise<Lock | undefined> {
  if (process.platform !== "linux") {
    closeSync(fd);
    throw new AppError("E_STORE", `cannot lock ${path}: this system does not support locks that end with the process`, {
      reason: "unlockable",
      path,
    });
  }
  const { createHash } = await import("node:crypto");
  const name = `\0agent-${createHash("sha256").update(realpathSync(path)).digest("hex")}`;
  const server = await listenUnlessBusy(name);
  if (server) return heldFile("socket", fd, () => server.close());
  closeSync(fd);
  return undefined;
}

async function listenUnlessBusy(name: string): Promise<Server | undefined> {
  const { createServer } = await import("node:net");
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", (error) => (systemCode(error) === "EADDRINUSE" ? resolve(undefined) : reject(error)));
    server.listen({ path: name }, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** The text beside the lock, or undefined when it is missing or half written. */
export function readOwner(path: string): OwnerText | undefined {
  try {
    return parseOwner(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function parseOwner(text: unknown): OwnerText | undefined {
  if (typeof text !== "object" || text === null) return undefined;
  const all = new Map<string, unknown>(Object.entries(text));
  const pid = all.get("pid");
  const word = (key: string) => {
    const value = all.get(key);
    return typeof value === "string" ? value : "";
  };
  if (typeof pid !== "number") return undefined;
  return {
    pid,
    start: word("start"),
    boot: word("boot"),
    host: word("host"),
    version: word("version"),
    socket: word("socket"),
  };
}

/** Type numbers of statfs. */
const NETWORK_TYPES: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
]);
const FUSE = 0x65735546;

/** Name of the network file system that holds `dir` (a directory that exists), or undefined for a local one. */
export function networkFilesystem(dir: string): string | undefined {
  return NETWORK_TYPES.get(statfsSync(dir).type >>> 0);
}

/** `dir` lies on FUSE, where the promises depend on the program behind it: doctor names it. */
export function onFuse(dir: string): boolean {
  return statfsSync(dir).type >>> 0 === FUSE;
}

/** @throws E_STORE `network_fs` unless `allow` (`storage.allow_network_fs`) */
export function refuseNetworkFilesystem(dir: string, allow: boolean): void {
  const name = networkFilesystem(dir);
  if (name === undefined || allow) return;
  throw new AppError("E_STORE", `${dir} is on ${name}, where locks and fsync are unreliable`, {
    reason: "network_fs",
    path: dir,
    filesystem: name,
    hint: "move AGENT_HOME to a local disk, or set storage.allow_network_fs at your own risk",
  });
}
