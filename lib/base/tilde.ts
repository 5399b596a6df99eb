import { join } from "node:path";

/** A path with a leading `~` or `~/` in place of the user's home; any other path, `~name` among them, is returned as given. */
export const expandTilde = (path: string, userHome: string): string =>
  path === "~" || path.startsWith("~/") ? join(userHome, path.slice(1)) : path;
