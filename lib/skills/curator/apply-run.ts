import { AppError } from "../../base/errors.js";
import { CURATOR_BACKUP_ENABLED, type CuratorRun } from "../../contracts/skills/curator.js";
import { backUpSkills } from "./back-up.js";
import { type CuratorChangeDeps, scheduledSkills, undoChange } from "./changes.js";
import { isMade, knownSkills } from "./curated.js";
import { createTouched } from "./edited.js";
import type { CuratorParts } from "./exclusive.js";
import { readRun, writeReport } from "./report.js";
import { applyProposed, summaryOf, withChange } from "./run.js";

/** Looked at again right before a change is made: a person may have worked on a skill since it was proposed. */
export async function refusalOf(
  { deps, places }: CuratorParts,
  changing: CuratorChangeDeps,
  { kind, changes }: CuratorRun["changes"][number],
): Promise<string | undefined> {
  const known = await knownSkills(deps.catalog, changing.usage, places.skills);
  const touched = createTouched(places, changing.writes);
  for (const { action, name } of changes) {
    if (action === "create") continue;
    const one = known.find(({ skill }) => skill.name === name);
    if (one === undefined || !isMade(one)) return `${name} is not a skill that the agent made`;
    if (one.use.pinned) return `${name} is pinned`;
    const why = await touched(one);
    if (why !== undefined) return `${name}: ${why}`;
    if (kind === "archive" && (await scheduledSkills(changing)).has(name)) return `a scheduled job uses ${name}`;
  }
  return undefined;
}

interface Chosen {
  readonly id: string;
  readonly n: number | undefined;
}

export async function applyChanges(
  parts: CuratorParts,
  changing: CuratorChangeDeps,
  { id, n }: Chosen,
): Promise<CuratorRun> {
  const { deps, places } = parts;
  const report = readRun(places, id);
  chosen(report, { n, from: "proposed", verb: "apply" });
  if (deps.config.get(CURATOR_BACKUP_ENABLED)) await backUpSkills(parts, `before applying curator run ${id}`);
  const only = { ...report, changes: report.changes.filter((one) => n === undefined || one.n === n) };
  const save = (part: CuratorRun) => writeReport(places, part.changes.reduce(withChange, report));
  const refusal = (change: CuratorRun["changes"][number]) => refusalOf(parts, changing, change);
  const done = await applyProposed(changing, only, { save, refusal });
  const next = done.changes.reduce(withChange, report);
  const shown = { ...next, summary: summaryOf(next) };
  writeReport(places, shown);
  const failed = n === undefined ? undefined : shown.changes.find((one) => one.n === n && one.status === "failed");
  if (failed !== undefined) throw new AppError("E_CONFLICT", failed.note, { hint: "run the curator again" });
  return shown;
}

export async function undoChanges(
  { places }: CuratorParts,
  changing: CuratorChangeDeps,
  { id, n }: Chosen,
): Promise<CuratorRun> {
  let report = readRun(places, id);
  for (const change of chosen(report, { n, from: "applied", verb: "undo" }).toReversed()) {
    const save = (next: typeof change) => {
      report = withChange(report, next);
      writeReport(places, report);
    };
    await undoChange(changing, { run: report, change, save });
  }
  return report;
}

/** The changes that are meant. @throws E_NOT_FOUND, E_STATE naming its state */
function chosen(
  { changes, id }: CuratorRun,
  { n, from, verb }: { readonly n: number | undefined; readonly from: "proposed" | "applied"; readonly verb: string },
): CuratorRun["changes"] {
  const wanted =
    n === undefined ? changes.filter(({ status }) => status === from) : changes.filter((one) => one.n === n);
  const [first] = wanted;
  if (first === undefined)
    throw n === undefined
      ? new AppError("E_STATE", `run ${id} has nothing to ${verb}`, {
          hint: `agent curator show ${id} shows its changes`,
        })
      : new AppError("E_NOT_FOUND", `run ${id} has no change ${n}`, { hint: `it has ${changes.length}` });
  if (n !== undefined && first.status !== from)
    throw new AppError("E_STATE", `cannot ${verb} change ${n}: it is ${first.status}`, {
      hint: `agent curator show ${id}:${n} shows it`,
    });
  return wanted;
}
