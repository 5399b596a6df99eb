import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { findToolAbove, type ToolHome } from "../base/process/ancestry.js";

/** `SO_PEERCRED` of Linux and `LOCAL_PEERPID` of macOS: level, option. */
const PEER: Partial<Record<NodeJS.Platform, readonly [number, number]>> = { linux: [1, 17], darwin: [0, 2] };
/** What reads the option of standard input: the runtime has no call for it. */
const READERS: readonly (readonly [string, string, (level: number, option: number) => string])[] = [
  ["/usr/bin/perl", "-e", (level, option) => `print unpack("i", getsockopt(STDIN, ${level}, ${option}) || exit 1)`],
  [
    "/usr/bin/python3",
    "-c",
    (level, option) =>
      `import socket,struct;print(struct.unpack("i",socket.socket(fileno=0).getsockopt(${level},${option},12)[:4])[0])`,
  ],
];

/**
 * Whether a tool of this home started the process at the other end. Asked when it first wants what is for people alone: to find that process takes
 * milliseconds. Where the system does not tell it, the answer is no.
 */
export function createToolCheck(socket: Duplex, home: ToolHome): () => Promise<boolean> {
  let answer: Promise<boolean> | undefined;
  return () => {
    answer ??= findPeer(socket).then(
      (pid) => pid !== undefined && pid !== process.pid && findToolAbove(pid, home) !== undefined,
    );
    return answer;
  };
}

/** Process at the other end of a local or loopback connection. */
async function findPeer(socket: Duplex): Promise<number | undefined> {
  if (!(socket instanceof Socket) || socket.destroyed) return undefined;
  return socket.remotePort === undefined ? findLocalPeer(socket) : findTcpPeer(socket.remotePort, socket.localPort);
}

async function findLocalPeer(socket: Socket): Promise<number | undefined> {
  const option = PEER[process.platform];
  const handle: unknown = Reflect.get(socket, "_handle");
  const fd: unknown = typeof handle === "object" && handle !== null ? Reflect.get(handle, "fd") : undefined;
  const reader = READERS.find(([program]) => existsSync(program));
  if (option === undefined || reader === undefined || typeof fd !== "number" || fd < 0) return undefined;
  const [program, flag, code] = reader;
  return new Promise((resolve) => {
    const child = spawn(program, [flag, code(...option)], { stdio: [fd, "pipe", "ignore"], env: {} });
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    child.once("error", () => resolve(undefined));
    child.once("close", () => resolve(/^\d+$/.test(text.trim()) ? Number(text) : undefined));
  });
}

/** The kernel's tables name the socket of each end, and a process shows the sockets that it holds. Linux only. */
function findTcpPeer(port: number, own: number | undefined): number | undefined {
  const inode = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => inodesIn(table, port, own))[0];
  if (inode === undefined) return undefined;
  const link = `socket:[${inode}]`;
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => descriptorsOf(pid).some((fd) => linkAt(`/proc/${pid}/fd/${fd}`) === link));
  return found === undefined ? undefined : Number(found);
}

const portOf = (address: string | undefined): number => Number.parseInt(address?.split(":")[1] ?? "", 16);

function inodesIn(table: string, port: number, own: number | undefined): readonly string[] {
  return quietly(() => readFileSync(table, "latin1"), "")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => portOf(fields[1]) === port && portOf(fields[2]) === own)
    .flatMap((fields) => (fields[9] === undefined || fields[9] === "0" ? [] : [fields[9]]));
}

const descriptorsOf = (pid: string): readonly string[] => quietly(() => readdirSync(`/proc/${pid}/fd`), []);
const linkAt = (path: string): string => quietly(() => readlinkSync(path), "");

/** A process may end between two looks, and those of other users are closed. */
function quietly<T>(read: () => T, none: T): T {
  try {
    return read();
  } catch {
    return none; /* ok to lose: what cannot be looked at is not the other end */
  }
}
