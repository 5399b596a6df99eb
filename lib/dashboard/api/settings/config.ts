import * as z from "zod";
import type { ConfigKey } from "../../../contracts/config/config.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "settings";

/** Settings as `agent config show --json` shows them. */
const shown = z.record(
  z.string(),
  z.object({ value: z.unknown().optional(), source: z.enum(["default", "file", "environment"]) }),
);

const key = z.object({
  key: z.string(),
  type: z.enum(["boolean", "string", "integer", "number", "choice", "strings", "limit", "any"]),
  of: z.array(z.string()).exactOptional().describe("the choices"),
  min: z.number().exactOptional(),
  max: z.number().exactOptional(),
  default: z.unknown(),
  help: z.string(),
  env: z.string().nullable().describe("variable that overrides the file"),
  secret: z.boolean(),
});

/** The settings of this home. Secrets are masked wherever they are shown. */
export const SETTINGS_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/config",
    summary: "List the effective settings with their sources.",
    tag,
    answer: shown,
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("config show", {}, signal) }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/config",
    summary: "Change several settings at once, or none. Null removes one; comments of the file are kept.",
    tag,
    body: z.object({ values: z.record(z.string(), z.unknown()).describe("by dotted key") }),
    answer: shown,
    run: async ({ body, signal }, { command, settings }: DashboardParts) => {
      await settings.change(body.values);
      return { json: await command("config show", {}, signal) };
    },
  }),
  defineEndpoint({
    method: "GET",
    path: "/config/raw",
    summary: "Read the settings file with its comments.",
    tag,
    answer: z.object({ path: z.string(), text: z.string() }),
    run: async (_request, { settings }: DashboardParts) => ({
      json: { path: settings.path, text: await settings.text() },
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/config/defaults",
    summary: "List the defaults.",
    tag,
    answer: z.record(z.string(), z.unknown()),
    run: async (_request, { settings }: DashboardParts) => ({
      json: Object.fromEntries(settings.keys.map((one) => [one.key, one.default])),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/config/schema",
    summary: "List all keys with kind, default and description.",
    tag,
    answer: z.object({ keys: z.array(key) }),
    run: async (_request, { settings }: DashboardParts) => ({ json: { keys: settings.keys.map(keyOf) } }),
  }),
];

const keyOf = ({ key: name, kind, default: usual, help, env, secret }: ConfigKey<unknown>): z.output<typeof key> => ({
  key: name,
  type: kind.type,
  ...("of" in kind ? { of: [...kind.of] } : {}),
  ...("min" in kind && kind.min !== undefined ? { min: kind.min } : {}),
  ...("max" in kind && kind.max !== undefined ? { max: kind.max } : {}),
  default: usual ?? null,
  help,
  env: env ?? null,
  secret: secret === true,
});
