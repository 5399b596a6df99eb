import { queryOf, readAddress, type UsualView, withAddress } from "../state/board/address.js";
import type { BoardDesk } from "./desk.js";

/** Keep the filters of a board and its address alike: what is chosen is written, and another address is followed. @returns ends it */
export function followAddress(desk: Pick<BoardDesk, "services" | "view" | "board">, usual: UsualView): () => void {
  const { services, view, board } = desk;
  const { route, readdress } = services;
  const isHere = (): boolean => route.get().view === "board";
  const read = (): void => {
    if (!isHere()) return;
    const before = view.get().archived;
    view.update((now) => withAddress(now, readAddress(route.get(), usual)));
    if (view.get().archived && !before) board.reload({ archived: true }).catch(services.failed);
  };
  const write = (): void => {
    if (isHere()) readdress(queryOf(view.get(), usual));
  };
  read();
  const leave = [route.subscribe(read), view.subscribe(write)];
  return () => {
    for (const one of leave) one();
  };
}
