/** Logins to MCP servers as they are stored (extensions part, 2.8). */
import * as z from "zod";
import { AppError } from "../../../lib/base/errors.js";
import { makeDirectory, readText, removeFile, writeAtomic } from "../../../lib/base/fs/files.js";
import type { Home } from "../../../lib/base/home.js";
import { jsonOf } from "../../../lib/base/json/record.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { EpochMs } from "../../../lib/base/units.js";
import { mcpLoginDir, mcpLoginFile } from "../../../lib/contracts/mcp/logins.js";

/** What an authorization server answered; further members are kept as they came. */
const tokensSchema = z.looseObject({
  access_token: z.string().min(1),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  expires_in: z.number().optional(),
  scope: z.string().optional(),
  issuer: z.string().optional(),
});

const loginSchema = z.object({
  tokens: tokensSchema.optional(),
  /** When the tokens were stored, and when the access token expires; absent: the issuer did not say. */
  tokens_at: z.number().optional(),
  expires_at: z.number().optional(),
  /** Registration of this program at the issuer, by the issuer or by the settings. */
  client: z.looseObject({ client_id: z.string() }).optional(),
});

const fileSchema = z.object({
  version: z.literal(1),
  /** Issuer whose tokens were stored last. */
  last: z.string().optional(),
  issuers: z.record(z.string(), loginSchema),
  /** What the server and its issuer say of themselves, for as long as it holds. */
  discovery: z.looseObject({}).optional(),
});

export type McpTokens = z.output<typeof tokensSchema>;
export type McpClientRegistration = NonNullable<z.output<typeof loginSchema>["client"]>;
type TokenFile = z.output<typeof fileSchema>;

/** Tokens of a server, and of whom they are. */
export interface FoundTokens {
  readonly issuer: string;
  readonly tokens: McpTokens;
  /** Absent: unknown. */
  readonly expiresAt?: EpochMs;
}

/** One file a server in `mcp-tokens` of the home, 0600, with what each issuer gave. No tool reads or writes it, and no log holds any of it. */
export interface McpTokenStore {
  /** Tokens of one issuer; without one those stored last. */
  tokens(server: string, issuer?: string): Promise<FoundTokens | undefined>;
  /** Keeps the refresh token of before where the answer brings none. */
  saveTokens(server: string, issuer: string, tokens: McpTokens): Promise<void>;
  client(server: string, issuer: string): Promise<McpClientRegistration | undefined>;
  saveClient(server: string, issuer: string, client: McpClientRegistration): Promise<void>;
  discovery(server: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  saveDiscovery(server: string, discovery: Readonly<Record<string, unknown>> | undefined): Promise<void>;
  /** Forget tokens, the registration, or both of an issuer, of every issuer where none is named. @returns whether there was anything */
  forget(server: string, what: ForgetLogin): Promise<boolean>;
  /** Forget everything of a server. */
  remove(server: string): Promise<void>;
}

export interface ForgetLogin {
  readonly issuer?: string;
  readonly tokens: boolean;
  readonly client: boolean;
}

export function createMcpTokenStore(home: Pick<Home, "dir">, clock: Clock): McpTokenStore {
  const pathOf = (server: string) => mcpLoginFile(home, server);
  /** Changes of one server are made one after the other, each on what is stored then. */
  const last = new Map<string, Promise<unknown>>();
  const change = (server: string, act: (file: TokenFile) => TokenFile): Promise<void> => {
    const before = last.get(server) ?? Promise.resolve();
    const mine = before.then(async () => {
      const path = pathOf(server);
      await makeDirectory(mcpLoginDir(home), 0o700);
      await writeAtomic(path, `${JSON.stringify(act(await load(path)), null, 2)}\n`, 0o600);
    });
    last.set(
      server,
      mine.catch(() => undefined), // told to its own caller
    );
    return mine;
  };
  const read = (server: string) => load(pathOf(server));
  return {
    tokens: async (server, issuer) => {
      const file = await read(server);
      const from = issuer ?? file.last;
      const login = from === undefined ? undefined : file.issuers[from];
      if (from === undefined || login?.tokens === undefined) return undefined;
      const { tokens, expires_at } = login;
      return { issuer: from, tokens, ...(expires_at === undefined ? {} : { expiresAt: expires_at }) };
    },
    saveTokens: (server, issuer, tokens) =>
      change(server, (file) => withTokens(file, issuer, { tokens, now: clock.now() })),
    client: async (server, issuer) => (await read(server)).issuers[issuer]?.client,
    saveClient: (server, issuer, client) =>
      change(server, (file) => ({
        ...file,
        issuers: { ...file.issuers, [issuer]: { ...file.issuers[issuer], client } },
      })),
    discovery: async (server) => (await read(server)).discovery,
    saveDiscovery: (server, discovery) => change(server, ({ discovery: _, ...file }) => ({ ...file, discovery })),
    forget: async (server, what) => {
      let had = false;
      await change(server, (file) => {
        const issuers = Object.entries(file.issuers).map(([issuer, login]) => {
          if (what.issuer !== undefined && what.issuer !== issuer) return [issuer, login] as const;
          had ||= (what.tokens && login.tokens !== undefined) || (what.client && login.client !== undefined);
          return [issuer, without(login, what)] as const;
        });
        return { ...file, issuers: Object.fromEntries(issuers) };
      });
      return had;
    },
    remove: async (server) => {
      await last.get(server);
      await removeFile(pathOf(server));
    },
  };
}

function withTokens(
  file: TokenFile,
  issuer: string,
  { tokens, now }: { readonly tokens: McpTokens; readonly now: EpochMs },
): TokenFile {
  const known = file.issuers[issuer];
  // An issuer that does not rotate refresh tokens leaves them out of its answer.
  const refresh_token = tokens.refresh_token ?? known?.tokens?.refresh_token;
  const { expires_in } = tokens;
  const login = {
    ...(known?.client === undefined ? {} : { client: known.client }),
    tokens: { ...tokens, ...(refresh_token === undefined ? {} : { refresh_token }) },
    tokens_at: now,
    ...(expires_in === undefined ? {} : { expires_at: now + expires_in * 1000 }),
  };
  return { ...file, last: issuer, issuers: { ...file.issuers, [issuer]: login } };
}

function without(login: z.output<typeof loginSchema>, what: ForgetLogin): z.output<typeof loginSchema> {
  const { tokens, tokens_at, expires_at, client } = login;
  return {
    ...(what.tokens ? {} : { tokens, tokens_at, expires_at }),
    ...(what.client ? {} : { client }),
  };
}

/** @throws E_STATE for a file that this version cannot read: it is not replaced by an empty one */
async function load(path: string): Promise<TokenFile> {
  const text = await readText(path);
  if (text === undefined) return { version: 1, issuers: {} };
  const parsed = fileSchema.safeParse(jsonOf(text));
  if (parsed.success) return parsed.data;
  throw new AppError("E_STATE", `cannot read the stored login in ${path}`, {
    path,
    hint: "remove the file, then log in again with agent mcp login",
  });
}
