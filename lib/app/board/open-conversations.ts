import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { BoardSlug } from "../../base/units.js";
import type { OpenConversations } from "../../chat/transcript/transcript-recovery.js";
import type { BoardParts } from "./build-board.js";

type Boards = Pick<BoardParts["board"], "slugs" | "openRuns">;

/** The conversations that open runs of all boards name. */
export async function openConversations(log: Log, board: Boards): Promise<OpenConversations> {
  const known = await Promise.all((await board.slugs()).map((slug) => openRunsOf(log, board, slug)));
  const runs = known.flatMap((found) => found ?? []);
  return { named: new Set(runs.flatMap((run) => run.session_id ?? [])), all: !known.includes(undefined) };
}

/** Open runs of a board; undefined of one whose store cannot be opened, which must not keep the others waiting. */
async function openRunsOf(log: Log, board: Boards, slug: BoardSlug) {
  try {
    return await board.openRuns(slug);
  } catch (error) {
    const { code, message } = toAppError(error);
    log.warning("cannot list the open runs of a board; worker turns stay open until it can", {
      board: slug,
      code,
      message,
    });
    return undefined;
  }
}
