import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Api, createApi } from "./net/api.js";
import { type Auth, createAuth, tokenStore, words } from "./net/auth.js";
import { createRpc, type Rpc } from "./net/rpc.js";
import { createDialogs, type Dialogs, type OpenDialog } from "./state/dialogs.js";
import { parseRoute, type Route } from "./state/route.js";
import type { Connection, Session } from "./state/session.js";
import { createStore, type Store } from "./state/store.js";
import { type Toast, withoutToast, withToast } from "./state/toasts.js";

/** What every part of the page works with. Components reach it through `useServices`. */
export interface Services {
  readonly api: Api;
  readonly auth: Auth;
  /** Methods and events of the owner beside the board. */
  readonly rpc: Rpc;
  readonly session: Store<Session>;
  readonly connection: Store<Connection>;
  readonly route: Store<Route>;
  readonly toasts: Store<readonly Toast[]>;
  readonly openDialogs: Store<readonly OpenDialog[]>;
  readonly dialogs: Dialogs;
  /** Tell something in passing. */
  tell(kind: Toast["kind"], text: string): void;
  /** Tell what went wrong; whoever aborted it knows already. */
  failed(error: unknown): void;
}

/** Failures stay until they are read, the rest passes by. */
const TOAST_MS = 6000;

/** Put the page's parts together for the address that the window has. */
export function createServices(window: Window): Services {
  const session = createStore<Session>({ phase: "starting" });
  const connection = createStore<Connection>({ state: "idle" });
  const toasts = createStore<readonly Toast[]>([]);
  const openDialogs = createStore<readonly OpenDialog[]>([]);
  const tokens = tokenStore(window.sessionStorage);
  const api = createApi({
    base: new URL(".", window.location.href),
    token: tokens.get,
    refused: () => {
      if (session.get().phase === "in") session.set({ phase: "out", problem: "Your session has ended: the owner was started anew." });
    },
    fetch: window.fetch.bind(window),
  });
  const auth = createAuth({ api, tokens, session, location: window.location, history: window.history });
  const tell = teller(toasts);
  const failed = (error: unknown): void => {
    if (!(error instanceof DOMException && error.name === "AbortError")) tell("failed", words(error));
  };
  return {
    api,
    auth,
    rpc: createRpc({ api, open: (url) => new WebSocket(url), failed }),
    session,
    connection,
    route: followRoute(window),
    toasts,
    openDialogs,
    dialogs: createDialogs(openDialogs),
    tell,
    failed,
  };
}

function teller(toasts: Store<readonly Toast[]>): Services["tell"] {
  let made = 0;
  return (kind, text) => {
    made += 1;
    const id = made;
    toasts.update((all) => withToast(all, { id, kind, text }));
    if (kind !== "failed") setTimeout(() => toasts.update((all) => withoutToast(all, id)), TOAST_MS);
  };
}

function followRoute(window: Window): Store<Route> {
  const route = createStore(parseRoute(window.location.hash));
  window.addEventListener("hashchange", () => route.set(parseRoute(window.location.hash)));
  return route;
}

const ServicesContext = createContext<Services | undefined>(undefined);

/** Hands the services to everything in it. */
export const ServicesProvider = ServicesContext.Provider;

/** The page's services. */
export function useServices(): Services {
  const services = useContext(ServicesContext);
  if (services === undefined) throw new Error("a component stands outside of the page");
  return services;
}
