import { canonicalBase } from "../http/base-path.js";
import { closeServer } from "../http/close.js";
import type { Reply } from "../http/endpoint.js";
import type { GuardRules } from "../http/guard.js";
import { isEveryInterface } from "../http/host.js";
import { authority, createHttpServer, listenOn, ownAddresses } from "../http/listener.js";
import { detailShape } from "../http/reply.js";
import { serveEndpoints } from "../http/serve.js";
import { serveUpgrades } from "../http/upgrade.js";
import type { LiveListener } from "../proto/listeners.js";
import { type Access, createAccess } from "./access.js";
import { DASHBOARD_ENDPOINTS } from "./endpoints.js";
import { DASHBOARD_BASE, DASHBOARD_HOSTS, DASHBOARD_ORIGINS } from "./keys.js";
import { pageFile } from "./page-files.js";
import type { DashboardServices } from "./parts.js";

/** The largest JSON body where an endpoint says nothing. */
const BODY_MAX = 32 << 20;

/** What a dashboard is made of. */
export interface DashboardDeps {
  readonly services: DashboardServices;
  /** Directory of the built page. */
  readonly pageDir: string;
  /** Token that the user has set; without it each listener makes one. */
  readonly sessionToken?: string | undefined;
}

/** An open listener of the dashboard. */
export interface OpenDashboard extends LiveListener {
  readonly access: Access;
  /** A URL that lets whoever opens it in, once and within two minutes. */
  entryUrl(): string;
}

/** The dashboard of an owner: page, endpoints, WebSockets, behind one guard and one token for each listener. */
export interface Dashboard {
  /** Listen. @throws E_CONFIG when that is not possible, or the token that was set is too short */
  open(place: { readonly host: string; readonly port: number }): Promise<OpenDashboard>;
}

export function createDashboard({ services, pageDir, sessionToken }: DashboardDeps): Dashboard {
  const { config, ids, clock, log } = services;
  const basePath = () => canonicalBase(config.get(DASHBOARD_BASE)) ?? "";
  const files = async (path: string, known: string | undefined): Promise<Reply | undefined> =>
    path === basePath() ? { status: 308, bytes: Buffer.alloc(0), headers: { location: `${path}/` } } : pageFile(pageDir, path, known);
  return {
    open: async ({ host, port }) => {
      const access = createAccess(ids, clock, sessionToken);
      const rules = rulesOf(config, host);
      const serve = serveEndpoints({
        ...{ endpoints: DASHBOARD_ENDPOINTS, parts: { ...services, access }, rules, log, maxBody: BODY_MAX, basePath },
        admit: access.admit,
        isPrivate: (path) => path === "/api" || path.startsWith("/api/"),
        files: (path, { headers }) => files(path, headers["if-none-match"]),
      });
      const server = createHttpServer(serve, detailShape);
      const live = services.live.sockets(access);
      serveUpgrades(server, { rules, basePath, shape: detailShape, take: live.take });
      const taken = await listenOn(server, host, port);
      const url = `http://${authority(shownHost(host), taken)}${basePath()}/`;
      return {
        port: taken,
        url,
        access,
        entryUrl: () => `${url}#code=${access.code()}`,
        close: async (grace) => {
          await live.close();
          await closeServer(server, grace, clock);
        },
      };
    },
  };
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
  });
}

/** A browser does not go to the address that means all of them. */
const shownHost = (host: string): string => (host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host);
