import { once } from "../base/async/lazy.js";
import { Secret } from "../base/secret.js";
import type { DashboardEntry, Dashboards } from "../contracts/owner/dashboard.js";
import type { ListenerPlan, OpenListener } from "../contracts/owner/listeners.js";
import { DASHBOARD_HOST, DASHBOARD_PORT } from "../dashboard/access/keys.js";
import { hashed, writePassword } from "../dashboard/access/password-hash.js";
import type { OpenDashboard } from "../dashboard/dashboard.js";
import { canonicalHost, isLoopback } from "../http/host.js";
import type { App } from "./app.js";
import { buildDashboard } from "./build-dashboard.js";
import { isAttended, openPage } from "./models/open-browser.js";

/** The dashboards of an owner. Nothing listens yet. */
export function createDashboards(app: App): Dashboards {
  const { config, env, ids, spawner } = app.options;
  const dashboard = once(() => buildDashboard(app));
  const opened = new Map<string, OpenDashboard>();
  const chosen = new WeakSet<OpenDashboard>();
  const own = chosenToken(env);
  const plan = (host: string, port: number, token = own): ListenerPlan => ({
    kind: "dashboard",
    serves: "dashboard",
    host,
    port,
    open: async () => {
      const live = await (await dashboard()).open({ host, port, token });
      if (token !== undefined) chosen.add(live);
      opened.set(live.url, live);
      const close = async (grace: number) => {
        opened.delete(live.url);
        await live.close(grace);
      };
      return { port: live.port, url: live.url, close };
    },
  });
  const isChosen = (url: string) => {
    const live = opened.get(url);
    return live !== undefined && chosen.has(live);
  };
  const entryOf = (listener: OpenListener): DashboardEntry => ({
    listener,
    token: opened.get(listener.url)?.access.token ?? new Secret(""),
    chosen: isChosen(listener.url),
    loopback: isLoopback(canonicalHost(listener.host) ?? ""),
    entryUrl: () => opened.get(listener.url)?.entryUrl() ?? listener.url,
  });
  const place = () => [config.get(DASHBOARD_HOST), config.get(DASHBOARD_PORT)] as const;
  return {
    open: async ({ host = place()[0], port = place()[1], token }) => {
      const held = await (await app.listeners()).open(plan(host, port, token), "command");
      return { ...entryOf(held.listener), held };
    },
    openWithOwner: async () => {
      const listeners = await app.listeners();
      await listeners.openWithOwner("dashboard", () => listeners.open(plan(...place()), "owner"));
    },
    list: async () => (await app.listeners()).list("dashboard").map(entryOf),
    close: async () => (await app.listeners()).close(({ kind }) => kind === "dashboard"),
    failure: async () => (await app.listeners()).failure("dashboard"),
    setPassword: async (password) => {
      const replaced = writePassword(
        app.options.home.dir,
        password === undefined ? undefined : await hashed(password.reveal(), ids),
      );
      for (const { access } of opened.values()) access.logins.endInvalid();
      return replaced;
    },
    browse: async (url, desktop) => {
      if (!isAttended(desktop)) return false;
      return openPage(spawner, url, desktop).catch(() => false); // the URL is on the screen anyway
    },
  };
}

/** What the environment of a process sets. */
function chosenToken(env: App["options"]["env"]): Secret | undefined {
  const set = env["AGENT_DASHBOARD_SESSION_TOKEN"] ?? "";
  return set === "" ? undefined : new Secret(set);
}
