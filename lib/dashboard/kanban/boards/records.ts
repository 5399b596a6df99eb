import { isAbsolute, normalize } from "node:path";
import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { expandTilde } from "../../../base/tilde.js";
import type { BoardSlug } from "../../../base/units.js";
import { listedBoardShape } from "../../../contracts/wire/shapes/boards.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { switchOf } from "../../../http/query.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardToChange, DASHBOARD } from "../request/asked.js";

const tag = "boards";
const slug = z.object({ slug: z.string().describe("board") });
const text = z.string().optional();
const answer = z.object({ board: listedBoardShape });

/** The board that the path names: a pin of the owner does not count. */
export const findNamedBoard = (parts: KanbanParts, given: string): Promise<BoardSlug> =>
  boardToChange(parts, { board: given });

/** The board that commands use when they name none. */
async function currentOf({ board }: Pick<KanbanParts, "board">): Promise<string> {
  return (await board.boards()).find((one) => one.is_current)?.slug ?? "default";
}

/** Boards as records: what they are called, what is in them, and getting rid of them. */
export const BOARD_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/boards",
    summary: "List the boards.",
    tag,
    query: z.object({ include_archived: switchOf("include archived boards") }),
    answer: z.object({ boards: z.array(listedBoardShape), current: z.string() }),
    run: async ({ query }, { board }: KanbanParts) => {
      const boards = await board.boards({ archived: query.include_archived });
      return { json: { boards, current: boards.find((one) => one.is_current)?.slug ?? "default" } };
    },
  }),
  defineEndpoint({
    method: "POST",
    path: "/boards",
    summary: "Create a board; an existing one is unchanged.",
    tag,
    body: z.object({
      slug: z.string(),
      name: text,
      description: text,
      icon: text,
      color: text,
      default_workdir: text,
      switch: z.boolean().optional().describe("make it the current board"),
    }),
    answer: z.object({ board: listedBoardShape, current: z.string() }),
    run: async ({ body }, parts: KanbanParts) => {
      const default_workdir = directoryOf(body.default_workdir, parts.env);
      const { board } = await parts.board.createBoard({ ...body, default_workdir }, DASHBOARD);
      return { json: { board, current: await currentOf(parts) } };
    },
  }),
  defineEndpoint({
    method: "PATCH",
    path: "/boards/:slug",
    summary: "Change settings of a board; an empty text clears one.",
    tag,
    params: slug,
    body: z.object({
      name: text,
      description: text,
      icon: text,
      color: text,
      default_workdir: text,
      orchestration: z.enum(["auto", "manual", "inherit"]).nullish().describe("null or inherit: as configured"),
      max_in_progress: z.int().nullish(),
    }),
    answer,
    errors: [404],
    run: async ({ params, body }, parts: KanbanParts) => {
      const orchestration = body.orchestration === "inherit" ? null : body.orchestration;
      const changes = { ...body, orchestration, default_workdir: directoryOf(body.default_workdir, parts.env) };
      const { board } = await parts.board.setBoard(await findNamedBoard(parts, params.slug), changes, DASHBOARD);
      return { json: { board } };
    },
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/boards/:slug",
    summary: "Archive a board, or delete it permanently.",
    tag,
    params: slug,
    query: z.object({ delete: switchOf("permanently"), force: switchOf("stop its workers first") }),
    answer: z.object({
      result: z.object({ slug: z.string(), action: z.enum(["archived", "deleted"]), new_path: z.string().nullable() }),
      current: z.string(),
    }),
    errors: [404, 409],
    run: async ({ params, query }, { board }: KanbanParts) => {
      const { current, ...result } = await board.removeBoard(params.slug, query, DASHBOARD);
      return { json: { result, current } };
    },
  }),
];

/** A path that a person types in a browser has no directory that it could begin in. @throws E_INVALID */
function directoryOf(given: string | undefined, env: KanbanParts["env"]): string | undefined {
  const path = given?.trim();
  if (path === undefined || path === "") return path;
  const home = env["HOME"];
  const whole = home === undefined ? path : expandTilde(path, home);
  if (!isAbsolute(whole))
    throw new AppError(
      "E_INVALID",
      `default_workdir must be an absolute path, not ${JSON.stringify(path.slice(0, 200))}`,
    );
  return normalize(whole);
}
