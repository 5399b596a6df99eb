import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Spawner, SpawnSpec } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** What a cage is tried against. All paths are absolute. */
export interface TrialPlace {
  readonly userHome: string;
  /** A file of the agent's home that holds secrets and exists. */
  readonly secret: string;
  readonly socket: string;
  /** The owner's process. */
  readonly pid: number;
}

export interface TrialFinding {
  /** What a command tried. */
  readonly what: string;
  /** The cage kept it from that. */
  readonly held: boolean;
  readonly detail: string;
}

const LIMIT_MS: Ms = 10_000;
const GRACE_MS: Ms = 500;

/** Runs in the cage and prints one line of JSON; each attempt by itself. */
const SCRIPT = `
const [mark, secret, socket, pid] = process.argv.slice(1);
const fs = require("node:fs");
const attempt = (run) => { try { return { done: true, detail: String(run() ?? "") }; } catch (error) { return { done: false, detail: error.code ?? String(error) }; } };
const said = {
  write: attempt(() => fs.writeFileSync(mark, "x")),
  read: attempt(() => { if (fs.readFileSync(secret).length === 0) throw new Error("it is empty"); }),
  signal: attempt(() => { process.kill(Number(pid), 0); const seen = fs.readFileSync("/proc/" + pid + "/cmdline", "utf8"); if (!seen.includes("agent")) throw new Error("it is another process"); }),
};
const connection = require("node:net").connect(socket);
const end = (done, detail) => { console.log(JSON.stringify({ ...said, connect: { done, detail } })); process.exit(0); };
connection.on("connect", () => end(true, ""));
connection.on("error", (error) => end(false, error.code ?? String(error)));
`;

const TRIED: readonly (readonly [key: string, what: string])[] = [
  ["write", "a write to the home"],
  ["read", "the read of a secret"],
  ["signal", "a signal to the owner"],
  ["connect", "a connection to its socket"],
];

/**
 * Try the cage as a hostile command would: each attempt must fail. An answer in words: the trial itself did not run.
 * @param wrap puts a command into the cage of a session
 */
export async function tryCage(
  { spawner, clock }: { readonly spawner: Spawner; readonly clock: Clock },
  wrap: (spec: SpawnSpec) => SpawnSpec,
  place: TrialPlace & { readonly cwd: string },
): Promise<readonly TrialFinding[] | string> {
  const mark = join(place.userHome, `.agent-cage-trial-${place.pid}`);
  const args = ["-e", SCRIPT, mark, place.secret, place.socket, String(place.pid)];
  const spec: SpawnSpec = {
    file: process.execPath,
    args,
    cwd: place.cwd,
    env: { PATH: "/usr/bin:/bin" },
    stderr: "stdout",
  };
  const child = await spawner.spawn(wrap(spec));
  const pieces: Buffer[] = [];
  child.onOutput((piece) => pieces.push(piece));
  const cancel = clock.after(LIMIT_MS, () => void spawner.endGroup(child.pid, GRACE_MS));
  await child.closed;
  cancel();
  const left = existsSync(mark);
  rmSync(mark, { force: true });
  return readFindings(Buffer.concat(pieces).toString("utf8"), left);
}

function readFindings(text: string, left: boolean): readonly TrialFinding[] | string {
  const line = text.trim().split("\n").at(-1) ?? "";
  try {
    const said = JSON.parse(line) as Readonly<
      Record<string, { readonly done: boolean; readonly detail: string } | undefined>
    >; // what SCRIPT prints
    return TRIED.map(([key, what]) => {
      const one = said[key];
      const held = one?.done === false && !(key === "write" && left);
      return { what, held, detail: one?.detail ?? "" };
    });
  } catch {
    return line === "" ? "it printed nothing" : line; // ok to lose: the text itself says what happened
  }
}
