import { useEffect, useMemo, useState } from "preact/hooks";
import type { BoardEvent } from "../../../../contracts/board/board.js";
import { ApiError } from "../../net/api.js";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { taskCalls } from "./calls.js";
import type { OpenTask } from "./drawer-context.js";
import { oneAtATime } from "./one-at-a-time.js";
import type { TaskPage } from "./types.js";

/** A task that is being opened. `gone`: it does not exist (any longer). */
export type TaskPageState =
  | { readonly phase: "loading" }
  | { readonly phase: "failed"; readonly problem: string; readonly gone: boolean }
  | { readonly phase: "ready"; readonly task: OpenTask };

type Loaded = { readonly page: TaskPage } | { readonly error: unknown };

/** Everything about a task, read again whenever it, or what it is linked with, changes. */
export function useTaskPage(id: string): TaskPageState {
  const { api } = useServices();
  const board = useBoard();
  const [loaded, setLoaded] = useState<Loaded | undefined>(undefined);
  const task = useMemo(() => {
    const calls = taskCalls(api, board.slug, id);
    const read = async (): Promise<void> => {
      setLoaded(
        await calls.page().then(
          (page) => ({ page }),
          (error: unknown) => ({ error }),
        ),
      );
    };
    return { calls, reload: oneAtATime(read), now: () => Date.now() / 1000 + board.state.get().ahead };
  }, [api, board, id]);
  useEffect(() => {
    setLoaded(undefined);
    task.reload().catch(() => undefined);
  }, [task]);
  useEffect(() => {
    const near = new Set([id, ...linked(loaded)]);
    return board.listen((events) => {
      if (events.some((event) => touches(event, near))) task.reload().catch(() => undefined);
    });
  }, [board, id, task, loaded]);
  if (loaded === undefined) return { phase: "loading" };
  if ("page" in loaded) return { phase: "ready", task: { id, page: loaded.page, ...task } };
  const { error } = loaded;
  const problem = error instanceof Error ? error.message : String(error);
  return { phase: "failed", problem, gone: error instanceof ApiError && error.status === 404 };
}

const linked = (loaded: Loaded | undefined): readonly string[] =>
  loaded !== undefined && "page" in loaded ? [...loaded.page.task.parents, ...loaded.page.task.children] : [];

const touches = ({ task_id, payload }: BoardEvent, near: ReadonlySet<string>): boolean =>
  near.has(task_id ?? "") || near.has(String(payload["task_id"] ?? ""));
