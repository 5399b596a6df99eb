import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { toIso } from "../../base/units.js";
import {
  CURATOR_APPLY,
  CURATOR_BACKUP_ENABLED,
  CURATOR_ENABLED,
  CURATOR_INTERVAL_HOURS,
  CURATOR_MIN_IDLE_HOURS,
  type CuratorApi,
  type CuratorRun,
} from "../../contracts/skills/curator.js";
import { refusalOf } from "./apply-run.js";
import { archivedSkills } from "./archive.js";
import { backUpSkills } from "./back-up.js";
import type { CuratorChangeDeps } from "./changes.js";
import { knownSkills } from "./curated.js";
import { createTouched } from "./edited.js";
import type { CuratorParts } from "./exclusive.js";
import { timeIds } from "./places.js";
import { runIds, writeReport } from "./report.js";
import { applyProposed, proposeChanges, reportOf, summaryOf } from "./run.js";

const HOUR_MS = 3_600_000;

export async function runWhenDue(
  { deps, state }: CuratorParts,
  api: Pick<CuratorApi, "run">,
  idle: number | undefined,
  signal: AbortSignal,
): Promise<CuratorRun | undefined> {
  const { config, clock } = deps;
  const { paused, last_run_at: last } = state.read();
  if (!config.get(CURATOR_ENABLED) || paused) return undefined;
  const now = clock.now();
  if (last === null || Date.parse(last) > now) {
    await state.change(() => ({ last_run_at: toIso(now) })); // also after the clock was set back: else it would not run for long
    return undefined;
  }
  if (now - Date.parse(last) < config.get(CURATOR_INTERVAL_HOURS) * HOUR_MS) return undefined;
  if (idle === undefined || idle < config.get(CURATOR_MIN_IDLE_HOURS) * HOUR_MS) return undefined;
  return api.run({ dryRun: false, cause: "idle" }, signal);
}

export async function runCurator(
  parts: CuratorParts,
  changing: CuratorChangeDeps,
  { dryRun, cause }: Parameters<CuratorApi["run"]>[0],
  signal: AbortSignal,
): Promise<CuratorRun> {
  const { deps, places, state } = parts;
  const started = deps.clock.now();
  const applies = !dryRun && deps.config.get(CURATOR_APPLY) === "auto";
  const id = freeRunId(parts, started);
  const backup =
    applies && deps.config.get(CURATOR_BACKUP_ENABLED) ? await backUpSkills(parts, `before curator run ${id}`) : null;
  const input = {
    id,
    started,
    dryRun,
    skills: await knownSkills(deps.catalog, changing.usage, places.skills),
    taken: [...changing.usage.all().keys(), ...(await archivedSkills(parts)).map(({ name }) => name)],
    touched: createTouched(places, changing.writes),
  };
  const draft = await proposeChanges(deps, changing, input, signal);
  const around = { cause, backup: backup?.id ?? null, report: join(places.runs, id) };
  const duration = () => deps.clock.now() - started;
  let report = reportOf(input, draft, { ...around, duration: duration() });
  writeReport(places, report);
  faultPoint("curator.proposed");
  if (applies)
    report = await applyProposed(changing, report, {
      save: (now) => writeReport(places, now),
      refusal: (change) => refusalOf(parts, changing, change),
      signal,
    });
  report = { ...report, duration: duration(), summary: summaryOf(report) };
  writeReport(places, report);
  if (!dryRun)
    await state.change(({ run_count: count }) => ({
      last_run_at: toIso(deps.clock.now()),
      last_run_duration: report.duration,
      last_run_summary: report.summary,
      // The user who started it by hand has just read it.
      summary_shown_at: cause === "manual" || report.changes.length === 0 ? toIso(deps.clock.now()) : null,
      last_report: id,
      run_count: count + 1,
    }));
  deps.log.info("curator run", { run: id, cause, dry: dryRun, changes: report.changes.length });
  return report;
}

function freeRunId({ places }: CuratorParts, started: number): string {
  const taken = new Set(runIds(places));
  for (const id of timeIds(started)) if (!taken.has(id)) return id;
  throw new AppError("E_BUSY", "too many runs of the curator in one second", { hint: "try again in a second" });
}
