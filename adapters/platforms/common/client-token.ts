import * as z from "zod";
import type { Net } from "../../../lib/base/net/net.js";
import { Secret } from "../../../lib/base/secret.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import { httpCall, parseJsonText, type Refusal } from "./http.js";

/** A token, or why it could not be had: nothing was sent to the platform then. */
export type TokenFound =
  | { readonly found: "token"; readonly token: Secret }
  | { readonly found: "none"; readonly seen: Refusal };

/** Tokens by client credentials. `fresh`: the last one was refused. */
export interface ClientTokens {
  get(signal: AbortSignal, fresh?: boolean): Promise<TokenFound>;
}

export interface ClientGrant {
  readonly url: string;
  readonly id: string;
  readonly secret: Secret;
  readonly scope: string;
  /** What to do when they are refused. */
  readonly refused: string;
}

const EARLY_MS: Ms = 120_000;
const TokenShape = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive().catch(3600) });

/** Kept until shortly before their end; one request at a time. */
export function clientTokens(
  grant: ClientGrant,
  { net, clock }: { readonly net: Net; readonly clock: Clock },
): ClientTokens {
  let kept: { readonly token: Secret; readonly until: number } | undefined;
  let asking: Promise<TokenFound> | undefined;
  const ask = async (signal: AbortSignal): Promise<TokenFound> => {
    const { url, id, secret, scope } = grant;
    const form = { grant_type: "client_credentials", client_id: id, client_secret: secret.reveal(), scope };
    const answer = await httpCall(net, { method: "POST", url, form, signal });
    // Whatever became of this request, nothing of the message was sent.
    if (!answer.got) return { found: "none", seen: { saw: "unsent", error: `no token: ${answer.seen.error}` } };
    const read = answer.status === 200 ? TokenShape.safeParse(parseJsonText(answer.text)).data : undefined;
    if (read !== undefined) {
      const token = new Secret(read.access_token);
      kept = { token, until: clock.now() + read.expires_in * 1000 - EARLY_MS };
      return { found: "token", token };
    }
    kept = undefined;
    const error = `the token endpoint answered ${answer.status}`;
    if (answer.status >= 500 || answer.status === 429) return { found: "none", seen: { saw: "unsent", error } };
    const why = `${error}: ${grant.refused}`;
    return { found: "none", seen: { saw: "answer", status: 401, ownFormat: true, credential: true, error: why } };
  };
  return {
    get: async (signal, fresh = false) => {
      if (!fresh && kept !== undefined && clock.now() < kept.until) return { found: "token", token: kept.token };
      asking ??= ask(signal).finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}
