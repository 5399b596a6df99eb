import type { ScreenStart } from "../../lib/proto/screen-start.js";

/** What is said while nothing was said yet; undefined: it is not known, or not needed. */
export type StartState = ScreenStart | undefined;
