import { AppError } from "../../base/errors.js";
import type { ArchivedSkill, CuratorRun, CuratorStatus, SkillBackup } from "../../contracts/skills/curator.js";

const minutes = (instant: string): string => instant.slice(0, 16).replace("T", " ");

/** The status as people read it. */
export function statusText(status: CuratorStatus): string {
  const { skills } = status;
  const count = (state: string) => skills.filter((one) => one.state === state).length;
  const pinned = skills.filter((one) => one.pinned).length;
  const made = skills.map(
    ({ name, state, uses, views, pinned: kept, last_activity_at: active }) =>
      `  ${name}  ${state}${kept ? ", pinned" : ""}, ${uses} uses, ${views} views, last active ${active === null ? "unknown" : active.slice(0, 10)}`,
  );
  return [
    `Curator: ${stateWord(status)}`,
    `Last run: ${status.run_count === 0 || status.last_run_at === null ? "never" : `${minutes(status.last_run_at)} UTC. ${status.last_run_summary ?? ""}`}`,
    `Next run: ${status.next_run_at === null ? "none" : `${minutes(status.next_run_at)} UTC at the earliest`}`,
    `Changes: ${status.apply === "auto" ? "applied at once" : "wait for agent curator apply"}`,
    `Backups: ${status.backups}`,
    `Skills made by the agent: ${skills.length} (${count("active")} active, ${count("stale")} stale, ${pinned} pinned), ${status.archived} archived`,
    ...made,
    ...(status.unlisted.length === 0 ? [] : [`Bundled skills not listed: ${status.unlisted.join(", ")}`]),
  ].join("\n");
}

function stateWord({ enabled, paused, running }: CuratorStatus): string {
  if (running) return "running";
  if (!enabled) return "off (curator.enabled)";
  return paused ? "paused" : "on";
}

/** A run with its changes, without their diffs. */
export function runText(run: CuratorRun): string {
  return [
    `Run ${run.id}${run.dry_run ? " (dry run)" : ""}: ${run.summary}`,
    ...run.changes.map((change) => `  ${lineOf(change)}`),
    `Report: ${run.report}`,
    ...(run.changes.some(({ status }) => status === "proposed")
      ? [`agent curator show ${run.id} shows the differences, agent curator apply ${run.id} applies the changes.`]
      : []),
  ].join("\n");
}

function lineOf({ n, kind, skill, absorbed, status, note, why }: CuratorRun["changes"][number]): string {
  const what = {
    merge: `merge ${absorbed.join(", ")} into ${skill}`,
    edit: `edit ${skill === "" ? "(unreadable)" : skill}`,
    archive: `archive ${skill}`,
    unlist: `leave the bundled skill ${skill} out of the list`,
  }[kind];
  const reason = note === "" ? why : note;
  return `${n}. ${status}: ${what}${reason === "" ? "" : ` (${reason})`}`;
}

/** A run with the differences of its changes, or of one. */
export function differencesText(run: CuratorRun, n: number | undefined): string {
  const shown = run.changes.filter((one) => n === undefined || one.n === n);
  const diffs = shown.flatMap((change) => [lineOf(change), ...(change.diff === "" ? [] : [change.diff.trimEnd()]), ""]);
  if (n !== undefined) return diffs.join("\n").trimEnd();
  return [`Run ${run.id}${run.dry_run ? " (dry run)" : ""}: ${run.summary}`, "", ...diffs].join("\n").trimEnd();
}

/** Backups, newest first. */
export function backupsText(backups: readonly SkillBackup[]): string {
  if (backups.length === 0) return "No backups of the skills.";
  return backups
    .map(({ id, files, bytes, reason }) => `${id}  ${files} files, ${Math.ceil(bytes / 1024)} KB  ${reason}`)
    .join("\n");
}

/** Archived skills. */
export function archivedText(skills: readonly ArchivedSkill[]): string {
  if (skills.length === 0) return "No archived skills.";
  return skills
    .map(({ name, path }) => (path === "" ? `${name}  (bundled, not listed in the prompt)` : `${name}  ${path}`))
    .join("\n");
}

/** `RUN[:N]`. @throws E_USAGE */
export function changeNamed(given: string): { readonly id: string; readonly n: number | undefined } {
  const [id = "", n, ...more] = given.split(":");
  if (id === "" || more.length > 0 || (n !== undefined && !/^[1-9]\d{0,5}$/.test(n)))
    throw new AppError("E_USAGE", `${JSON.stringify(given.slice(0, 80))} does not name a change`, {
      hint: "RUN, or RUN:N for change N, e.g. 2026-11-28T21-45-16Z:2",
    });
  return { id, n: n === undefined ? undefined : Number(n) };
}
