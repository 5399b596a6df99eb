import { useEffect, useState } from "preact/hooks";
import type { BoardRecord } from "../../../../contracts/board/board.js";
import type { Services } from "../../services.js";
import { createInOrder } from "../../state/in-order.js";

const KEY = "agent.board";

/** A board in a list of all. */
export type BoardChoice = BoardRecord & { readonly is_current: boolean; readonly total: number };

/** The board that this browser was on last. */
export const savedBoard = (): string | undefined => localStorage.getItem(KEY) ?? undefined;

/** Remember a board for this browser; the current board of the owner stays what it is. */
export function saveBoard(slug: string | undefined): void {
  if (slug === undefined) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, slug);
}

/** All boards; read again when `again` changes. */
export function useBoards({ api, failed }: Services, again: unknown): readonly BoardChoice[] {
  const [boards, set] = useState<readonly BoardChoice[]>([]);
  const [show] = useState(() => createInOrder(set));
  useEffect(() => {
    show(async () => (await api.get<{ boards: readonly BoardChoice[] }>("api/plugins/kanban/boards")).boards).catch(
      failed,
    );
  }, [api, failed, again]);
  return boards;
}
