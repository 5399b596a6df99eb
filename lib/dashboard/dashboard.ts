import { AppError } from "../base/errors.js";
import { importFile } from "../base/fs/import-file.js";
import type { Secret } from "../base/secret.js";
import type { LiveListener } from "../contracts/owner/listeners.js";
import { canonicalBase } from "../http/base-path.js";
import { closeServer } from "../http/close.js";
import type { EndpointReply } from "../http/endpoint.js";
import type { GuardRules } from "../http/guard.js";
import { isEveryInterface } from "../http/host.js";
import { authority, createHttpServer, listenOn, ownAddresses } from "../http/listener.js";
import { detailShape } from "../http/reply.js";
import { serveEndpoints } from "../http/serve.js";
import { createSockets } from "../http/sockets.js";
import { NO_SOCKET, serveUpgrades, type Upgrade } from "../http/upgrade.js";
import { createDashboardAccess, type DashboardAccess } from "./access/access.js";
import { DASHBOARD_BASE, DASHBOARD_HOSTS, DASHBOARD_ORIGINS } from "./access/keys.js";
import { readPassword } from "./access/password-hash.js";
import { DASHBOARD_ENDPOINTS } from "./all-endpoints.js";
import { cookiePlace } from "./core/cookie-place.js";
import type { DashboardServices } from "./core/parts.js";
import { CALLBACK_PATH, LOGIN_PATH, loginPage } from "./login/login-pages.js";
import type { ImportApi } from "./plugins/load.js";
import { pageFile } from "./plugins/page-files.js";
import { createPlugins, type Plugins } from "./plugins/plugins.js";

/** The largest JSON body where an endpoint says nothing. */
const BODY_MAX = 32 << 20;

/** An attachment may come over a slow line. A client without a token is refused long before. */
const REQUEST_MS = 600_000;

/** What a dashboard is made of. */
export interface DashboardDeps {
  readonly services: DashboardServices;
  /** Directory of the built page. */
  readonly pageDir: string;
  /** Token that the user has set; without it each listener makes one. */
  readonly sessionToken?: string | undefined;
  /** Runs the code of an enabled plugin. */
  readonly importModule?: ImportApi | undefined;
}

/** An open listener of the dashboard. */
export interface OpenDashboard extends LiveListener {
  readonly access: DashboardAccess;
  /** A URL that logs its opener in, once and within two minutes. */
  entryUrl(): string;
}

/** The dashboard of an owner: page, endpoints, WebSockets, behind one guard and one token for each listener. */
export interface Dashboard {
  /** Listen. @throws E_CONFIG when that is not possible, or the token that was set is too short */
  open(place: {
    readonly host: string;
    readonly port: number;
    readonly token?: Secret | undefined;
  }): Promise<OpenDashboard>;
}

export function createDashboard(deps: DashboardDeps): Dashboard {
  const { services, sessionToken } = deps;
  const { config, ids, clock, log } = services;
  const basePath = () => canonicalBase(config.get(DASHBOARD_BASE)) ?? "";
  const checkBase = () => {
    if (canonicalBase(config.get(DASHBOARD_BASE)) === undefined)
      throw new AppError(
        "E_CONFIG",
        `dashboard.base_path is not a path: ${JSON.stringify(config.get(DASHBOARD_BASE))}`,
        {
          hint: "use a prefix like /agent, or nothing",
        },
      );
  };
  const plugins = pluginsOf(deps);
  const opened = new Set<DashboardAccess>();
  return {
    open: async ({ host, port, token }) => {
      checkBase();
      const access = createDashboardAccess(ids, clock, {
        chosen: token?.reveal() ?? sessionToken,
        password: () => readPassword(services.home.dir),
        providers: services.loginProviders,
        log,
      });
      const rules = rulesOf(config, host);
      const serve = serveEndpoints({
        endpoints: DASHBOARD_ENDPOINTS,
        parts: { ...services, access, plugins },
        rules,
        log,
        maxBody: BODY_MAX,
        basePath,
        admit: access.admit,
        also: (request) => access.logins.renewal(request, cookiePlace(request, config)),
        isPrivate: (path) => path === "/api" || path.startsWith("/api/"),
        route: plugins.route,
        files: async (path, request) =>
          (await loginPage(path, request, { access, config })) ??
          fileAt(path, request.headers["if-none-match"], { plugins, pageDir: deps.pageDir, base: basePath() }),
      });
      const server = createHttpServer(serve, detailShape, REQUEST_MS);
      const live = services.live.sockets(access);
      const more = createSockets({ routes: plugins.sockets, places: services.live.places, clock, log });
      const ways = {
        program: (upgrade: Upgrade) => live.take(upgrade),
        plugin: (upgrade: Upgrade) => more.take(upgrade, (ticket) => access.redeemSocket(ticket)),
      };
      const failed = (error: unknown) => log.error("failed to open a WebSocket", { error: String(error) });
      const take = (upgrade: Upgrade) => {
        lead(plugins, ways, access, upgrade).catch((error: unknown) => {
          failed(error);
          upgrade.socket.destroy();
        });
        return true;
      };
      serveUpgrades(server, { rules, basePath, shape: detailShape, take, failed });
      const taken = await listenOn(server, host, port);
      opened.add(access);
      const url = `http://${authority(shownHost(host), taken)}${basePath()}/`;
      return {
        port: taken,
        url,
        access,
        entryUrl: () => `${url}#code=${access.code()}`,
        close: async (grace) => {
          opened.delete(access);
          access.close();
          if (opened.size === 0) {
            services.memory.logins.close(); // no client is left who could end them
            services.memory.mcpLogins.close();
          }
          await Promise.all([live.close(), more.stop()]);
          await closeServer(server, grace, clock);
        },
      };
    },
  };
}

function pluginsOf({ services, importModule = importFile }: DashboardDeps): Plugins {
  const { clock, config, home, log, version, agentPlugins } = services;
  const directories = () => agentPlugins.directories();
  return createPlugins({ clock, config, log, version, home: home.dir, importModule, directories });
}

interface Files {
  readonly plugins: Plugins;
  readonly pageDir: string;
  readonly base: string;
}

/** What a browser loads: the page, its files, those of plugins. The base path itself leads to the page below it. */
async function fileAt(
  path: string,
  known: string | undefined,
  { plugins, pageDir, base }: Files,
): Promise<EndpointReply | undefined> {
  if (path === base) return { status: 308, bytes: Buffer.alloc(0), headers: { location: `${path}/` } };
  return (await plugins.file(path, known)) ?? pageFile(pageDir, path === LOGIN_PATH ? "/" : path, known);
}

type Ways = Readonly<Record<"program" | "plugin", (upgrade: Upgrade) => boolean>>;

/** Lead an upgrade to the server of its path. Plugins may have to be looked for first. */
async function lead(plugins: Plugins, ways: Ways, access: DashboardAccess, upgrade: Upgrade): Promise<void> {
  const holder = await plugins.holderOf(upgrade.path);
  if (upgrade.socket.destroyed) return; // the client has left
  endWithSession(upgrade, access);
  if (holder === undefined || !ways[holder](upgrade)) upgrade.refuse(400, "E_INVALID", NO_SOCKET);
}

/** A close frame with 1008. Frames are written whole, so that it stands between two of them. */
const REVOKED = Buffer.from([0x88, 0x02, 0x03, 0xf0]);

/** Who logs out has no WebSockets left. */
function endWithSession({ query, socket }: Upgrade, access: DashboardAccess): void {
  const session = access.holderOf(query.get("ticket") ?? undefined);
  if (session === undefined || !access.logins.lives(session)) return; // the ticket of one that has ended is refused
  socket.once(
    "close",
    session.onEnd(() => socket.end(REVOKED)),
  );
}

/** Settings are asked for at each request: a name that is added counts at once. */
function rulesOf(config: DashboardServices["config"], host: string): () => GuardRules {
  const own = isEveryInterface(host) ? ownAddresses : () => [];
  return () => ({
    local: true,
    pages: true,
    bindHost: host,
    ownAddresses: own(),
    allowedHosts: config.get(DASHBOARD_HOSTS),
    allowedOrigins: config.get(DASHBOARD_ORIGINS),
    landing: [`${canonicalBase(config.get(DASHBOARD_BASE)) ?? ""}${CALLBACK_PATH}`, CALLBACK_PATH],
  });
}

/** A browser does not go to the address that means all of them. */
const shownHost = (host: string): string => (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host);
