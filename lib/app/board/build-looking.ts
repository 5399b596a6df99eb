import { createLooking, type LookingApi } from "../../board/queries/looking.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Stores } from "../stores/stores.js";
import { defaultBoardOf } from "./board-mover.js";

/** The part of the board that a list needs. */
export const buildLooking = ({ clock, config, home }: AppOptions, stores: Stores): LookingApi =>
  createLooking({ clock, config, home, defaultBoardOf, stores: (slug) => stores.board(slug, false) });
