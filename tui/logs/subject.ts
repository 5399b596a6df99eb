import { LOG_LEVELS } from "../../lib/contracts/ui/log-lines.js";
import type { LogView } from "./state.js";

/** What is let through. */
export function subjectOf({ filter }: LogView): string {
  const { source, level, text, session, run } = filter;
  const raw = source === "run" || source === "process";
  const name = run === undefined ? source : `${run.task} run ${run.id}`;
  return [
    name,
    ...(raw ? [] : [level === undefined || level === LOG_LEVELS.at(-1) ? "all" : level === "warning" ? "warn" : level]),
    ...(text === undefined ? [] : [`"${text}"`]),
    ...(session === undefined ? [] : ["this session"]),
  ].join(" · ");
}
