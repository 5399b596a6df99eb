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
  /** Try a token that somebody has pasted: true, or what is wrong with it. */
  signIn(token: string): Promise<true | string>;
  /** Somebody may log in with a password as well. */
  offersPassword(): Promise<boolean>;
  /** Try a password: true, or what is wrong with it. */
  logIn(password: string): Promise<true | string>;
  signOut(): void;
  /** The owner does not take the token any more: it was started anew. */
  lost(): void;
}

interface AuthParts {
  readonly api: Api;
  readonly tokens: ReturnType<typeof tokenStore>;
  readonly session: Store<Session>;
  readonly location: Pick<Location, "hash" | "pathname" | "search">;
  readonly history: Pick<History, "replaceState">;
}

/** How somebody comes into the page. */
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
        // Nobody answers: the page opens, says so and goes on trying.
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
          ? "This token is not the one of the running owner."
          : words(error);
      }
    },
    offersPassword: () => offersPassword(api),
    async logIn(password) {
      try {
        const { csrf } = await api.send<{ csrf: string }>("POST", "api/auth/password-login", { password });
        tokens.set(cookieCredential(csrf));
        await known();
        return true;
      } catch (error) {
        return error instanceof ApiError && error.status === 401 ? "This is not the password." : words(error);
      }
    },
    signOut: () => {
      if (isCookie(tokens.get())) api.send("POST", "api/auth/logout").catch(() => undefined);
      out();
    },
    lost: () => {
      if (session.get().phase !== "in") return;
      tokens.clear();
      session.set({ phase: "out", problem: "The owner was started anew and asks who you are.", again: true });
    },
  };
}

async function offersPassword(api: Api): Promise<boolean> {
  const { providers = [] } = await api.get<{ providers?: readonly { name: string }[] }>("api/auth/providers");
  return providers.some(({ name }) => name === "password");
}

/** Another window of this browser may have logged in with the password. */
async function byCookie(api: Api, tokens: AuthParts["tokens"]): Promise<boolean> {
  try {
    if (!(await offersPassword(api))) return false;
    tokens.set(cookieCredential(""));
    const { csrf } = await api.get<{ csrf: string | null }>("api/auth/me");
    tokens.set(cookieCredential(csrf ?? ""));
    return csrf !== null;
  } catch {
    tokens.clear(); // nobody is known by it: the question for the token comes next
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
      ? "This link was used before, or it is too old."
      : words(error);
  }
}

/** What an error says to a person. */
export const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
