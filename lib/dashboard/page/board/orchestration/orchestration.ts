import { useEffect } from "preact/hooks";
import type { BoardRecord } from "../../../../contracts/board/board.js";
import { useServices } from "../../services.js";
import { createInOrder } from "../../state/in-order.js";
import { createStore } from "../../state/store.js";
import { useStore } from "../../state/use-store.js";
import type { PageBoard } from "../board.js";
import { useBoard, useBoardState } from "../board-context.js";

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

/** What boards say in place of the setting, by their slugs; null: nothing. */
const overrides = createStore<ReadonlyMap<string, "auto" | "manual" | null>>(new Map());

/** What the shown board says in place of the setting; null: nothing. */
export function useOverride(): "auto" | "manual" | null {
  const shown = useBoardState(({ board }) => board);
  return useStore(overrides, (all) => all.get(shown) ?? null);
}

/** Whether the model is asked by itself about triage tasks of the shown board. Undefined: not known yet. */
export function useAuto(): boolean | undefined {
  const override = useOverride();
  const now = useOrchestration();
  return override === null ? now?.auto_decompose : override === "auto";
}

/** One for the page: the settings are those of the home, not of a board. Undefined until they are known. */
const settings = createStore<Orchestration | undefined>(undefined);
let asked: PageBoard | undefined;

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

const show = createInOrder(settings.set);
const showOverrides = createInOrder((boards: readonly BoardRecord[]) => {
  overrides.set(new Map(boards.map(({ slug, orchestration }) => [slug, orchestration])));
});

/** Read it again. */
export async function readOrchestration(board: PageBoard): Promise<void> {
  await show(() => board.get<Orchestration>("/orchestration"));
  await showOverrides(async () => (await board.get<{ boards: readonly BoardRecord[] }>("/boards")).boards);
}

/** Change some of it; the answer is shown everywhere. */
export async function changeOrchestration(board: PageBoard, change: OrchestrationChange): Promise<void> {
  await show(() => board.send<Orchestration>("PUT", "/orchestration", change));
}
