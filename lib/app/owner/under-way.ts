import { toAppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { StoppedWorkers, UnderWay } from "../../contracts/owner/owner.js";
import type { BoardParts } from "../board/build-board.js";
import type { OwnerParts } from "./owner-parts.js";

const DISPATCHER_STOP_MS = 5_000;
const USER: Actor = { kind: "human", name: "user" };

/** What was not used yet has nothing under way; asking must not load it. */
export async function underWayOf({ chats, boards }: OwnerParts): Promise<UnderWay> {
  const [chat, board] = await Promise.all([chats.peek(), boards.peek()]);
  const own = (await chat?.underWay()) ?? { turns: [], children: [], processes: [] };
  const workers = board === undefined ? [] : await workersOf(board);
  return { ...own, workers: workers.map(({ task }) => task) };
}

/** The dispatcher first: a task that is given back would be claimed again at once. */
export async function stopWorkers({ boards }: OwnerParts): Promise<StoppedWorkers> {
  const parts = await boards.peek();
  if (parts === undefined) return { stopped: [], kept: [] };
  const workers = await workersOf(parts);
  await parts.dispatcher.stop(DISPATCHER_STOP_MS);
  const stopped: string[] = [];
  const kept: { task: string; why: string }[] = [];
  for (const { slug, task } of workers) {
    try {
      await parts.board.reclaim(slug, task, "stopped together with the owner", USER);
      stopped.push(task);
    } catch (error) {
      kept.push({ task, why: toAppError(error).message });
    }
  }
  return { stopped, kept };
}

async function workersOf({ board }: BoardParts): Promise<readonly { slug: BoardSlug; task: TaskId }[]> {
  const slugs = await board.slugs();
  const runs = await Promise.all(slugs.map(async (slug) => (await board.openRuns(slug)).map((run) => ({ slug, run }))));
  return runs
    .flat()
    .flatMap(({ slug, run }) => (run.external || run.worker_pid === null ? [] : [{ slug, task: run.task_id }]));
}
