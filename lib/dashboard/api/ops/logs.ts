import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { LOG_LEVELS, type LogSource } from "../../../contracts/ui/log-lines.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import { integerOf } from "../../../http/query.js";
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
    summary: "Read the last lines of a log: agent, errors, gateway, board or mcp.",
    tag: "logs",
    params: z.object({ name: z.string().describe("log") }),
    query: z.object({
      lines: integerOf(1, SEARCH_MAX, `number of lines; at most ${TAIL_MAX} without search`).default(100),
      search: z.string().max(200).optional().describe("text to search for; upper case makes it case-sensitive"),
      level: z.enum(LOG_LEVELS).optional().describe("minimum level"),
      component: z.string().max(64).optional().describe("component that wrote it"),
      session: z.string().max(64).optional(),
    }),
    answer: z.object({ name: z.string(), lines: z.array(z.string()), exists: z.boolean(), more: z.boolean() }),
    run: async ({ params: { name }, query }, { logs }: DashboardParts) => {
      const source = Object.hasOwn(LOGS, name) ? LOGS[name] : undefined;
      if (source === undefined)
        throw new AppError(
          "E_INVALID",
          `unknown log ${JSON.stringify(name.slice(0, 80))} (known: ${Object.keys(LOGS).join(", ")})`,
        );
      const { lines, search, level, component, session } = query;
      if (component !== undefined && !COMPONENTS.includes(component))
        throw new AppError(
          "E_INVALID",
          `unknown component ${JSON.stringify(component)} (known: ${COMPONENTS.join(", ")})`,
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
