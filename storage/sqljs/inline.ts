import { transaction } from "../body.js";
import { notifier } from "../notify.js";
import type { Migration, StoreSpec } from "../store.js";
import { copyTo, runScript } from "./actions.js";
import { Engine } from "./engine.js";
import type { Link } from "./link.js";
import type { Memory } from "./memory.js";
import { migrationSession } from "./migration.js";
import type { OpenOptions } from "./options.js";
import type { Sabotage } from "./sabotage.js";
import { engineSession } from "./session.js";

declare const AGENT_FAULTS: boolean | undefined;
const testing = typeof AGENT_FAULTS !== "undefined" && AGENT_FAULTS === true;

/** An engine in this thread. Between BEGIN and COMMIT the event loop does not turn. */
export async function inlineLink(spec: StoreSpec, options: OpenOptions, sabotage?: Sabotage): Promise<Link> {
  const listeners = notifier(spec.name, options.log);
  const { disk, clock, log, checkpointBytes, ids, pace, ahead } = options;
  const engine = await Engine.open(
    {
      spec,
      disk,
      clock,
      log,
      apply,
      onEvents: listeners.tell,
      longLived: options.longLived ?? false,
      readonly: options.readonly === true,
      ...(checkpointBytes === undefined ? {} : { checkpointBytes }),
      ...(ids ? { ids } : {}),
      ...(pace ? { pace } : {}),
      ...(ahead ? { ahead } : {}),
      ...(sabotage ? { sabotage } : {}),
      ...(options.onRecovered ? { onRecovered: options.onRecovered } : {}),
    },
    options.onFatal ?? endProcess,
  );
  return {
    name: spec.name,
    begin: async (kind, label) =>
      engineSession(engine, { kind, label, leave: await engine.enter(), strict: testing || options.rehearse === true }),
    script: async (label, steps, events) =>
      runScript(engine, { label, steps, events }, engine.enterNow() ?? (await engine.enter())),
    copyTo: (path) => copyTo(engine, disk, path),
    checkpoint: () => engine.checkpoint(),
    onEvents: listeners.add,
    close: (how) => engine.close(how),
  };
}

async function apply(migration: Migration, memory: Memory): Promise<void> {
  await migration.apply?.(transaction(migrationSession(memory), "write"));
}

/** Half-known state is worse than an end: the store recovers at the next start. */
function endProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}
