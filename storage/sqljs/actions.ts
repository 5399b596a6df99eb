import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { AppError } from "../../lib/base/errors.js";
import type { Disk } from "../../lib/base/fs/disk.js";
import { appendFailed } from "../errors.js";
import { LAST_SEQ } from "../events.js";
import { inspect } from "../statement.js";
import type { DomainEvent, Row, Step, Value } from "../store.js";
import type { Engine } from "./engine.js";
import { writeSynced } from "./files.js";

/** A script of the hot verbs: executed without a pause, so that no other body comes between. */
export interface Script {
  readonly label: string;
  readonly steps: readonly Step[];
  readonly events: readonly DomainEvent[];
}

/** Run a script in a turn that the caller holds; `leave` ends the turn. Resolves when durable. */
export async function runScript(engine: Engine, script: Script, leave: () => void): Promise<Row[][]> {
  let durable: Promise<void>;
  let results: Row[][] = [];
  let failure: unknown;
  try {
    engine.tx.begin("write", script.label);
    results = runSteps(engine, script.steps);
    for (const event of script.events) engine.tx.emit(event);
    durable = engine.tx.commit();
  } catch (error) {
    failure = error ?? new Error("unknown");
    engine.tx.rollback();
    durable = engine.settled();
  } finally {
    leave();
  }
  await durable;
  if (failure !== undefined) throw failure;
  return results;
}

/**
 * Run scripts that arrived together, in a turn that the caller holds. As a group they cost half of what they cost alone; when one of them
 * fails, each is run for itself, so that it alone fails.
 */
export function runScripts(engine: Engine, scripts: readonly Script[], leave: () => void): Promise<Row[][]>[] {
  try {
    return asGroup(engine, scripts);
  } catch {
    /* ok to lose: nothing of the group is there, and the script that failed fails again, for its caller to hear. */
    return scripts.map((script) => runScript(engine, script, () => undefined));
  } finally {
    leave();
  }
}

function asGroup(engine: Engine, scripts: readonly Script[]): Promise<Row[][]>[] {
  const results: Row[][][] = [];
  const bodies = scripts.map(({ label, steps, events }) => ({
    label,
    run: () => {
      results.push(runSteps(engine, steps));
      for (const event of events) engine.tx.emit(event);
    },
  }));
  return engine.tx.together(bodies).map(async (durable, at) => {
    await durable;
    return results[at] ?? [];
  });
}

function runSteps(engine: Engine, steps: readonly Step[]): Row[][] {
  const results: Row[][] = [];
  for (const [at, step] of steps.entries()) {
    const args = step.args.map((value) => argument(value, results, at));
    const { kind, returning } = inspect(step.sql);
    const counted = kind === "write" && !returning;
    const rows = counted ? [] : engine.tx.all(step.sql, args);
    const count = counted ? engine.tx.run(step.sql, args) : rows.length;
    if (step.expect !== undefined && step.expect !== count) {
      throw new AppError("E_CONFLICT", `step ${at} affected ${count} rows instead of ${step.expect}`, {
        step: at,
        count,
        expect: step.expect,
      });
    }
    results.push(rows);
  }
  return results;
}

function argument(value: Step["args"][number], results: readonly Row[][], at: number): Value {
  if (typeof value !== "object" || value === null) return value;
  const found = results[value.from]?.[0]?.[value.column];
  if (found !== undefined) return found;
  throw new AppError("E_CONFLICT", `step ${at} requires ${value.column} of step ${value.from}, which returned none`, {
    step: at,
    from: value.from,
  });
}

/** Write a plain SQLite file of one moment. */
export async function copyTo(engine: Engine, disk: Disk, path: string): Promise<{ sequence: number; sha256: string }> {
  const leave = await engine.enter();
  let bytes: Buffer;
  let sequence: number;
  let durable: Promise<void>;
  try {
    engine.tx.begin("read", "copy");
    sequence = Number(engine.tx.all(LAST_SEQ, [])[0]?.["seq"] ?? 0);
    engine.tx.rollback();
    bytes = engine.export();
    durable = engine.settled();
  } finally {
    leave();
  }
  await durable;
  try {
    const part = `${path}.part`;
    writeSynced(disk, part, bytes);
    disk.rename(part, path);
    disk.syncDir(dirname(path));
  } catch (error) {
    throw appendFailed(path, error);
  }
  return { sequence, sha256: createHash("sha256").update(bytes).digest("hex") };
}
