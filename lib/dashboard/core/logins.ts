import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { AuthApi, AuthEntry, AuthLogin } from "../../contracts/models/auth.js";

/** A login that a user makes in a browser, while it is waited for and after it. */
export interface LoginStatus {
  readonly login: string;
  readonly provider: string;
  readonly state: "waiting" | "done" | "failed";
  /** Where the user goes, and what has to be confirmed there; an empty code: nothing. */
  readonly url: string;
  readonly code: string;
  readonly expires_at: EpochMs;
  readonly entry: AuthEntry | null;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** What may be said of a new login. `paste`: the user brings the address that the browser ends at. */
export type LoginWish = Omit<AuthLogin, "told" | "signal" | "paste" | "browser" | "timeoutMs"> & {
  readonly paste: boolean;
};

/** Logins under way, and the last that ended. */
export interface PendingLogins {
  /** Resolves when it is known what the user has to do. @throws E_BUSY, E_USAGE, E_AUTH */
  start(auth: AuthApi, provider: string, wish: LoginWish): Promise<LoginStatus>;
  /** Undefined: none of that provider has this name. */
  status(provider: string, login: string): LoginStatus | undefined;
  /** Bring what the user has pasted. False: nothing is waited for. */
  submit(provider: string, login: string, text: string): boolean;
  /** Give it up; nothing is stored. */
  cancel(provider: string, login: string): void;
  /** Give all of them up. */
  close(): void;
}

interface Pending {
  status: LoginStatus;
  readonly gone: AbortController;
  /** The user is to bring something. */
  readonly pastes: boolean;
  /** What came before it was asked for. */
  brought?: string;
  paste?: (text: string) => void;
}

const OPEN_MAX = 4;
const KEPT_MAX = 32;

export function createPendingLogins(clock: Clock, ids: Pick<Ids, "hex">): PendingLogins {
  const known = new Map<string, Pending>();
  const find = (provider: string, login: string) => {
    const found = known.get(login);
    return found?.status.provider === provider ? found : undefined;
  };
  return {
    start: async (auth, provider, wish) => {
      if ([...known.values()].filter(({ status }) => status.state === "waiting").length >= OPEN_MAX)
        throw new AppError("E_BUSY", `too many logins are waiting (limit ${OPEN_MAX}); cancel one first`, {
          bound: OPEN_MAX,
        });
      const { id } = await auth.ways(provider);
      const none = { url: "", code: "", expires_at: clock.now(), entry: null, error: null };
      const status: LoginStatus = { login: ids.hex(12), provider: id, state: "waiting", ...none };
      const pending: Pending = { status, gone: new AbortController(), pastes: wish.paste };
      keep(known, pending);
      return begun(auth, pending, wish);
    },
    status: (provider, login) => find(provider, login)?.status,
    submit: (provider, login, text) => {
      const found = find(provider, login);
      if (found?.pastes !== true || found.status.state !== "waiting") return false;
      if (found.paste === undefined) found.brought = text;
      else found.paste(text);
      return true;
    },
    cancel: (provider, login) => find(provider, login)?.gone.abort(given()),
    close: () => {
      for (const { gone } of known.values()) gone.abort(given());
    },
  };
}

const given = (): AppError => new AppError("E_INTERRUPTED", "login cancelled; nothing stored");

function keep(known: Map<string, Pending>, pending: Pending): void {
  for (const [login, { status }] of known)
    if (known.size >= KEPT_MAX && status.state !== "waiting") known.delete(login);
  known.set(pending.status.login, pending);
}

/** The login goes on behind the answer, which comes as soon as the user can do something. */
function begun(auth: AuthApi, pending: Pending, { paste, ...wish }: LoginWish): Promise<LoginStatus> {
  return new Promise((resolve, reject) => {
    const pasted = () =>
      new Promise<string>((bring, fail) => {
        pending.gone.signal.addEventListener("abort", () => fail(given()), { once: true });
        if (pending.gone.signal.aborted) fail(given());
        if (pending.brought === undefined) pending.paste = bring;
        else bring(pending.brought);
      });
    const told: AuthLogin["told"] = async ({ url, code, expiresAt }) => {
      pending.status = { ...pending.status, url, code, expires_at: expiresAt };
      resolve(pending.status);
    };
    const login = auth.login(pending.status.provider, {
      ...wish,
      told,
      signal: pending.gone.signal,
      ...(paste ? { paste: pasted } : {}),
    });
    login.then(
      ({ entry }) => {
        pending.status = { ...pending.status, state: "done", entry };
        resolve(pending.status);
      },
      (thrown: unknown) => {
        const error = pending.gone.signal.aborted ? given() : toAppError(thrown);
        pending.status = { ...pending.status, state: "failed", error: { code: error.code, detail: error.message } };
        reject(error);
      },
    );
  });
}
