import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** State of a socket that listens, in the system's table. */
const LISTENS = "0A";

/**
 * Who listens on a port: `process 4711 (node)`. Undefined where the system does not tell, as about processes of other users. Linux only.
 * Looks through the whole process table, so ask only when listening has failed.
 */
export function portHolder(port: number): string | undefined {
  const sockets = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listening(table, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of attempt(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name))) {
    if (holdsOne(pid, sockets))
      return `process ${pid} (${attempt(() => readFileSync(`/proc/${pid}/comm`, "utf8").trim(), "?")})`;
  }
  return undefined;
}

/** Inodes of the sockets that listen on the port. */
function listening(table: string, port: number): readonly string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const rows = attempt(() => readFileSync(table, "utf8"), "")
    .split("\n")
    .slice(1);
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    return local?.endsWith(wanted) && state === LISTENS && inode !== undefined ? [`socket:[${inode}]`] : [];
  });
}

function holdsOne(pid: string, sockets: ReadonlySet<string>): boolean {
  const open = attempt(() => readdirSync(`/proc/${pid}/fd`), []);
  return open.some((fd) => sockets.has(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`), "")));
}

/** Processes come and go while they are looked at, and those of others show nothing. */
function attempt<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise; // it has ended, or belongs to another user
  }
}
