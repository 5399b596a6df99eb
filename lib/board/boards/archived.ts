import { join } from "node:path";
import * as z from "zod";
import { listNames, pathExists, removeDir } from "../../base/fs/directory.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { BoardSlug, UnixSeconds } from "../../base/units.js";
import type { ListedBoard } from "../../contracts/board/boards.js";
import { defaultBoardSettings } from "../core/blank.js";
import { archivedRoot } from "../core/places.js";
import { parseSlug } from "../core/slug.js";

/** An archived board on the disk. */
export interface Archived {
  /** `<slug>-<unix>[-n]` */
  readonly name: string;
  readonly slug: BoardSlug;
  readonly at: UnixSeconds;
  readonly dir: string;
}

/** What an archived board tells about itself without being opened, beside its store. */
const NOTE = "archived.json";
/** Time of the archiving with at least nine digits, then a short number: `a-1700000000-2` is the second `a` of that second. */
const NAME = /^(.+)-(\d{9,12})(?:-(\d{1,4}))?$/;
/** Directories that are being removed or made begin with it; nothing else looks at them. */
const HIDDEN = ".";

/** Archived boards, newest first. */
export function archivedBoards(root: string): readonly Archived[] {
  const base = archivedRoot(root);
  const found = listNames(base).flatMap((name): (Archived & { n: number })[] => {
    const [, slug, at, n] = NAME.exec(name) ?? [];
    if (slug === undefined || name.startsWith(HIDDEN) || !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(slug)) return [];
    return [{ name, slug: parseSlug(slug), at: Number(at), n: Number(n ?? 1), dir: join(base, name) }];
  });
  return found.sort((a, b) => b.at - a.at || b.n - a.n || a.name.localeCompare(b.name));
}

/** A free name for a board that is archived at `at`. */
export function archiveName(root: string, slug: string, at: UnixSeconds): string {
  const free = (n: number): string => {
    const name = n === 1 ? `${slug}-${at}` : `${slug}-${at}-${n}`;
    return pathExists(join(archivedRoot(root), name)) ? free(n + 1) : name;
  };
  return free(1);
}

/** A hidden name beside the archived boards, for a directory that is about to be removed. */
export const trashName = (slug: string, unique: string): string => `${HIDDEN}removed-${slug}-${unique}`;

/** Remove what an interrupted removal left. */
export function sweepTrash(root: string): void {
  const base = archivedRoot(root);
  for (const name of listNames(base)) if (name.startsWith(`${HIDDEN}removed-`)) removeDir(join(base, name));
}

/** Leave beside the store of a board that is about to be archived what a list of archived boards shows. */
export function writeNote(dir: string, board: ListedBoard): void {
  const { store: _store, is_current: _current, error: _error, ...kept } = board;
  replaceTextFile(join(dir, NOTE), `${JSON.stringify(kept)}\n`, 0o600);
}

const count = z.number().int().min(0);
const text = z.string();
const note = z.object({
  name: text,
  description: text,
  icon: text,
  color: text,
  default_workdir: text,
  created_at: count.nullable(),
  orchestration: z.enum(["auto", "manual"]).nullable(),
  max_in_progress: count.nullable(),
  paused_at: count.nullable(),
  paused_by: text.nullable(),
  paused_reason: text.nullable(),
  counts: z.record(text, count),
  total: count,
});

/** An archived board as lists show it. Without a readable note it has its name and nothing else. */
export function listedArchived(one: Archived): ListedBoard {
  const kept = note.safeParse(parseJson(readTextSync(join(one.dir, NOTE))));
  const known = kept.success ? kept.data : { ...defaultBoardSettings(one.slug), counts: {}, total: 0 };
  const place = { store: join(one.dir, "kanban.db"), is_current: false, archived_name: one.name, archived_at: one.at };
  return { slug: one.slug, ...known, archived: true, ...place };
}

function parseJson(given: string | undefined): unknown {
  try {
    return given === undefined ? undefined : JSON.parse(given);
  } catch {
    /* ok to lose: the note only saves opening the store; without it the board is listed by its name. */
    return undefined;
  }
}
