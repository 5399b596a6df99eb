import { statPath } from "../../../base/fs/files.js";
import type { ListedBoard } from "../../../contracts/board/api.js";
import { stamp } from "../../render/times.js";
import { plain } from "./task.js";

const countsOf = ({ counts }: ListedBoard): string =>
  Object.entries(counts)
    .map(([status, count]) => `${status}=${count}`)
    .join(", ");

/** One line of `boards list`. An archived board is named as `boards restore` takes it. */
export function boardLine(board: ListedBoard): string {
  const mark = board.is_current ? "●" : board.archived ? "—" : " ";
  const name = (board.archived_name ?? board.slug).padEnd(24);
  if (board.error !== undefined) return `${mark} ${name} cannot be opened: ${plain(board.error)}`;
  const notes = [board.archived ? "archived" : "", board.paused_at === null ? "" : "paused"].filter(
    (note) => note !== "",
  );
  return [`${mark} ${name} ${plain(board.name).padEnd(28)} ${countsOf(board) || "(empty)"}`, ...notes].join("  ");
}

/** All settings of a board that say something, its store and its tasks. */
export function boardText(board: ListedBoard): string {
  const paused = board.paused_at === null ? "" : pauseText(board);
  const settings = [
    ["Description", board.description],
    ["Icon", board.icon],
    ["Color", board.color],
    ["Default workdir", board.default_workdir],
    ["Max in progress", board.max_in_progress === null ? "" : String(board.max_in_progress)],
    ["Orchestration", board.orchestration ?? ""],
    ["Created", board.created_at === null ? "" : stamp(board.created_at)],
    ["Paused", paused],
  ].flatMap(([name, value]) => (value ? [`${name}: ${plain(value)}`] : []));
  const counts = countsOf(board);
  const tasks = `Tasks: ${board.total} total${counts === "" ? "" : ` (${counts})`}`;
  const broken = board.error === undefined ? [] : [`Cannot be opened: ${plain(board.error)}`];
  const head = `Board: ${board.slug} (${plain(board.name)})${board.is_current ? "  current" : ""}`;
  return [head, ...settings, `Store: ${board.store}`, ...(broken.length > 0 ? broken : [tasks])].join("\n");
}

function pauseText(board: ListedBoard): string {
  const by = board.paused_by === null ? "" : ` by ${board.paused_by}`;
  const since = board.paused_at === null ? "" : ` since ${stamp(board.paused_at)}`;
  return `yes${since}${by}${board.paused_reason === null ? "" : `: ${board.paused_reason}`}`;
}

/** A default directory that is not there yet is said, not refused: the first task makes it. */
export async function workdirWarnings(path: string | undefined): Promise<readonly string[]> {
  if (path === undefined || path === "" || (await statPath(path))?.kind === "directory") return [];
  return [`${path} does not exist yet`];
}
