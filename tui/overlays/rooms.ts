import type { Room } from "../state.js";
import { MODELS_ROOM } from "./models/update.js";
import { PALETTE_ROOM } from "./palette/room.js";
import { QUIT_ROOM } from "./quit/update.js";
import { SESSIONS_ROOM } from "./sessions/room.js";

/** Answers of the owner and of dialogs to what stands above the panes. */
export const OVERLAY_ROOMS: readonly Room[] = [QUIT_ROOM, PALETTE_ROOM, SESSIONS_ROOM, MODELS_ROOM];
