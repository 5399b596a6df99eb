import { basename, dirname, join } from "node:path";
import type { Store } from "../../../storage/store.js";
import { moveScratch, scratchPaths } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { listNames, moveDir, pathExists, removeFileSync } from "../../base/fs/directory.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import type { BoardSlug } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import type { ListedBoard } from "../../contracts/board/boards.js";
import { type Core, type Stamp, toStamp } from "../core/core.js";
import { isKnownBoard } from "../core/known.js";
import { boardDir } from "../core/places.js";
import { parseSlug } from "../core/slug.js";
import { type Archived, archivedBoards } from "./archived.js";
import { listedOrBroken } from "./listing.js";
import { requireBoardMover } from "./remove.js";

/**
 * Bring an archived board back. Everything in it is made ready where it lies; the rename, one step, makes it a board again.
 *
 * @param given its archived name, or a slug: then the newest copy of that board
 */
export async function restoreBoard(
  core: Core,
  given: string,
  params: { readonly as?: string | undefined },
  by: Actor,
): Promise<{ board: ListedBoard; warnings: readonly string[] }> {
  const from = find(core, given.trim());
  const slug = params.as === undefined ? from.slug : parseSlug(params.as);
  return core.lanes.take(`board ${slug}`, async () => {
    await mustBeFree(core, slug, "--as <slug> restores it under another slug");
    const warnings = await core.gate.alone(slug, async () => {
      const said = await prepare(core, from, slug, toStamp(core, by));
      moveDir(from.dir, boardDir(core.home.root, slug));
      return said;
    });
    removeFileSync(join(boardDir(core.home.root, slug), "archived.json"));
    return { board: await listedOrBroken(core, slug), warnings };
  });
}

function find(core: Core, given: string): Archived {
  const all = archivedBoards(core.home.root);
  const found = all.find((one) => one.name === given) ?? all.find((one) => one.slug === parseSlug(given));
  if (found !== undefined) return found;
  throw new AppError("E_BOARD_NOT_FOUND", `no archived board '${given}'`, {
    hint: "agent kanban boards list --all lists them",
  });
}

/** @throws E_CONFLICT there is such a board, or its directory is in the way */
export async function mustBeFree(core: Core, slug: BoardSlug, hint: string): Promise<void> {
  if (await isKnownBoard(core, slug))
    throw new AppError("E_CONFLICT", `board '${slug}' already exists`, { slug, hint });
  const dir = boardDir(core.home.root, slug);
  if (pathExists(dir) && listNames(dir).length > 0)
    throw new AppError("E_CONFLICT", `${dir} already exists`, {
      path: dir,
      hint: "it is not a board; move it away, then repeat the command",
    });
}

/** Paths inside the board follow it to its new place. Doing it twice is doing it once. */
async function prepare(core: Core, from: Archived, slug: BoardSlug, stamp: Stamp): Promise<readonly string[]> {
  let store: Store | undefined;
  try {
    store = await requireBoardMover(core).openAt(join(from.dir, "kanban.db"));
    await follow(core, store, { from, slug, stamp });
    return [];
  } catch (error) {
    if (!(error instanceof AppError && error.code === "E_STORE")) throw error;
    return [`cannot open its store: ${error.message}`];
  } finally {
    await store?.close();
  }
}

async function follow(core: Core, store: Store, to: { from: Archived; slug: BoardSlug; stamp: Stamp }): Promise<void> {
  const { from, slug, stamp } = to;
  const boards = dirname(boardDir(core.home.root, "x"));
  const target = join(boardDir(core.home.root, slug), "workspaces");
  const moved = (await store.read(scratchPaths)).filter(
    ({ id, path }) => basename(path) === id && dirname(dirname(dirname(path))) === boards && path !== join(target, id),
  );
  if (from.slug !== slug)
    for (const name of listNames(join(from.dir, "workspaces"))) remark(join(from.dir, "workspaces", name), slug);
  await store.write("board.restore", async (tx) => {
    for (const { id } of moved) await moveScratch(tx, id, join(target, id));
    tx.emit({
      kind: "board_updated",
      at: stamp.at,
      actor: stamp.actor,
      payload: { archived: false, slug, restored_from: from.name },
    });
  });
}

/** The marker of a workspace names its board, and only then it may be removed one day. */
function remark(dir: string, slug: BoardSlug): void {
  const path = join(dir, ".agent-workspace");
  const text = readTextSync(path);
  if (text === undefined) return;
  try {
    replaceTextFile(path, `${JSON.stringify({ ...JSON.parse(text), board: slug })}\n`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // a marker that cannot be read marks nothing
  }
}
