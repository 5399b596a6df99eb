import type { PassResult } from "../../../../contracts/board/board.js";
import { passText } from "../../state/board/pass-text.js";
import type { BoardDesk } from "../desk.js";

/** One pass of the dispatcher over the board, and what it did. */
export async function runPass({ board, services }: BoardDesk): Promise<void> {
  const pass = await board.send<PassResult>("POST", "/dispatch");
  services.tell("done", passText(pass));
}
