import { useEffect } from "preact/hooks";
import { useServices } from "../../services.js";
import { createStore } from "../../state/store.js";
import { useStore } from "../../state/use-store.js";
import type { Board } from "../board.js";
import { useBoard } from "../board-context.js";

/** `GET /orchestration`. Empty names are not set; the resolved ones hold then. */
export interface Orchestration {
  readonly orchestrator_profile: string;
  readonly default_assignee: string;
  readonly auto_decompose: boolean;
  readonly auto_promote_children: boolean;
  readonly resolved_orchestrator_profile: string;
  readonly resolved_default_assignee: string;
  readonly active_profile: string;
}

/** What can be changed of it. */
export type OrchestrationChange = Partial<
  Pick<Orchestration, "orchestrator_profile" | "default_assignee" | "auto_decompose" | "auto_promote_children">
>;

/** One for the page: the settings are those of the home, not of a board. Undefined until they are known. */
const settings = createStore<Orchestration | undefined>(undefined);
let asked: Board | undefined;

/** How tasks are decomposed and routed; read with the board that asks first. */
export function useOrchestration(): Orchestration | undefined {
  const board = useBoard();
  const { failed } = useServices();
  useEffect(() => {
    if (asked === board) return;
    asked = board;
    readOrchestration(board).catch(failed);
  }, [board]);
  return useStore(settings, (now) => now);
}

/** Read it anew. */
export async function readOrchestration(board: Board): Promise<void> {
  settings.set(await board.get<Orchestration>("/orchestration"));
}

/** Change some of it; the answer is shown everywhere. */
export async function changeOrchestration(board: Board, change: OrchestrationChange): Promise<void> {
  settings.set(await board.send<Orchestration>("PUT", "/orchestration", change));
}
