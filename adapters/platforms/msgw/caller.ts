import type { JWK, JWTVerifyGetKey } from "jose";
import type { Net } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import { baseAddress } from "../common/base-address.js";
import { httpCall, parseJsonText } from "../common/http.js";
import type { JoseLibrary } from "./library.js";
import type { MsgwSettings } from "./settings.js";
import { KeySetShape, OpenIdShape, type WireKey } from "./wire.js";

/** What is known of a caller by its token. `unsure`: the keys of the platform cannot be had now, so it is unknown. */
export type Caller =
  | { readonly is: "trusted"; readonly serviceUrl: string; readonly endorsements: readonly string[] | undefined }
  | { readonly is: "stranger"; readonly why: string }
  | { readonly is: "unsure"; readonly why: string };

/** Checks the tokens of callers (gateway part, 16.6.1). */
export interface Callers {
  check(header: string | undefined, signal: AbortSignal): Promise<Caller>;
}

export interface CallerDeps {
  readonly settings: Pick<MsgwSettings, "openIdBase" | "insecure">;
  /** Whom tokens are for. */
  readonly audience: string;
  readonly net: Net;
  readonly clock: Clock;
  readonly jose: JoseLibrary;
}

const ISSUER = "https://api.botframework.com";
const SKEW_S = 300;
const KEPT_MS: Ms = 86_400_000;
/** Tokens with made-up keys do not make us ask the platform over and over. */
const AGAIN_MS: Ms = 60_000;
const TOKEN_CHARS = 16_384;

interface Keys {
  readonly keys: readonly WireKey[];
  readonly at: number;
}

export function createCallers(deps: CallerDeps): Callers {
  const { clock, jose, audience } = deps;
  let kept: Keys | undefined;
  let forcedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Keys> | undefined;
  const ask = (signal: AbortSignal) => {
    asking ??= fetchKeys(deps, signal).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const keyOf = async (id: string, signal: AbortSignal): Promise<WireKey | undefined> => {
    if (kept === undefined || clock.now() - kept.at > KEPT_MS) kept = await ask(signal);
    const found = kept.keys.find(({ kid }) => kid === id);
    if (found !== undefined || clock.mono() - forcedAt < AGAIN_MS) return found;
    forcedAt = clock.mono();
    kept = await ask(signal);
    return kept.keys.find(({ kid }) => kid === id);
  };
  // Reading a key takes as long as what it is used for.
  const read = new WeakMap<WireKey, ReturnType<JoseLibrary["importJWK"]>>();
  const imported = (key: WireKey) => {
    const known = read.get(key) ?? jose.importJWK(key as JWK, "RS256"); // it is one, or the library says that it is not
    read.set(key, known);
    return known;
  };
  return {
    check: async (header, signal) => {
      const token = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header ?? "")?.[1];
      if (token === undefined || token.length > TOKEN_CHARS) return { is: "stranger", why: "missing token" };
      if (!token.split(".").every(isPlain)) return { is: "stranger", why: "the token is not written as tokens are" };
      let used: WireKey | undefined;
      const getKey: JWTVerifyGetKey = async ({ kid }) => {
        used = kid === undefined ? undefined : await keyOf(kid, signal);
        if (used === undefined) throw new Error("its key is not one of the platform's");
        return imported(used);
      };
      try {
        const { payload } = await jose.jwtVerify(token, getKey, {
          issuer: ISSUER,
          audience,
          algorithms: ["RS256"],
          clockTolerance: SKEW_S,
          requiredClaims: ["exp"],
          currentDate: new Date(clock.now()),
        });
        const claimed = payload["serviceurl"] ?? payload["serviceUrl"];
        return {
          is: "trusted",
          serviceUrl: typeof claimed === "string" ? claimed : "",
          endorsements: used?.endorsements,
        };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return error instanceof KeysAway ? { is: "unsure", why } : { is: "stranger", why };
      }
    },
  };
}

/** Written as base64url writes these bytes, and in no other way: lax readers drop bits of the last character, so that one token had several texts. */
const isPlain = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part;

/** The keys of the platform cannot be had. */
class KeysAway extends Error {}

/** @throws KeysAway */
async function fetchKeys({ settings, net, clock }: CallerDeps, signal: AbortSignal): Promise<Keys> {
  const get = async (url: string) => {
    const seen = await httpCall(net, { method: "GET", url, signal });
    if (!seen.got) throw new KeysAway(`the keys of the platform cannot be had: ${seen.seen.error}`);
    if (seen.status !== 200)
      throw new KeysAway(`the keys of the platform cannot be had: ${url} answered ${seen.status}`);
    return parseJsonText(seen.text);
  };
  const place = OpenIdShape.safeParse(await get(`${settings.openIdBase}/v1/.well-known/openidconfiguration`)).data
    ?.jwks_uri;
  if (place === undefined)
    throw new KeysAway("the keys of the platform cannot be had: MSGW_OPENID_BASE names no key set");
  const read = KeySetShape.safeParse(await get(baseAddress("jwks_uri", place, settings.insecure))).data;
  if (read === undefined) throw new KeysAway("the keys of the platform cannot be read");
  return { keys: read.keys, at: clock.now() };
}

/** Whether a caller may send this activity. Slashes at the end of an address say nothing. */
export function speaksFor(
  { serviceUrl, endorsements }: Extract<Caller, { readonly is: "trusted" }>,
  activity: { readonly serviceUrl: string; readonly channelId?: string | undefined },
): boolean {
  const bare = (url: string) => url.replace(/\/+$/, "");
  if (bare(serviceUrl) !== bare(activity.serviceUrl)) return false;
  return endorsements === undefined || endorsements.length === 0 || endorsements.includes(activity.channelId ?? "");
}
