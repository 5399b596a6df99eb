import * as z from "zod";
import { anyObject } from "../shapes/values.js";
import { BROWSER_RESULTS } from "./browser-results.js";
import { BUNDLE_RESULTS } from "./bundle-results.js";
import { CRON_RESULTS } from "./cron-results.js";
import { CURATOR_RESULTS } from "./curator-results.js";
import { KANBAN_BOARDS_RESULTS } from "./kanban-boards-results.js";
import { KANBAN_RESULTS } from "./kanban-results.js";
import { LOGINS_RESULTS } from "./logins-results.js";
import { MCP_RESULTS } from "./mcp-results.js";
import { MEMORY_RESULTS } from "./memory-results.js";
import { MODELS_RESULTS } from "./models-results.js";
import { PLUGIN_RESULTS } from "./plugin-results.js";
import { SCREEN_RESULTS } from "./screen-results.js";
import { SERVICES_RESULTS } from "./services-results.js";
import { SESSION_RESULTS } from "./session-results.js";
import { SETTINGS_RESULTS } from "./settings-results.js";
import { SKILL_RESULTS } from "./skill-results.js";
import { TURN_RESULTS } from "./turn-results.js";

const SUBSCRIPTION_RESULTS = {
  "events.subscribe": z.object({
    sub: z.int().describe("id of the subscription, repeated in its events"),
    cursors: z.record(z.string(), z.int()).describe("newest `seq` of each store"),
  }),
  "events.unsubscribe": anyObject,
};

/** What every published method answers, those of commands left out that describe their answer themselves. */
export const RESULTS: ReadonlyMap<string, z.ZodType> = new Map(
  Object.entries({
    ...SUBSCRIPTION_RESULTS,
    ...SESSION_RESULTS,
    ...TURN_RESULTS,
    ...SCREEN_RESULTS,
    ...KANBAN_RESULTS,
    ...KANBAN_BOARDS_RESULTS,
    ...BUNDLE_RESULTS,
    ...CRON_RESULTS,
    ...CURATOR_RESULTS,
    ...BROWSER_RESULTS,
    ...MCP_RESULTS,
    ...MEMORY_RESULTS,
    ...PLUGIN_RESULTS,
    ...SKILL_RESULTS,
    ...MODELS_RESULTS,
    ...LOGINS_RESULTS,
    ...SERVICES_RESULTS,
    ...SETTINGS_RESULTS,
  }),
);

/** What differs from the published schema, in one line; undefined: it is as published, or the method is not. Members that are not published differ. */
export function checkResult(method: string, result: unknown, published = RESULTS.get(method)): string | undefined {
  const sent: unknown = JSON.parse(JSON.stringify(result ?? null));
  const parsed = published?.safeParse(sent);
  if (parsed === undefined) return undefined;
  const issue = parsed.error?.issues[0];
  if (issue !== undefined) return `${method}: result.${issue.path.join(".")}: ${issue.message}`;
  return findUnpublished(sent, parsed.data, method);
}

/** The first member that parsing has left out. */
export function findUnpublished(sent: unknown, known: unknown, at: string): string | undefined {
  if (typeof sent !== "object" || sent === null || typeof known !== "object" || known === null) return undefined;
  for (const [name, value] of Object.entries(sent)) {
    if (!(name in known)) return `${at}: unpublished member ${name}`;
    const inner = findUnpublished(value, Reflect.get(known, name), `${at}.${name}`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
