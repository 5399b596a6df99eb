import { formatRoute } from "../../state/route.js";
import type { BoardController } from "../desk.js";

/** Address of a card's drawer, on the board that is shown. */
export const cardAddress = ({ services }: Pick<BoardController, "services">, id: string): string =>
  formatRoute({ view: "board", id, query: services.route.get().query });

/** Open the drawer of a card. */
export const openCard = (desk: Pick<BoardController, "services">, id: string): void => {
  window.location.hash = cardAddress(desk, id);
};

/** Close the drawer. */
export const closeCard = ({ services }: Pick<BoardController, "services">): void => {
  window.location.hash = formatRoute({ view: "board", query: services.route.get().query });
};
