import type { Store } from "../../../storage/store.js";
import { dropValue, setValue, valuesUnder } from "../../../storage/tables/state/state-values.js";
import type { Log } from "../../base/log/log.js";
import type { ProcessId, Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

export interface OrphanDeps {
  readonly store: () => Promise<Store>;
  readonly clock: Clock;
  readonly spawner: Pick<Spawner, "alive" | "endGroup">;
  readonly log: Log;
}

/** Scripts that run are written down, so that the next owner ends those of one that was killed. */
export interface RunningScripts {
  began(job: string, id: ProcessId): Promise<void>;
  ended(job: string): Promise<void>;
  /** End the scripts of earlier owners. Those of this process go on. */
  endLeft(): Promise<void>;
}

const PREFIX = "cron.script.";
const GRACE: Ms = 2000;

export function createRunningScripts({ store, clock, spawner, log }: OrphanDeps): RunningScripts {
  const mine = new Set<string>();
  const drop = async (key: string) => (await store()).write("cron.script", (tx) => dropValue(tx, key));
  return {
    began: async (job, id) => {
      mine.add(PREFIX + job);
      const now = clock.now();
      await (await store()).write("cron.script", (tx) => setValue(tx, PREFIX + job, JSON.stringify(id), now));
    },
    ended: async (job) => {
      mine.delete(PREFIX + job);
      await drop(PREFIX + job);
    },
    endLeft: async () => {
      for (const { key, value } of await (await store()).read((q) => valuesUnder(q, PREFIX))) {
        if (mine.has(key)) continue;
        const id: ProcessId = JSON.parse(value);
        if (spawner.alive(id)) {
          log.warning("killed a script left behind by an earlier process", {
            job: key.slice(PREFIX.length),
            pid: id.pid,
          });
          await spawner.endGroup(id.pid, GRACE);
        }
        await drop(key);
      }
    },
  };
}
