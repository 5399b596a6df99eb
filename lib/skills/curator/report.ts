import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { listNames, makeDir, removeDir } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import type { CuratorChange, CuratorRun } from "../../contracts/skills/curator.js";
import { curatorRunShape } from "../../contracts/wire/shapes/curator.js";
import { type CuratorPlaces, isTimeId } from "./places.js";

/** Reports that are kept; the oldest goes first. */
const RUNS_MAX = 50;
const FILE_MAX = 64 << 20;

/** Oldest first. */
export const runIds = ({ runs }: CuratorPlaces): readonly string[] => listNames(runs).filter(isTimeId);

/** Write `run.json`, then what people read. */
export function writeReport(places: CuratorPlaces, run: CuratorRun): void {
  const dir = join(places.runs, run.id);
  makeDir(dir);
  replaceTextFile(join(dir, "run.json"), `${JSON.stringify(run, null, 1)}\n`, 0o600);
  replaceTextFile(join(dir, "changes.diff"), diffOf(run.changes), 0o600);
  replaceTextFile(join(dir, "REPORT.md"), reportText(run), 0o600);
  for (const old of runIds(places).slice(0, -RUNS_MAX)) removeDir(join(places.runs, old));
}

/** @throws E_NOT_FOUND, E_INVALID when its `run.json` cannot be read */
export function readRun(places: CuratorPlaces, id: string | undefined): CuratorRun {
  const ids = runIds(places);
  const wanted = id ?? ids.at(-1);
  if (wanted === undefined)
    throw new AppError("E_NOT_FOUND", "the curator has not run yet", { hint: "agent curator run --dry-run tries it" });
  if (!ids.includes(wanted))
    throw new AppError("E_NOT_FOUND", `unknown run of the curator ${JSON.stringify(wanted.slice(0, 80))}`, {
      hint:
        ids.length === 0
          ? "the curator has not run yet"
          : `runs: ${ids.toReversed().slice(0, 5).join(", ")}; all lie in ${places.runs}`,
    });
  const bytes = readRegularFileSync(join(places.runs, wanted, "run.json"), FILE_MAX);
  const read = bytes === undefined ? undefined : parsed(bytes.toString("utf8"));
  if (read?.id === wanted) return read;
  throw new AppError("E_INVALID", `${join(places.runs, wanted, "run.json")} cannot be read`, {
    hint: "agent curator rollback restores the skills from a backup",
  });
}

/** Runs that were killed while they changed something. */
export function unsettledRuns(places: CuratorPlaces): readonly CuratorRun[] {
  return runIds(places).flatMap((id) => {
    const text = readRegularFileSync(join(places.runs, id, "run.json"), FILE_MAX)?.toString("utf8") ?? "";
    if (!/"status": "(?:applying|undoing)"/.test(text)) return [];
    return parsed(text) ?? [];
  });
}

function parsed(text: string): CuratorRun | undefined {
  try {
    return curatorRunShape.parse(JSON.parse(text));
  } catch {
    return undefined; /* ok to lose: the reader of the run says that it cannot be read */
  }
}

/** One line for a change. */
function changeLine({ n, kind, by, skill, absorbed, status, note, jobs }: CuratorChange): string {
  const what = {
    merge: `merge ${absorbed.join(", ")} into ${skill}`,
    edit: `edit ${skill || "(unreadable)"}`,
    archive: `archive ${skill}`,
    unlist: `leave the bundled skill ${skill} out of the list`,
  }[kind];
  const more = [
    by === "rule" ? "no activity" : "",
    jobs.length === 0 ? "" : `${jobs.length} scheduled ${jobs.length === 1 ? "job" : "jobs"} rewritten`,
    note,
  ].filter((text) => text !== "");
  return `${n}. ${status}: ${what}${more.length === 0 ? "" : ` (${more.join("; ")})`}`;
}

function diffOf(changes: readonly CuratorChange[]): string {
  return changes
    .filter(({ diff }) => diff !== "")
    .map((change) => `# ${changeLine(change)}\n${change.diff.replace(/\n*$/, "\n")}`)
    .join("\n");
}

/** Facts of what the model was asked, in one line. */
function modelLine({ model }: CuratorRun): string {
  const cost = model.cost_usd === null ? "" : `, $${model.cost_usd.toFixed(4)}`;
  if (model.state === "answered" || model.state === "unusable") {
    const used = `${model.model ?? "unknown model"}, ${model.input_tokens} + ${model.output_tokens} tokens${cost}`;
    return model.state === "answered" ? used : `${used}; ${model.note}`;
  }
  return `not asked: ${model.note}`.replace("not asked", model.state === "failed" ? "failed" : "not asked");
}

function reportText(run: CuratorRun): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
  return `${[
    `# Curator run ${run.id}${run.dry_run ? " (dry run)" : ""}`,
    "",
    run.summary,
    "",
    `- Started: ${run.started_at} (${run.cause})`,
    `- Duration: ${(run.duration / 1000).toFixed(1)} s`,
    `- Backup: ${run.backup ?? "none"}`,
    `- Model: ${modelLine(run)}`,
    ...section(
      "Changes",
      run.changes.flatMap((change) => [
        `- ${changeLine(change)}`,
        ...(change.why === "" ? [] : [`  Why: ${change.why}`]),
      ]),
    ),
    ...section(
      "States",
      run.transitions.map(({ name, from, to }) => `- ${name}: ${from} -> ${to}`),
    ),
    ...section(
      "Not shown to the model",
      run.left.map(({ name, why }) => `- ${name}: ${why}`),
    ),
    "",
    `agent curator show ${run.id}:N shows a change, agent curator undo ${run.id}:N reverts it.`,
  ].join("\n")}\n`;
}
