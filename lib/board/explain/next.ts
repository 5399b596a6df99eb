import type { BoardSlug } from "../../base/units.js";
import type { NextTask, Obstacle, StartForecast } from "../../contracts/board/explain.js";
import type { Core } from "../core/core.js";
import { portsOf } from "../core/ports.js";

/** Ready tasks in dispatch order, each with what a pass would do with it now (board part, 19.2). Writes nothing. @throws E_STORE */
export async function next(
  core: Core,
  board: BoardSlug,
  options: { limit?: number | undefined } = {},
): Promise<readonly NextTask[]> {
  await core.reading(board); // a store that cannot be opened is an error here; the passes that are foreseen leave it out
  const { forecast } = portsOf(core);
  const state = forecast.state();
  const found = (await forecast.forecastStarts(options.limit)).get(board) ?? [];
  const idle =
    state === "dispatching"
      ? undefined
      : state === "absent"
        ? ("dispatcher_absent" as const)
        : ("dispatcher_disabled" as const);
  return found.slice(0, options.limit).map((one) =>
    rowOf(
      one,
      one.obstacles.find((met) => idle === undefined || !CAPS.has(met.code)),
      idle,
    ),
  );
}

/** Where nothing starts workers, no task waits for a slot. */
const CAPS: ReadonlySet<string> = new Set(["cap_profile", "cap_board", "cap_global"]);

function rowOf(
  one: StartForecast,
  obstacle: Obstacle | undefined,
  idle: "dispatcher_absent" | "dispatcher_disabled" | undefined,
): NextTask {
  const { id, title, assignee, priority } = one;
  const row = { task_id: id, title, assignee, priority };
  if (obstacle === undefined)
    return idle === undefined ? { ...row, verdict: "start" } : { ...row, verdict: "wait", code: idle };
  return {
    ...row,
    verdict: "wait",
    code: obstacle.code,
    ...(obstacle.until === undefined ? {} : { until: obstacle.until }),
  };
}
