import { useEffect, useMemo } from "preact/hooks";
import { deleteCards } from "../actions/bulk.js";
import { moveCards } from "../actions/move.js";
import { type BoardController, useBoardController } from "../desk.js";
import { scrollNearEdges } from "./auto-scroll.js";
import type { DropPlace } from "./dragging.js";

/** Pixels that a mouse moves before a press is a drag, and how long a finger rests before it lifts a card. */
const SLACK = 6;
const REST_MS = 320;
interface Press {
  readonly pointer: number;
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly timer: ReturnType<typeof setTimeout> | undefined;
}

/** Lifts cards of the element that these handlers are on: a mouse by moving, a finger by resting. Everything else is on the document. */
export function useDragSource() {
  const desk = useBoardController();
  const source = useMemo(() => createSource(desk), [desk]);
  useEffect(() => source.close, [source]);
  return { onPointerDown: source.press, onDragStart: prevent };
}

const prevent = (event: Event): void => event.preventDefault();

function createSource(desk: BoardController) {
  const { drag } = desk;
  let press: Press | undefined;
  let listening = new AbortController();

  const lift = (at: Press): void => {
    const { selection } = desk.view.get();
    const ids = selection.ids.has(at.id) ? [...selection.ids] : [at.id];
    const title = desk.board.state.get().cards.get(at.id)?.title ?? at.id;
    drag.set({ ids, title, x: at.x, y: at.y, over: undefined });
    scrollNearEdges(drag.get);
  };
  const move = (event: PointerEvent): void => {
    if (press === undefined || event.pointerId !== press.pointer) return;
    const { clientX: x, clientY: y } = event;
    const far = Math.hypot(x - press.x, y - press.y) > SLACK;
    if (drag.get() === undefined) {
      if (!far) return;
      // A finger that moves before it has rested scrolls.
      if (event.pointerType === "touch") {
        end();
        return;
      }
      lift(press);
    }
    drag.update((now) => now && { ...now, x, y, over: placeAt(x, y) });
  };
  const end = (): void => {
    clearTimeout(press?.timer);
    press = undefined;
    drag.set(undefined);
    listening.abort();
  };
  const up = ({ pointerId }: PointerEvent): void => {
    if (pointerId !== press?.pointer) return;
    const now = drag.get();
    end();
    if (now === undefined) return;
    document.addEventListener("click", swallow, { capture: true, once: true });
    // A press that ends elsewhere makes no click; the next one is meant.
    setTimeout(() => document.removeEventListener("click", swallow, { capture: true }));
    if (now.over !== undefined) drop(desk, now.ids, now.over).catch(desk.services.failed);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || drag.get() === undefined) return;
    event.stopPropagation();
    end();
  };
  const hold = (event: Event): void => {
    if (drag.get() !== undefined) event.preventDefault();
  };
  return {
    close: end,
    press(event: PointerEvent): void {
      const id = cardOf(event);
      if (id === undefined || press !== undefined) return;
      const { pointerId: pointer, clientX: x, clientY: y } = event;
      const rest = event.pointerType === "touch" ? setTimeout(() => press && lift(press), REST_MS) : undefined;
      press = { pointer, id, x, y, timer: rest };
      listening = listen({ move, up, end, key, hold });
    },
  };
}

interface Heard {
  move(event: PointerEvent): void;
  up(event: PointerEvent): void;
  end(): void;
  key(event: KeyboardEvent): void;
  hold(event: Event): void;
}

/** Hear everything that happens to the pointer, wherever it is, until the answer is aborted. */
function listen({ move, up, end, key, hold }: Heard): AbortController {
  const listening = new AbortController();
  const how = { capture: true, passive: false, signal: listening.signal };
  document.addEventListener("pointermove", move, how);
  document.addEventListener("pointerup", up, how);
  document.addEventListener("pointercancel", end, how);
  document.addEventListener("keydown", key, how);
  document.addEventListener("touchmove", hold, how);
  document.addEventListener("contextmenu", hold, how);
  return listening;
}

const swallow = (event: Event): void => {
  event.preventDefault();
  event.stopPropagation();
};

/** The card that a press means; none on a button or field in it. */
function cardOf(event: PointerEvent): string | undefined {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || !(event.target instanceof Element))
    return undefined;
  if (event.target.closest("button, input, select, textarea") !== null) return undefined;
  const card = event.target.closest<HTMLElement>("[data-card]");
  return card?.dataset["card"];
}

function placeAt(x: number, y: number): DropPlace | undefined {
  const place = document.elementFromPoint(x, y)?.closest<HTMLElement>("[data-drop]");
  // Only columns and the trash carry the mark.
  return place?.dataset["drop"] as DropPlace | undefined;
}

/** Cards were let go somewhere. */
async function drop(desk: BoardController, ids: readonly string[], over: DropPlace): Promise<void> {
  if (over === "trash") return deleteCards(desk, ids);
  const { cards } = desk.board.state.get();
  if (ids.every((id) => cards.get(id)?.status === over)) return;
  await moveCards(desk, ids, over);
}
