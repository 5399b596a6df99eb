import { join } from "node:path";
import { readPlain } from "../base/fs/files.js";

/** A script of two lines; anything larger is another program. */
const MOST_BYTES = 4_096;

/** Script that starts `agent` with a profile, `~/.local/bin/<name>` (housekeeping part, 2.1); null: there is none, or it is another program. */
export function findAlias(personHome: string, profile: string): string | null {
  if (personHome === "") return null;
  const path = join(personHome, ".local", "bin", profile);
  const script = readPlain(path, MOST_BYTES)?.toString("utf8") ?? "";
  return script.startsWith("#!") && script.includes(` -p ${profile} "$@"`) ? path : null;
}
