import { AppError, toAppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { MentionedTask } from "../../chat/mentions/define.js";
import type { BoardApi } from "../../contracts/board/api.js";

/** A task by its id or the beginning of one: on the board of the session, else on the only other board that has it. @throws E_NOT_FOUND, E_AMBIGUOUS */
export async function namedTask(
  board: Pick<BoardApi, "resolve" | "boards" | "find" | "task" | "context">,
  given: string,
  env: Readonly<Record<string, string>>,
): Promise<MentionedTask> {
  const own = (await board.resolve({ env, writes: false })).board;
  const found = (await on(board, own, given)) ?? (await elsewhere(board, own, given));
  const { status } = await board.task(found.slug, found.id);
  return { id: found.id, status, text: await board.context(found.slug, found.id) };
}

type Where = NonNullable<Awaited<ReturnType<typeof on>>>;

async function on(board: Pick<BoardApi, "find">, slug: BoardSlug, given: string) {
  const id = await board.find(slug, given).catch((error: unknown) => {
    if (toAppError(error).code === "E_NOT_FOUND") return undefined;
    throw error;
  });
  return id === undefined ? undefined : { slug, id };
}

async function elsewhere(board: Pick<BoardApi, "boards" | "find">, own: BoardSlug, given: string): Promise<Where> {
  const slugs = (await board.boards()).map(({ slug }) => slug as BoardSlug); // of boards that were listed
  const found: Where[] = [];
  for (const slug of slugs) if (slug !== own) found.push(...[(await on(board, slug, given)) ?? []].flat());
  const [only, ...more] = found;
  if (only === undefined)
    throw new AppError("E_NOT_FOUND", `no such task on any board: ${given}`, { hint: "agent kanban list lists tasks" });
  if (more.length === 0) return only;
  throw new AppError("E_AMBIGUOUS", `${given} is ambiguous: ${found.map(({ id }) => id).join(", ")}`, {
    hint: "use more characters of the id",
  });
}
