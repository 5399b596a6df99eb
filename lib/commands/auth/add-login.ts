import { resolve } from "node:path";
import { AppError } from "../../base/errors.js";
import { Secret } from "../../base/secret.js";
import { systemClock } from "../../base/time/clock.js";
import type { AuthAdd, AuthWays } from "../../contracts/models/auth.js";
import type { CommandContext, CommandResult } from "../define.js";
import { plain } from "../render/plain.js";
import { entryData, entryLine, formatLocalTime } from "./text.js";

/** What `auth add` was asked for. */
export interface AddParams {
  readonly provider: string;
  readonly type?: "oauth" | "api-key" | undefined;
  readonly label?: string | undefined;
  readonly priority?: number | undefined;
  readonly this_profile: boolean;
  readonly api_key?: string | undefined;
  readonly region?: string | undefined;
  readonly portal_url?: string | undefined;
  readonly issuer?: string | undefined;
  readonly inference_url?: string | undefined;
  readonly client_id?: string | undefined;
  readonly scope?: string | undefined;
  readonly no_browser: boolean;
  readonly manual_paste: boolean;
  readonly timeout?: number | undefined;
  readonly ca_bundle?: string | undefined;
  readonly insecure: boolean;
}

const KEY_BYTES = 16 << 10;
const PASTE = "Paste the final address of the browser, or the code in it (hidden): ";

/** Store a key, or log in. @throws E_USAGE, E_AUTH, E_INTERRUPTED */
export async function add(params: AddParams, ctx: CommandContext): Promise<CommandResult> {
  const ways = await ctx.auth.ways(params.provider);
  const region = regionOf(ways, params.region);
  const { portal_url, issuer, inference_url, client_id, scope } = params;
  const options: AuthAdd = {
    label: params.label,
    priority: params.priority,
    thisProfile: params.this_profile,
    region,
    addresses: { portal_url, issuer, inference_url, client_id, scope },
  };
  if (ways.notice !== null && params.type === "oauth") await ctx.err(`${ways.notice}\n`);
  const type = typeOf(ways, params);
  if (type === "api-key" && (params.ca_bundle !== undefined || params.insecure)) {
    throw new AppError("E_USAGE", "--ca-bundle and --insecure apply to logins only; storing a key sends no request", {
      hint: "NODE_EXTRA_CA_CERTS=FILE adds trusted authorities for model requests",
    });
  }
  return type === "api-key" ? addKey(ways, params, options, ctx) : logIn(ways, params, options, ctx);
}

function regionOf({ id, regions }: AuthWays, wanted: string | undefined): string | undefined {
  if (wanted === undefined) return undefined;
  if (regions.length === 0) throw new AppError("E_USAGE", `${id} does not have regions`, { hint: "omit --region" });
  if (regions.includes(wanted)) return wanted;
  throw new AppError("E_USAGE", `unknown region ${JSON.stringify(wanted)} of ${id} (known: ${regions.join(", ")})`, {
    hint: `agent auth add ${id} --region ${regions[0]}`,
  });
}

function typeOf(ways: AuthWays, { type, api_key }: AddParams): "oauth" | "api-key" {
  if (type === "oauth" && api_key !== undefined)
    throw new AppError("E_USAGE", "--api-key and --type oauth exclude each other");
  const wanted = type ?? (api_key !== undefined || ways.login === "none" ? "api-key" : "oauth");
  if (wanted === "api-key" || ways.login === "here") return wanted;
  const key = ways.keyVariables[0] === undefined ? "" : `; a key in ${ways.keyVariables[0]} works too`;
  const said =
    ways.login === "none"
      ? `${ways.name} supports API keys only`
      : `login to ${ways.name} is not supported yet; use an API key`;
  throw new AppError("E_USAGE", said, {
    provider: ways.id,
    hint: `agent auth add ${ways.id} --type api-key --api-key KEY${key}`,
  });
}

async function addKey(
  { id }: AuthWays,
  params: AddParams,
  options: AuthAdd,
  ctx: CommandContext,
): Promise<CommandResult> {
  const key = (params.api_key ?? (await ctx.stdin(KEY_BYTES, `Key for ${id} (hidden): `))).trim();
  if (ctx.signal.aborted) throw new AppError("E_INTERRUPTED", "no key given; nothing stored");
  if (key === "") {
    throw new AppError("E_USAGE", `missing key for ${id}: pass --api-key KEY or write it to standard input`, {
      hint: `agent auth add ${id} --type api-key < file-with-the-key`,
    });
  }
  if (!/^[\u0021-\u007e]{1,8192}$/.test(key)) {
    throw new AppError("E_USAGE", "the key must be a single line of printable ASCII without spaces", {
      hint: "copy the key again",
    });
  }
  const entry = await ctx.auth.addKey(id, new Secret(key), options);
  return {
    text: `Added to ${id}: ${entryLine(entry, systemClock.now())}`,
    data: { provider: id, entry: entryData(entry) },
  };
}

async function logIn(ways: AuthWays, params: AddParams, options: AuthAdd, ctx: CommandContext): Promise<CommandResult> {
  const { timeout, ca_bundle, insecure } = params;
  try {
    const { entry, warnings } = await ctx.auth.login(ways.id, {
      ...options,
      signal: ctx.signal,
      ...(params.manual_paste ? { paste: () => ctx.stdin(KEY_BYTES, PASTE) } : {}),
      browser: params.no_browser || params.manual_paste ? undefined : ctx.env,
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
      ...(ca_bundle === undefined ? {} : { caBundle: resolve(ctx.cwd, ca_bundle) }),
      insecure,
      told: async ({ url, code, expiresAt }) => {
        const until = formatLocalTime(expiresAt, systemClock.now());
        const what = code === "" ? "log in" : `confirm the code ${plain(code)}`;
        await ctx.err(`Open this address and ${what} (until ${until}):\n  ${plain(url)}\nWaiting ...\n`);
      },
    });
    const text = `Logged in to ${ways.name}: ${entryLine(entry, systemClock.now())}`;
    return { text, data: { provider: ways.id, entry: entryData(entry) }, warnings };
  } catch (error) {
    if (!ctx.signal.aborted) throw error;
    throw new AppError("E_INTERRUPTED", "login cancelled; nothing stored", {}, error);
  }
}
