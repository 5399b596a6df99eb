import type { PassResult } from "../../../contracts/board/board.js";

const COUNTERS = ["reclaimed", "promoted", "due", "skipped_capped", "skipped_paused"] as const;
const LISTS = [
  "crashed",
  "timed_out",
  "stale",
  "rate_limited",
  "protocol_violations",
  "auto_blocked",
  "auto_assigned_default",
] as const;

/** What a pass did, for people: a line per counter, per start and per task that was passed over. None when it did nothing. */
export function passLines(pass: PassResult): string[] {
  return [
    ...COUNTERS.flatMap((name) => (pass[name] === 0 ? [] : [`${label(name)}: ${pass[name]}`])),
    ...LISTS.flatMap((name) =>
      pass[name].length === 0 ? [] : [`${label(name)}: ${pass[name].length} (${pass[name].join(", ")})`],
    ),
    ...(pass.spawned.length === 0 ? [] : [`${pass.dry_run ? "would start" : "spawned"}: ${pass.spawned.length}`]),
    ...pass.spawned.map(
      (one) => `  - ${one.task_id}  ->  ${one.assignee}  @ ${one.workspace ?? "-"}${pass.dry_run ? " (dry)" : ""}`,
    ),
    ...pass.skipped_unassigned.map((id) => `skipped ${id}: external, without an assignee`),
    ...pass.skipped_nonspawnable.map((id) => `skipped ${id}: assignee is not a profile, or works externally`),
    ...pass.skipped_per_profile_capped.map(
      (one) => `skipped ${one.task_id}: ${one.assignee} already has ${one.current} running`,
    ),
    ...pass.respawn_guarded.map(
      (one) => `skipped ${one.task_id}: ${GUARDS[one.reason] ?? one.reason} until ${utc(one.until)}`,
    ),
  ];
}

const GUARDS: Readonly<Record<string, string>> = {
  rate_limit_cooldown: "provider rate limited",
  retry_backoff: "retry delay after failures",
};

const utc = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

const label = (name: string): string => name.replaceAll("_", " ");
