import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { LOG_LEVELS, type LogSource } from "../../../contracts/ui/log-lines.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { whole } from "../../../http/query.js";
import type { DashboardParts } from "../../core/parts.js";

/** Logs by the names of their files. */
const LOGS: Readonly<Record<string, LogSource>> = {
  agent: "owner",
  errors: "errors",
  gateway: "gateway",
  board: "board",
  mcp: "mcp",
};

/** Lines of a tail, and of a search, which gives fewer of each part of the log. */
const TAIL_MAX = 500;
const SEARCH_MAX = 2_000;

/** Logs of this home. Lines were redacted when they were written. */
export const LOG_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/logs/:name",
    summary: "The newest lines of a log: agent, errors, gateway, board or mcp.",
    tag: "logs",
    params: z.object({ name: z.string().describe("log") }),
    query: z.object({
      lines: whole(1, SEARCH_MAX, `how many; at most ${TAIL_MAX} without search`).default(100),
      search: z.string().max(200).optional().describe("a part of the line; capital letters make it exact"),
      level: z.enum(LOG_LEVELS).optional().describe("this level and those above"),
      component: z.string().max(64).optional().describe("part of the program that wrote it"),
      session: z.string().max(64).optional(),
    }),
    answer: z.object({ name: z.string(), lines: z.array(z.string()), exists: z.boolean(), more: z.boolean() }),
    run: async ({ params: { name }, query }, { logs }: DashboardParts) => {
      const source = Object.hasOwn(LOGS, name) ? LOGS[name] : undefined;
      if (source === undefined)
        throw new AppError(
          "E_INVALID",
          `no log ${JSON.stringify(name.slice(0, 80))}; there are ${Object.keys(LOGS).join(", ")}`,
        );
      const { lines, search, level, component, session } = query;
      if (component !== undefined && !COMPONENTS.includes(component))
        throw new AppError(
          "E_INVALID",
          `no component ${JSON.stringify(component)}; there are ${COMPONENTS.join(", ")}`,
        );
      const most = search === undefined || search === "" ? TAIL_MAX : SEARCH_MAX;
      if (lines > most) throw new AppError("E_INVALID", `at most ${most} lines without a search`, { max: most });
      const filter = {
        source,
        ...(search === undefined ? {} : { text: search }),
        ...(level === undefined ? {} : { level }),
        ...(component === undefined ? {} : { component }),
        ...(session === undefined ? {} : { session }),
      };
      const page = await logs(filter, lines);
      return { json: { name, lines: page.lines, exists: page.exists, more: page.before !== null } };
    },
  }),
];

/** Parts of the program that write lines, by the names that stand in them. */
const COMPONENTS = [
  "agent",
  "board",
  "checkpoints",
  "cli",
  "dashboard",
  "logins",
  "lsp",
  "owner",
  "provider",
  "proxy",
  "tools",
  "turn",
];
