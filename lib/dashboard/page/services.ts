import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { type Api, ApiError, createApi } from "./net/api.js";
import { type Auth, codeIn, createAuth, tokenStore, words } from "./net/auth.js";
import { createRpc, type Rpc } from "./net/rpc.js";
import { loadPlugins, type PluginTab } from "./plugins/tabs.js";
import { createDialogs, type Dialogs, type OpenDialog } from "./state/dialogs.js";
import { formatRoute, type PageRoute, parseRoute, withQuery } from "./state/route.js";
import type { PageConnection, Session } from "./state/session.js";
import { createStore, type Store } from "./state/store.js";
import { type Toast, withoutToast, withToast } from "./state/toasts.js";

/** What every part of the page works with. Components reach it through `useServices`. */
export interface Services {
  readonly api: Api;
  readonly auth: Auth;
  /** Methods and events of the owner beside the board. */
  readonly rpc: Rpc;
  readonly session: Store<Session>;
  readonly connection: Store<PageConnection>;
  readonly route: Store<PageRoute>;
  /** Replace parts of the query of the address, without a step in the history; undefined takes one out. */
  readdress(change: Readonly<Record<string, string | undefined>>): void;
  /** Enabled plugins; undefined: not told yet. */
  readonly plugins: Store<readonly PluginTab[] | undefined>;
  readonly toasts: Store<readonly Toast[]>;
  readonly openDialogs: Store<readonly OpenDialog[]>;
  readonly dialogs: Dialogs;
  /** Tell something in passing. */
  tell(kind: Toast["kind"], text: string): void;
  /** Report what went wrong; a caller that aborted it, or is asked for the token, knows already. */
  failed(error: unknown): void;
}

/** Failures stay until they are read, the rest passes by. */
const TOAST_MS = 6000;

/** Put the page's parts together for the address that the window has. */
export function createServices(window: Window): Services {
  const session = createStore<Session>({ phase: "starting" });
  const connection = createStore<PageConnection>({ state: "idle" });
  const toasts = createStore<readonly Toast[]>([]);
  const openDialogs = createStore<readonly OpenDialog[]>([]);
  const tokens = tokenStore(window.sessionStorage);
  const api = createApi({
    base: new URL(".", window.location.href),
    token: tokens.get,
    refused: () => auth.lost(),
    fetch: window.fetch.bind(window),
  });
  const auth: Auth = createAuth({ api, tokens, session, location: window.location, history: window.history });
  const tell = teller(toasts);
  const failed = (error: unknown): void => {
    const aborted = error instanceof DOMException && error.name === "AbortError";
    const asked = error instanceof ApiError && error.status === 401;
    if (!aborted && !asked) tell("failed", words(error));
  };
  const rpc = createRpc({ api, open: (url) => new WebSocket(url), failed });
  // A user who is logged in again, and whose board is live again, does not wait for anything else.
  session.subscribe(() => session.get().phase === "in" && rpc.now());
  connection.subscribe(() => connection.get().state === "open" && rpc.now());
  const plugins = createStore<readonly PluginTab[] | undefined>(undefined);
  session.subscribe(() => {
    if (session.get().phase === "in" && plugins.get() === undefined) loadPlugins(api).then(plugins.set, failed);
  });
  const route = followRoute(window, () => void auth.start().catch(failed));
  return {
    api,
    auth,
    plugins,
    rpc,
    session,
    connection,
    route,
    readdress: (change) => {
      const next = withQuery(route.get(), change);
      if (next === route.get()) return;
      window.history.replaceState(window.history.state, "", formatRoute(next));
      route.set(next);
    },
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

/** Follow the address. A link that signs in may be opened where the page is already. */
function followRoute(window: Window, enter: () => void): Store<PageRoute> {
  const route = createStore(parseRoute(window.location.hash));
  window.addEventListener("hashchange", () => {
    if (codeIn(window.location.hash) !== undefined) enter();
    route.set(parseRoute(window.location.hash));
  });
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
