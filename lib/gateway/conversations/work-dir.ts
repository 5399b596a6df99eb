import { resolve } from "node:path";
import type { AppOptions } from "../../config/app-options.js";
import { TERMINAL_CWD } from "../../tools/core/keys.js";

/** Where turns begin that no one starts at a terminal: what `terminal.cwd` says, seen from the user's own directory. */
export const workDirOf = ({ config, home }: Pick<AppOptions, "config" | "home">): string =>
  resolve(config.outer["HOME"] ?? home.dir, config.get(TERMINAL_CWD));
