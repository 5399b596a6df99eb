import { toAppError } from "../../../../lib/base/errors.js";
import { readAtMostSync } from "../../../../lib/base/fs/files.js";
import { exists, readFileMode, readFileSize } from "../../../../lib/base/fs/home-files.js";
import { replaceSettings } from "../../../../lib/base/fs/text-file.js";
import { CALLBACK_SERVER, CALLBACK_VARIABLES } from "../../../../lib/contracts/runtimes/callback-wire.js";
import type { MigrationNote, MigrationReport } from "../../../../lib/contracts/runtimes/switch.js";
import { rewriteBlock, SettingsTomlError, type Wanted } from "./document.js";
import { type OurServers, OWN_KEYS, serverTables } from "./servers.js";
import type { TableValues } from "./toml-text.js";

/** Longest settings file that is read. */
const MAX_BYTES = 4 << 20;
/** Times that the file is read again because the program wrote it meanwhile. */
const TRIES = 3;

export interface Migration {
  /** `config.toml` of the app-server. */
  readonly file: string;
  readonly servers: OurServers;
  /** How the program starts the callback tool server. */
  readonly callback: { readonly command: string; readonly args: readonly string[] };
  /** Ids of the plugins that are installed, or why they could not be listed. */
  readonly plugins: readonly string[] | { readonly problem: string };
}

/**
 * Write our servers and plugins into the managed block of the app-server's settings. In one step: a process that is killed leaves the old file or the
 * new one. Never throws for what the files hold: that is in the report.
 */
export function migrate(migration: Migration): MigrationReport {
  return work(migration, (file, text, isPrivate) => {
    const mode = exists(file) ? readFileMode(file) : 0o600;
    replaceSettings(file, text, isPrivate ? mode & 0o700 : mode);
  });
}

/** What `migrate` would report; nothing is written. */
export const planMigration = (migration: Migration): MigrationReport => work(migration, () => undefined);

type Write = (file: string, text: string, isPrivate: boolean) => void;

function work(migration: Migration, write: Write): MigrationReport {
  const { file, plugins } = migration;
  const { tables, notes: ofServers } = serverTables(migration.servers);
  const listed = Array.isArray(plugins) ? (plugins as readonly string[]) : undefined; // the other form is an object
  const wanted: Wanted = {
    servers: new Map([[CALLBACK_SERVER, callbackTable(migration)], ...tables]),
    ownKeys: OWN_KEYS,
    plugins: listed,
  };
  const notes: MigrationNote[] = [...ofServers];
  if ("problem" in plugins)
    notes.push({ name: "", kind: "error", text: `plugins were left as they are: ${plugins.problem}` });
  try {
    const { changed, conflicts } = rewrite(file, wanted, write);
    for (const name of conflicts)
      notes.push({ name, kind: "skipped", text: `${file} has a table of its own for it, which is left alone` });
    const servers = [...tables.keys()].filter((name) => !conflicts.includes(name));
    return { file, changed, servers, plugins: listed ?? [], notes };
  } catch (error) {
    const message = error instanceof SettingsTomlError ? error.message : toAppError(error).message;
    return { file, changed: false, servers: [], plugins: [], notes, error: message };
  }
}

function rewrite(file: string, wanted: Wanted, write: Write): { changed: boolean; conflicts: readonly string[] } {
  const isPrivate = [...wanted.servers.values()].some((table) => "env" in table || "http_headers" in table);
  for (let attempt = 1; ; attempt++) {
    const before = readSettings(file);
    const { text, changed, conflicts } = rewriteBlock(before, wanted);
    if (!changed) return { changed, conflicts };
    if (readSettings(file) !== before) {
      if (attempt < TRIES) continue;
      throw new SettingsTomlError("another program keeps changing it; try again");
    }
    write(file, text, isPrivate);
    return { changed, conflicts };
  }
}

function readSettings(file: string): string {
  if (!exists(file)) return "";
  if (readFileSize(file) > MAX_BYTES) throw new SettingsTomlError(`larger than ${MAX_BYTES >> 20} MB`);
  const bytes = readAtMostSync(file, MAX_BYTES);
  if (bytes === undefined) throw new SettingsTomlError("it cannot be read");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw new SettingsTomlError("not UTF-8");
    throw error;
  }
}

const callbackTable = ({ callback }: Migration): TableValues => ({
  command: callback.command,
  args: [...callback.args],
  env_vars: [...CALLBACK_VARIABLES],
  default_tools_approval_mode: "approve",
  startup_timeout_sec: 30,
  tool_timeout_sec: 600,
});
