import { configKey } from "../../contracts/config/config.js";

export const DASHBOARD_HOST = configKey<string>({
  key: "dashboard.host",
  kind: { type: "string" },
  default: "127.0.0.1",
  help: "Address that the dashboard listens on.",
});

export const DASHBOARD_PORT = configKey<number>({
  key: "dashboard.port",
  kind: { type: "integer", min: 0, max: 65_535 },
  default: 9119,
  help: "Port that the dashboard listens on (0 = any free port).",
});

export const DASHBOARD_AUTOSTART = configKey<boolean>({
  key: "dashboard.autostart",
  kind: { type: "boolean" },
  default: false,
  help: "Open the dashboard with every long-lived owner.",
});

export const DASHBOARD_HOSTS = configKey<readonly string[]>({
  key: "dashboard.allowed_hosts",
  kind: { type: "strings" },
  default: [],
  help: "Additional host names of the dashboard, e.g. of a reverse proxy.",
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
  help: "Path prefix, for a reverse proxy that mounts the dashboard below a path.",
});

export const DASHBOARD_THEME = configKey<string>({
  key: "dashboard.theme",
  kind: { type: "string" },
  default: "default",
  help: "Theme of the dashboard.",
});

/** The listener takes 256 connections at most, and the rest are for requests. */
const CLIENTS_MOST = 240;

export const DASHBOARD_CLIENTS = configKey<number>({
  key: "dashboard.max_clients",
  kind: { type: "integer", min: 1, max: CLIENTS_MOST },
  default: 64,
  help: "Maximum concurrent WebSockets and event streams of an owner's dashboards.",
});

export const HIDDEN_PLUGINS = configKey<readonly string[]>({
  key: "dashboard.hidden_plugins",
  kind: { type: "strings" },
  default: [],
  help: "Plugins whose tab is hidden, by key.",
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
  HIDDEN_PLUGINS,
] as const;
