import { join } from "node:path";
import * as z from "zod";
import { listDirectory, makeDirectory, readText, removeFile, writeAtomic } from "../../lib/base/fs/files.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Child, ProcessId, Spawner } from "../../lib/base/process/spawn.js";

const processId = z.object({ pid: z.number().int().min(2), start: z.string(), boot: z.string() });
const record = z.object({ owner: processId, servers: z.array(processId) });

export interface RunningParts {
  /** `AGENT_HOME`. */
  readonly home: string;
  readonly spawner: Spawner;
  readonly log: Log;
  /** Folder of the home that holds the record. */
  readonly folder: string;
  /** For the log: `language servers`. */
  readonly what: string;
}

/**
 * The servers of this process, written down, so that the next process ends them when this one was killed. Most servers end without a client;
 * this is for the others.
 */
export interface Running {
  /** Before the first server: end those that a killed process left behind. Resolves when it is done; later calls do nothing. */
  sweep(): Promise<void>;
  started(child: Child): Promise<void>;
  ended(child: Child): Promise<void>;
}

export function createRunning({ home, spawner, log, folder, what }: RunningParts): Running {
  const dir = join(home, folder, "running");
  const servers = new Map<number, ProcessId>();
  let owner: ProcessId | undefined;
  let swept: Promise<void> | undefined;
  let writing: Promise<void> = Promise.resolve();

  const save = (): Promise<void> => {
    writing = writing
      .then(write)
      .catch((error: unknown) => log.warning(`running ${what} were not noted`, { error: String(error) }));
    return writing;
  };
  const write = async (): Promise<void> => {
    owner ??= spawner.identify(process.pid);
    if (owner === undefined) return;
    const path = join(dir, `${owner.pid}-${owner.start.replace(/\W+/g, "_")}.json`);
    if (servers.size === 0) return removeFile(path);
    await makeDirectory(dir, 0o700);
    await writeAtomic(path, JSON.stringify({ owner, servers: [...servers.values()] }), 0o600, false);
  };
  const sweepNow = async (): Promise<void> => {
    for (const { name } of await listDirectory(dir))
      if (name.endsWith(".json")) await sweepOne(join(dir, name), { spawner, log, what });
  };
  return {
    sweep: () => {
      swept ??= sweepNow().catch((error: unknown) =>
        log.warning(`${what} left behind were not ended`, { error: String(error) }),
      );
      return swept;
    },
    started: (child) => {
      servers.set(child.pid, child.id);
      return save();
    },
    ended: (child) => {
      servers.delete(child.pid);
      return save();
    },
  };
}

async function sweepOne(
  path: string,
  { spawner, log, what }: Pick<RunningParts, "spawner" | "log" | "what">,
): Promise<void> {
  const parsed = record.safeParse(parseJson((await readText(path)) ?? ""));
  if (parsed.success && spawner.alive(parsed.data.owner)) return;
  for (const id of parsed.success ? parsed.data.servers : []) {
    if (!spawner.alive(id)) continue;
    log.info(`${what} of a process that was killed are ended`, { pid: id.pid });
    await spawner.endGroup(id.pid, 0);
  }
  await removeFile(path);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // cut off: the servers are then unknown
  }
}
