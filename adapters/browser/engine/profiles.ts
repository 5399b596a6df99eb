import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { listNames, makeDir } from "../../../lib/base/fs/directory.js";
import { removeFile } from "../../../lib/base/fs/files.js";
import { readTextSync, replaceTextFile } from "../../../lib/base/fs/text-file.js";
import { removeTree } from "../../../lib/base/fs/tree.js";
import type { Ids } from "../../../lib/base/ids.js";
import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import type { ProcessId, Spawner } from "../../../lib/base/process/spawn.js";
import type { BrowserLease } from "../../../lib/contracts/browser/browser.js";

/** Directory of one browser, which no other one ever has. */
export interface Profile {
  readonly dir: string;
  /** Directory for its sockets, whose paths must be short: below the system's temporary one. */
  readonly temp: string;
  /** Record the browser that works in it. */
  uses(browser: ProcessId): void;
  /** Remove it with its lease. */
  remove(): Promise<void>;
}

export interface ProfileParts {
  /** Directory of all profiles. */
  readonly base: string;
  readonly spawner: Pick<Spawner, "identify" | "alive" | "endGroup">;
  readonly ids: Pick<Ids, "hex">;
  /** Pid of this process. */
  readonly pid: number;
}

interface Lease {
  readonly temp: string | undefined;
  readonly owner: ProcessId | undefined;
  readonly browser: ProcessId | undefined;
}

/** Lease a new profile. The lease stands beside the directory before it is made, so that nothing is ever left without one. */
export function leaseProfile({ base, spawner, ids, pid }: ProfileParts): Profile {
  makeDir(base);
  const name = ids.hex(16);
  const dir = join(base, name);
  const temp = join(tmpdir(), `${TEMP}${name}`);
  const owner = spawner.identify(pid);
  const write = (browser?: ProcessId) => {
    const lease = { owner, temp, ...(browser === undefined ? {} : { browser }) };
    replaceTextFile(leaseOf(dir), `${JSON.stringify(lease)}\n`, 0o600);
  };
  write();
  makeDir(dir);
  makeDir(temp);
  return { dir, temp, uses: write, remove: () => removeAll(dir, temp) };
}

const TEMP = "agent-browser-";

async function removeAll(dir: string, temp: string | undefined): Promise<void> {
  await removeTree(dir);
  if (temp !== undefined) await removeTree(temp);
  await removeFile(leaseOf(dir));
}

const leaseOf = (dir: string): string => `${dir}.json`;

/**
 * End browsers whose owner has gone, and remove what it has left. A browser is known by pid, start time and boot: a process that has its pid now is
 * never touched.
 */
export async function sweepProfiles({ base, spawner }: Pick<ProfileParts, "base" | "spawner">): Promise<void> {
  const names = listNames(base);
  for (const name of new Set(names.map((one) => one.replace(/\.json$/, "")))) {
    const dir = join(base, name);
    const lease = readLease(dir);
    if (lease?.owner !== undefined && spawner.alive(lease.owner)) continue;
    if (lease?.browser !== undefined && spawner.alive(lease.browser)) await spawner.endGroup(lease.browser.pid, 0);
    await removeAll(dir, lease?.temp);
  }
}

/** The leases of a directory of profiles, for people. */
export function listLeases({
  base,
  spawner,
}: Pick<ProfileParts, "base"> & { readonly spawner: Pick<Spawner, "alive"> }) {
  return listNames(base)
    .filter((name) => name.endsWith(".json"))
    .map((name): BrowserLease => {
      const lease = readLease(join(base, name.replace(/\.json$/, "")));
      const live = lease?.owner !== undefined && spawner.alive(lease.owner);
      return { owner: lease?.owner?.pid ?? null, browser: lease?.browser?.pid ?? null, live };
    });
}

function readLease(dir: string): Lease | undefined {
  const text = readTextSync(leaseOf(dir));
  const read = text === undefined ? undefined : jsonOf(text);
  if (!isRecord(read)) return undefined;
  const temp = read["temp"];
  const isOurs = typeof temp === "string" && dirname(temp) === tmpdir() && basename(temp).startsWith(TEMP);
  return {
    owner: processOf(read["owner"]),
    browser: processOf(read["browser"]),
    temp: isOurs ? temp : undefined,
  };
}

function processOf(value: unknown): ProcessId | undefined {
  if (!isRecord(value)) return undefined;
  const { pid, start, boot } = value;
  const whole = typeof pid === "number" && typeof start === "string" && typeof boot === "string";
  return whole ? { pid, start, boot } : undefined;
}
