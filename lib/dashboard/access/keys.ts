import { configKey } from "../../contracts/config/config.js";

export const DASHBOARD_HOST = configKey<string>({
  key: "dashboard.host",
  kind: { type: "string" },
  default: "127.0.0.1",
  help: "Address on which the dashboard listens.",
});

export const DASHBOARD_PORT = configKey<number>({
  key: "dashboard.port",
  kind: { type: "integer", min: 0, max: 65_535 },
  default: 9119,
  help: "Port on which the dashboard listens; 0 takes a free one.",
});

export const DASHBOARD_AUTOSTART = configKey<boolean>({
  key: "dashboard.autostart",
  kind: { type: "boolean" },
  default: false,
  help: "Open the dashboard with every owner that stays.",
});

export const DASHBOARD_HOSTS = configKey<readonly string[]>({
  key: "dashboard.allowed_hosts",
  kind: { type: "strings" },
  default: [],
  help: "Further names by which the dashboard may be called, e.g. of a reverse proxy.",
});

export const DASHBOARD_ORIGINS = configKey<readonly string[]>({
  key: "dashboard.allowed_origins",
  kind: { type: "strings" },
  default: [],
  help: "Exact origins (https://host:port) whose pages may call the dashboard.",
});

export const DASHBOARD_BASE = configKey<string>({
  key: "dashboard.base_path",
  kind: { type: "string" },
  default: "",
  help: "Prefix of every path, for a reverse proxy that mounts the dashboard below one.",
});

export const DASHBOARD_THEME = configKey<string>({
  key: "dashboard.theme",
  kind: { type: "string" },
  default: "default",
  help: "Look of the dashboard's page.",
});

/** The listener takes 256 connections at most, and the rest are for requests. */
const CLIENTS_MOST = 240;

export const DASHBOARD_CLIENTS = configKey<number>({
  key: "dashboard.max_clients",
  kind: { type: "integer", min: 1, max: CLIENTS_MOST },
  default: 64,
  help: "WebSockets and event streams of one owner's dashboards at once.",
});

export const DASHBOARD_KEYS = [
  DASHBOARD_HOST,
  DASHBOARD_PORT,
  DASHBOARD_AUTOSTART,
  DASHBOARD_HOSTS,
  DASHBOARD_ORIGINS,
  DASHBOARD_BASE,
  DASHBOARD_THEME,
  DASHBOARD_CLIENTS,
] as const;
