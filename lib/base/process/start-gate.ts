import { accessSync, closeSync, constants, openSync, readSync, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { isProgram } from "./program-path.js";
import type { SpawnSpec } from "./spawn.js";

/** Where programs are looked for without a PATH, as the system's own search does. */
const DEFAULT_PATH = "/bin:/usr/bin";
/** A script names its interpreter within this many bytes. */
const FIRST_LINE_BYTES = 256;
/** A shell hands on no variable of another name, such as an exported function of bash. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Variables that a shell makes for itself. */
const OWN_NAMES = ["PWD", "OLDPWD", "SHLVL"] as const;
const CARRIER = "AGENT_START_";

type Start = Pick<SpawnSpec, "file" | "args" | "env">;

/**
 * The start of a program by a shell that reads one line from `fd` and becomes the program then: same process, same arguments, same variables.
 * At the end of its input, which comes with the end of its owner, it ends and has done nothing. A process that began on its own could live on
 * without its owner: it would not be known yet.
 */
export function gateStart({ file, args, env }: Start, fd: number): Start {
  const odd = Object.entries(env).filter(([name]) => !SHELL_NAME.test(name));
  const carriers = odd.map((_, n) => `${CARRIER}${n}`);
  const carry = carriers.flatMap((name) => [`-u ${name}`]).concat(carriers.map((name) => `"$${name}"`));
  const unset = OWN_NAMES.filter((name) => env[name] === undefined);
  const script = [
    `read -r go <&${fd} || exit`,
    ...(unset.length === 0 ? [] : [`unset ${unset.join(" ")}`]),
    `exec ${carry.length === 0 ? "" : `/usr/bin/env ${carry.join(" ")} `}"$@" ${fd}<&-`,
  ].join("\n");
  const named = Object.entries(env).filter(([name]) => SHELL_NAME.test(name));
  const carried = odd.map(([name, value], n) => [`${CARRIER}${n}`, `${name}=${value}`] as const);
  return {
    file: "/bin/sh",
    args: ["-c", script, "agent-start", file, ...args],
    env: Object.fromEntries([...named, ...carried]),
  };
}

/** The system can start it. Where it cannot, a start without a gate fails with the system's own error, which says more than a shell's. */
export function isStartable({ file, cwd, env }: Pick<SpawnSpec, "file" | "cwd" | "env">): boolean {
  const dirs = file.includes("/") ? [""] : (env["PATH"] ?? DEFAULT_PATH).split(delimiter);
  return isProgram("/bin/sh") && isEnterable(cwd) && dirs.some((dir) => canRun(resolve(cwd, dir, file), cwd));
}

function canRun(path: string, cwd: string): boolean {
  if (!isProgram(path)) return false;
  const interpreter = /^#!\s*(\S+)/.exec(readStart(path))?.[1];
  return interpreter === undefined || isProgram(resolve(cwd, interpreter));
}

function isEnterable(dir: string): boolean {
  try {
    accessSync(dir, constants.X_OK);
    return statSync(dir).isDirectory();
  } catch {
    return false; // ok to lose: the start itself fails with the reason
  }
}

/** Empty where it cannot be read: a program needs no more than the right to run. */
function readStart(path: string): string {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    const bytes = Buffer.alloc(FIRST_LINE_BYTES);
    return bytes.toString("latin1", 0, readSync(fd, bytes));
  } catch {
    return ""; // ok to lose: see above
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
