import * as z from "zod";
import type { Ms } from "../../lib/base/units.js";
import type { Config } from "../../lib/contracts/config/config.js";
import { LSP_SERVERS, LSP_WAIT_MODE, LSP_WAIT_TIMEOUT } from "./keys.js";

const override = z.looseObject({
  disabled: z.boolean().optional(),
  command: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  initialization_options: z.record(z.string(), z.unknown()).optional(),
  cage: z.boolean().optional(),
});

/** What the settings say about one server. */
export interface Override {
  readonly disabled: boolean;
  readonly command?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  /** It runs in a cage. */
  readonly cage?: true;
  /** The settings cannot be used; the server is then as without them. */
  readonly problem?: string;
}

export function overrideOf(config: Config, id: string): Override {
  const all = config.get(LSP_SERVERS);
  const given: unknown =
    typeof all === "object" && all !== null && Object.hasOwn(all, id) ? Reflect.get(all, id) : undefined;
  if (given === undefined || given === null) return { disabled: false, env: {}, options: {} };
  const parsed = override.safeParse(given);
  if (!parsed.success)
    return {
      disabled: false,
      env: {},
      options: {},
      problem: `lsp.servers.${id}: ${parsed.error.issues[0]?.message ?? ""}`,
    };
  const { disabled, command, env, initialization_options: options, cage } = parsed.data;
  const words = typeof command === "string" ? command.split(/\s+/).filter((word) => word !== "") : command;
  return {
    disabled: disabled ?? false,
    ...(words === undefined || words.length === 0 ? {} : { command: words }),
    env: Object.fromEntries(Object.entries(env ?? {}).map(([name, value]) => [name, String(value)])),
    options: options ?? {},
    ...(cage === true ? { cage } : {}),
  };
}

/** How long a write waits, after it and, the first time, before it. */
export interface Waits {
  /** Also for the other files that the server has open. */
  readonly full: boolean;
  readonly ms: Ms;
  /** Everything that the first write to a server may cost before it is made. */
  readonly firstMs: Ms;
}

/** Core part, 19.1. */
const MODE_MS = { document: 5_000, full: 10_000 } as const;
const FIRST_MS: Ms = 8_000;

/** Who asks for a longer wait gets it with the first write as well. */
export function waiting(config: Config): Waits {
  const mode = config.get(LSP_WAIT_MODE);
  const given = config.source(LSP_WAIT_TIMEOUT) === "default" ? undefined : config.get(LSP_WAIT_TIMEOUT) * 1_000;
  return { full: mode === "full", ms: given ?? MODE_MS[mode], firstMs: Math.max(FIRST_MS, given ?? 0) };
}
