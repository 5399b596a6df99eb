import { dirname } from "node:path";
import { isStored } from "../../../storage/stored.js";
import { getSettings, type SettingsRow } from "../../../storage/tables/board/settings.js";
import { listDirectory, statPath } from "../../base/fs/files.js";
import type { BoardSlug } from "../../base/units.js";
import { defaultBoardSettings } from "./blank.js";
import type { BoardLookup } from "./core.js";
import { boardDir, storePath } from "./places.js";
import { parseSlug } from "./slug.js";

/** Slugs of all boards, `default` first: it always exists, with or without a store. */
export async function knownBoards(core: Pick<BoardLookup, "home">): Promise<ReadonlySet<string>> {
  const dir = dirname(boardDir(core.home.root, "x"));
  if ((await statPath(dir)) === undefined) return new Set(["default"]);
  const entries = await listDirectory(dir);
  const names = entries.map((entry) => entry.name).filter(isBoardName);
  const found: string[] = [];
  for (const name of names.sort()) if (await hasStore(core, name)) found.push(name);
  return new Set(["default", ...found]);
}

/** A board of which only the journal is left is damaged, and not one that was never made. */
async function hasStore(core: Pick<BoardLookup, "home">, slug: string): Promise<boolean> {
  const path = storePath(core.home.root, slug);
  if ((await statPath(path)) !== undefined) return true;
  const dir = dirname(path);
  const names = (await statPath(dir)) === undefined ? [] : (await listDirectory(dir)).map(({ name }) => name);
  return isStored(path, () => names);
}

/** The board is one of `knownBoards`, without looking at the others. */
export async function isKnownBoard(core: Pick<BoardLookup, "home">, slug: string): Promise<boolean> {
  return slug === "default" || (isBoardName(slug) && (await hasStore(core, slug)));
}

const isBoardName = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(name);

/** Boards that have a store. */
export async function writtenBoards(core: Pick<BoardLookup, "home">): Promise<readonly BoardSlug[]> {
  const known = [...(await knownBoards(core))];
  const made: BoardSlug[] = [];
  for (const slug of known) if (await hasStore(core, slug)) made.push(parseSlug(slug));
  return made;
}

/** Settings in force: the stored ones, or the defaults. */
export async function readBoardSettings(core: Pick<BoardLookup, "reading">, board: BoardSlug): Promise<SettingsRow> {
  const store = await core.reading(board);
  return (store === undefined ? undefined : await store.read(getSettings)) ?? defaultBoardSettings(board);
}

/** The board chosen by `boards switch`; undefined when none was. Every call of a board asks, so most often it costs one look at the file. */
export async function currentBoard(core: Pick<BoardLookup, "current">): Promise<string | undefined> {
  return core.current.read();
}
