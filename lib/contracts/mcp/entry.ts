/** One server of `mcp_servers`, as it is written and as it is used (extensions part, 2.1). */
import * as z from "zod";

const texts = z.record(
  z.string().min(1),
  z.union([z.string(), z.number(), z.boolean()]).transform(String), // a port or a switch is written without quotes
);
const seconds = z.number().positive().max(86_400);
const HTTP_URL = /^https?:\/\//i;

const oauthSchema = z.strictObject({
  client_id: z.string().min(1).optional(),
  client_secret: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
  redirect_port: z.int().min(0).max(65_535).default(0),
  client_name: z.string().min(1).optional(),
  timeout: seconds.default(300),
});

const toolsSchema = z.strictObject({
  include: z.array(z.string()).optional(),
  /** Ignored when `include` is given. */
  exclude: z.array(z.string()).optional(),
  resources: z.boolean().default(true),
  prompts: z.boolean().default(true),
});

const samplingSchema = z.strictObject({
  enabled: z.boolean().default(true),
  model: z.string().default(""),
  max_tokens_cap: z.int().positive().default(4096),
  timeout: seconds.default(30),
  max_rpm: z.int().min(0).default(10),
  allowed_models: z.array(z.string()).default([]),
  max_tool_rounds: z.int().min(0).default(5),
  log_level: z.enum(["debug", "info", "warning", "error"]).default("info"),
});

/** Entry as written in `mcp_servers.<name>`; what is not given has its default. */
export const mcpEntrySchema = z
  .strictObject({
    command: z.string().min(1).optional(),
    args: z.array(z.union([z.string(), z.number()]).transform(String)).default([]),
    env: texts.default({}),
    cwd: z.string().min(1).optional(),
    /** Wins when `command` is given too. */
    url: z.string().regex(HTTP_URL, "must begin with http:// or https://").optional(),
    headers: texts.default({}),
    transport: z.enum(["http", "sse"]).default("http"),
    /** Seconds per call; a progress notification starts them over. */
    timeout: seconds.default(120),
    connect_timeout: seconds.default(60),
    /** Seconds after which a call ends whatever its progress. */
    max_timeout: seconds.default(900),
    enabled: z.boolean().default(true),
    /** False: a connection per session. */
    shared: z.boolean().default(true),
    start: z.enum(["lazy", "eager"]).default("lazy"),
    /** Minutes without a call after which a server that was started as a program is stopped; 0: never. */
    idle_minutes: z.number().min(0).max(100_000).default(15),
    auth: z.enum(["oauth"]).optional(),
    oauth: oauthSchema.default(oauthSchema.parse({})),
    /** False: certificates are not verified, on this machine only; a path: further authorities. */
    ssl_verify: z.union([z.boolean(), z.string().min(1)]).default(true),
    client_cert: z.string().min(1).optional(),
    client_key: z.string().min(1).optional(),
    tools: toolsSchema.default(toolsSchema.parse({})),
    supports_parallel_tool_calls: z.boolean().default(false),
    roots: z.union([z.enum(["auto", "none"]), z.array(z.string().min(1))]).default("auto"),
    /** Tools whose calls are asked about; `destructive`: each that does not say it only reads. */
    approve: z.enum(["none", "destructive", "all"]).default("none"),
    sampling: samplingSchema.default(samplingSchema.parse({})),
    /** The program runs in the cage of commands. */
    cage: z.boolean().default(false),
  })
  .refine((entry) => entry.command !== undefined || entry.url !== undefined, {
    message: "give command (a program) or url (an address)",
  });

/** An entry with every default in its place. */
export type McpEntry = z.output<typeof mcpEntrySchema>;

/** The entry of one name, or what is wrong with it. */
export type ReadMcpEntry =
  | { readonly ok: true; readonly entry: McpEntry; readonly unset: readonly string[] }
  | { readonly ok: false; readonly error: string };

/** Names that an entry may have: they become part of the names of its tools, and of a file. */
export const MCP_NAME = /^[A-Za-z0-9][A-Za-z0-9._ -]{0,63}$/;

/**
 * Read one entry. `${VAR}` is expanded in every string; a variable that is not set stays as it is written and is named in `unset`. Nothing is
 * thrown: a wrong entry is an error of that entry only.
 */
export function readMcpEntry(
  name: string,
  written: unknown,
  env: Readonly<Record<string, string | undefined>>,
): ReadMcpEntry {
  if (!MCP_NAME.test(name))
    return { ok: false, error: "the name may have letters, digits, ., _, - and spaces, at most 64 characters" };
  const unset = new Set<string>();
  const parsed = mcpEntrySchema.safeParse(expanded(written, env, unset));
  if (parsed.success) return { ok: true, entry: parsed.data, unset: [...unset] };
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  return { ok: false, error: `${where}${issue?.message ?? "not an entry of a server"}` };
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function expanded(value: unknown, env: Readonly<Record<string, string | undefined>>, unset: Set<string>): unknown {
  if (typeof value === "string")
    return value.replace(VARIABLE, (literal, variable: string) => {
      const text = env[variable];
      if (text === undefined) unset.add(variable);
      return text ?? literal;
    });
  if (Array.isArray(value)) return value.map((one: unknown) => expanded(one, env, unset));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expanded(one, env, unset)]));
}
