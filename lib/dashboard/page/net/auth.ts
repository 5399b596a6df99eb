import type { Session } from "../state/session.js";
import type { Store } from "../state/store.js";
import type { Api } from "./api.js";
import { ApiError } from "./api.js";
import { cookieCredential, isCookie } from "./credential.js";

const KEY = "agent.token";

/** Where the token is kept: for this window, as long as it is open. */
export const tokenStore = (storage: Pick<Storage, "getItem" | "setItem" | "removeItem">) => ({
  get: (): string | undefined => storage.getItem(KEY) ?? undefined,
  set: (token: string): void => storage.setItem(KEY, token),
  clear: (): void => storage.removeItem(KEY),
});

export interface Auth {
  /** Take the one-time code out of the address, or the token of before, and see whether it is good. */
  start(): Promise<void>;
  /** Try a pasted token: true, or what is wrong with it. */
  signIn(token: string): Promise<true | string>;
  /** Ways to log in beside the token. */
  ways(): Promise<readonly LoginWay[]>;
  /** Try a password: true, or what is wrong with it. */
  logIn(password: string): Promise<true | string>;
  signOut(): void;
  /** The owner no longer takes the token: it was started again. */
  lost(): void;
}

/** A way to log in: with the password, or by going to an address. */
export interface LoginWay {
  readonly name: string;
  readonly label: string;
  readonly login: string;
  readonly kind: "password" | "browser";
}

interface AuthParts {
  readonly api: Api;
  readonly tokens: ReturnType<typeof tokenStore>;
  readonly session: Store<Session>;
  readonly location: Pick<Location, "hash" | "pathname" | "search">;
  readonly history: Pick<History, "replaceState">;
}

/** How a user comes into the page. */
export function createAuth({ api, tokens, session, location, history }: AuthParts): Auth {
  const out = (problem?: string): void => {
    tokens.clear();
    session.set({ phase: "out", problem, again: false });
  };
  const known = async (): Promise<void> => {
    // A path that wants the token and costs nothing.
    await api.get("api/auth/me");
    session.set({ phase: "in" });
  };
  return {
    async start() {
      const code = codeIn(location.hash);
      if (code !== undefined) {
        // Before anything else: what stands in the address stands in the history of the browser.
        history.replaceState(null, "", `${location.pathname}${location.search}#/board`);
        const problem = await exchange(api, code, tokens.set);
        if (problem !== undefined && tokens.get() === undefined) return out(problem);
      }
      if (tokens.get() === undefined && !(await byCookie(api, tokens))) return out();
      await known().catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return out("Your session has ended.");
        // No answer: the page opens, says so and goes on trying.
        session.set({ phase: "in" });
      });
    },
    async signIn(token) {
      const before = tokens.get();
      tokens.set(token.trim());
      try {
        await known();
        return true;
      } catch (error) {
        if (before === undefined) tokens.clear();
        else tokens.set(before);
        return error instanceof ApiError && error.status === 401
          ? "This is not the token of the running owner."
          : words(error);
      }
    },
    ways: () => waysOf(api),
    async logIn(password) {
      try {
        const { csrf } = await api.send<{ csrf: string }>("POST", "api/auth/password-login", { password });
        tokens.set(cookieCredential(csrf));
        await known();
        return true;
      } catch (error) {
        return error instanceof ApiError && error.status === 401 ? "Wrong password." : words(error);
      }
    },
    signOut: () => {
      if (isCookie(tokens.get())) api.send("POST", "api/auth/logout").catch(() => undefined);
      out();
    },
    lost: () => {
      if (session.get().phase !== "in") return;
      tokens.clear();
      session.set({ phase: "out", problem: "The owner has restarted; sign in again.", again: true });
    },
  };
}

async function waysOf(api: Api): Promise<readonly LoginWay[]> {
  const { providers = [] } = await api.get<{ providers?: readonly LoginWay[] }>("api/auth/providers");
  return providers;
}

/** This browser may have logged in with the password or through a plugin, here or in another window. */
async function byCookie(api: Api, tokens: AuthParts["tokens"]): Promise<boolean> {
  try {
    if ((await waysOf(api)).length === 0) return false;
    tokens.set(cookieCredential(""));
    const { csrf } = await api.get<{ csrf: string | null }>("api/auth/me");
    tokens.set(cookieCredential(csrf ?? ""));
    return csrf !== null;
  } catch {
    tokens.clear(); // they are no longer valid: the question for the token comes next
    return false;
  }
}

/** The code in `#code=…`. */
export const codeIn = (hash: string): string | undefined => /^#code=([A-Za-z0-9_-]+)$/.exec(hash)?.[1];

async function exchange(api: Api, code: string, keep: (token: string) => void): Promise<string | undefined> {
  try {
    const { token } = await api.send<{ token: string }>("POST", "api/auth/exchange", { code });
    keep(token);
    return undefined;
  } catch (error) {
    return error instanceof ApiError && error.status === 401
      ? "This link has already been used or has expired."
      : words(error);
  }
}

/** What an error says to a person. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
