import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { AppError } from "../base/errors.js";
import { LIMITS } from "../base/limits.js";

/** What to do with a connection, by its first byte. */
export interface Framings {
  /** `{`: one JSON message per line. `first` holds the first bytes. */
  lines(socket: Socket, first: Buffer): void;
  /** Anything else: HTTP, with WebSocket upgrades. The bytes are back in the socket. */
  http(socket: Socket): void;
  /** A connection could not be taken (no descriptors left); the others go on. */
  failed(error: Error): void;
}

/** The door itself. */
export interface LocalListener {
  /** Accept no further connections, and drop those that have not said anything yet. Resolves when all connections have closed. */
  close(): Promise<void>;
}

const BRACE = 0x7b;
/** Milliseconds after which a silent connection is closed. */
const FIRST_BYTE_MS = 30_000;

/**
 * Listen on a local socket that only this user can reach. A file that an earlier owner left is removed: the caller holds the owner lock,
 * so it is not served.
 *
 * @throws E_OWNER when the directory belongs to another user or is not a directory
 */
export async function listenLocal(path: string, framings: Framings): Promise<LocalListener> {
  privateDirectory(dirname(path));
  rmSync(path, { force: true });
  const silent = new Set<Socket>();
  const server = createServer((socket) => {
    silent.add(socket);
    sort(socket, framings, () => silent.delete(socket));
  });
  server.maxConnections = LIMITS.clients;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      server.on("error", framings.failed);
      resolve();
    });
  });
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of silent) socket.destroy();
      }),
  };
}

/** Make the directory with mode 0700, or correct its mode. A link, or a directory of another user, is refused. */
export function privateDirectory(dir: string): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const found = lstatSync(dir);
  const uid = process.getuid?.();
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new AppError("E_OWNER", `${dir} is not a directory owned by this user`, {
      dir,
      hint: "remove it, or set another AGENT_HOME",
    });
  }
  if ((found.mode & 0o777) !== 0o700) chmodSync(dir, 0o700);
}

function sort(socket: Socket, framings: Framings, spoken: () => void): void {
  const quit = () => socket.destroy();
  socket.on("close", spoken);
  socket.on("error", quit);
  socket.setTimeout(FIRST_BYTE_MS, quit);
  socket.once("data", (first: Buffer) => {
    spoken();
    socket.pause();
    socket.setTimeout(0);
    socket.off("timeout", quit);
    if (first[0] === BRACE) {
      framings.lines(socket, first);
      socket.resume();
    } else {
      socket.unshift(first);
      framings.http(socket);
    }
  });
}
