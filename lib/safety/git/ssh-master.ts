import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Child, Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** A connection that is logged in with the person's keys. Who has its socket can open sessions on it; the keys stay outside. */
export interface SshMaster {
  readonly socket: string;
  close(): Promise<void>;
}

export interface SshPorts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
}

const LIMIT_MS: Ms = 30_000;
const LOOK_MS: Ms = 50;
const GRACE_MS: Ms = 500;
const MAX_ERROR = 4_096;

/** Options against everything that could ask, forward something, or run a command on this machine. */
const GUARDED = [
  "BatchMode=yes",
  "ClearAllForwardings=yes",
  "ForwardAgent=no",
  "ForwardX11=no",
  "PermitLocalCommand=no",
  "ControlPersist=no",
];

/**
 * Log in to a host as the person would. An answer in words: why that failed.
 * @param program words that start ssh, e.g. from `core.sshCommand` @param dir private directory for the socket
 */
export async function openSshMaster(
  { spawner, clock, env }: SshPorts,
  target: { readonly host: string; readonly user?: string; readonly port?: number },
  { program, dir, name }: { readonly program: readonly string[]; readonly dir: string; readonly name: string },
): Promise<SshMaster | string> {
  const socket = join(dir, name);
  const [file = "ssh", ...first] = program;
  const args = [...first, "-M", "-N", "-T", "-S", socket, ...GUARDED.flatMap((option) => ["-o", option])];
  if (target.port !== undefined) args.push("-p", String(target.port));
  if (target.user !== undefined) args.push("-l", target.user);
  const child = await spawner.spawn({
    file,
    args: [...args, "--", target.host],
    cwd: "/",
    env,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
    endsWithOwner: true, // a login that stays would be open to any program that finds its socket
  });
  let said = "";
  child.onOutput((chunk) => {
    said = `${said}${chunk.toString("utf8")}`.slice(-MAX_ERROR);
  });
  const close = async () => void (await spawner.endGroup(child.pid, GRACE_MS));
  if (await appears(clock, child, socket)) return { socket, close };
  await close();
  return said.trim() || `ssh to ${target.host} took longer than ${LIMIT_MS / 1000} s`;
}

/** The socket is there; false when the child ended, or after the limit. */
function appears(clock: Clock, child: Child, socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    let left = LIMIT_MS / LOOK_MS;
    let ended = false;
    void child.exited.then(() => {
      ended = true;
      resolve(false);
    });
    const look = (): void => {
      left -= 1;
      if (ended) return;
      if (existsSync(socket)) resolve(true);
      else if (left <= 0) resolve(false);
      else clock.after(LOOK_MS, look);
    };
    look();
  });
}
