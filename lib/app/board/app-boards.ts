import type { Store } from "../../../storage/store.js";
import type { Once } from "../../base/async/lazy.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BoardApi } from "../../contracts/board/api.js";
import { lazyBoard, lookingBoard } from "../lazy/lazy-board.js";
import type { Stores } from "../stores/stores.js";
import type { BoardContext, BoardParts } from "./build-board.js";

const STOP_MS = 5_000;

/** The boards as commands use them. A process that only reads lists tasks without loading the rest of the board. */
export function createBoardApi(options: AppOptions, stores: Stores, boards: Once<BoardParts>): BoardApi {
  const whole = lazyBoard(async () => (await boards()).board);
  if (options.kind !== "readonly") return whole;
  const looking = async () => (await import("./build-looking.js")).buildLooking(options, stores);
  return lookingBoard(looking, whole);
}

/** Load and build the boards of this process; nothing of them runs yet. */
export async function openBoards(
  options: AppOptions,
  stores: Stores,
  around: Pick<BoardContext, "models" | "notifier" | "tools">,
): Promise<BoardParts> {
  const { buildBoard } = await import("./build-board.js");
  const redactor = async () =>
    (await import("../../runtime/known-secrets.js")).logRedactor(options.config, options.home);
  // A process that only reads writes nothing that could hold a secret.
  const redact = options.kind === "readonly" ? (text: string) => text : await redactor();
  return buildBoard(options, stores, { ...around, redact, redactor });
}

/** Start the services of the boards, then close the turns of workers whose runs have ended: only now it is known which workers live. */
export async function startBoards(options: AppOptions, sessions: Store, parts: BoardParts): Promise<void> {
  const { board, dispatcher, deliverer, autoGc, planner } = parts;
  await dispatcher.start();
  await planner.start();
  await deliverer.start();
  await autoGc.start();
  const { closeTurnsOfEndedRuns } = await import("../../chat/transcript/transcript-recovery.js");
  const { openConversations } = await import("./open-conversations.js");
  await closeTurnsOfEndedRuns(sessions, options.clock, () => openConversations(options.log, board));
}

/** Stop what `startBoards` started, the dispatcher last; workers continue. */
export async function stopBoards(parts: BoardParts | undefined): Promise<void> {
  await parts?.deliverer.stop(STOP_MS);
  await parts?.autoGc.stop(STOP_MS);
  parts?.board.endPlanning();
  await parts?.planner.stop(STOP_MS);
  await parts?.dispatcher.stop(STOP_MS);
}
