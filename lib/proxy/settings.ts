import type { Ms } from "../base/units.js";
import { type Config, configKey } from "../contracts/config/config.js";

export const PROXY_PROVIDER = configKey<string>({
  key: "proxy.provider",
  kind: { type: "string" },
  default: "subscription",
  help: "Provider that the local proxy forwards requests to.",
});

export const PROXY_HOST = configKey<string>({
  key: "proxy.host",
  kind: { type: "string" },
  default: "127.0.0.1",
  help: "Address that the local proxy listens on; a token is required outside loopback.",
});

export const PROXY_PORT = configKey<number>({
  key: "proxy.port",
  kind: { type: "integer", min: 0, max: 65_535 },
  default: 8645,
  help: "Port of the local proxy (0 = any free port).",
});

export const PROXY_AUTOSTART = configKey<boolean>({
  key: "proxy.autostart",
  kind: { type: "boolean" },
  default: false,
  help: "Open the local proxy with every long-lived owner.",
});

const MAX_BODY = configKey<number>({
  key: "proxy.max_body_mb",
  kind: { type: "integer", min: 1, max: 1024 },
  default: 64,
  help: "Maximum request body in MiB.",
});

const RETRY_BUFFER = configKey<number>({
  key: "proxy.retry_buffer_mb",
  kind: { type: "integer", min: 0, max: 1024 },
  default: 8,
  help: "Maximum request body in MiB that is buffered for the one retry.",
});

const MAX_REQUESTS = configKey<number>({
  key: "proxy.max_requests",
  kind: { type: "integer", min: 1, max: 256 },
  default: 128,
  help: "Maximum concurrent requests per listener.",
});

const CONNECT_TIMEOUT = configKey<number>({
  key: "proxy.connect_timeout_seconds",
  kind: { type: "integer", min: 1, max: 3600 },
  default: 15,
  help: "Timeout for connecting to the provider, including TLS.",
});

const HEADER_TIMEOUT = configKey<number>({
  key: "proxy.header_timeout_seconds",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 300,
  help: "Timeout between the end of a request and the response headers.",
});

const IDLE_TIMEOUT = configKey<number>({
  key: "proxy.idle_timeout_seconds",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 300,
  help: "Idle timeout within a request or response body; the total time is unlimited.",
});

const ALLOWED_HOSTS = configKey<readonly string[]>({
  key: "proxy.allowed_hosts",
  kind: { type: "strings" },
  default: [],
  help: "Additional host names of the local proxy.",
});

const ALLOWED_ORIGINS = configKey<readonly string[]>({
  key: "proxy.allowed_origins",
  kind: { type: "strings" },
  default: [],
  help: "Origins (https://host:port) whose pages may call the local proxy.",
});

const DROP_HEADERS = configKey<readonly string[]>({
  key: "proxy.drop_headers",
  kind: { type: "strings" },
  default: [],
  help: "Additional request headers that are not forwarded; a trailing * matches a prefix.",
});

export const PROXY_KEYS = [
  PROXY_PROVIDER,
  PROXY_HOST,
  PROXY_PORT,
  PROXY_AUTOSTART,
  MAX_BODY,
  RETRY_BUFFER,
  MAX_REQUESTS,
  CONNECT_TIMEOUT,
  HEADER_TIMEOUT,
  IDLE_TIMEOUT,
  ALLOWED_HOSTS,
  ALLOWED_ORIGINS,
  DROP_HEADERS,
] as const;

/** What holds for one request. */
export interface ProxySettings {
  readonly maxBodyBytes: number;
  readonly retryBytes: number;
  readonly maxRequests: number;
  readonly connectMs: Ms;
  readonly headerMs: Ms;
  readonly idleMs: Ms;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Lower case. */
  readonly dropHeaders: readonly string[];
}

/** The settings in force, read again whenever they change until `end`. */
export function proxySettings(config: Config): { readonly get: () => ProxySettings; readonly end: () => void } {
  let known: ProxySettings | undefined;
  const end = config.onChange(() => {
    known = undefined;
  });
  const get = () => {
    known ??= read(config);
    return known;
  };
  return { get, end };
}

function read(config: Config): ProxySettings {
  return {
    maxBodyBytes: config.get(MAX_BODY) << 20,
    retryBytes: config.get(RETRY_BUFFER) << 20,
    maxRequests: config.get(MAX_REQUESTS),
    connectMs: config.get(CONNECT_TIMEOUT) * 1000,
    headerMs: config.get(HEADER_TIMEOUT) * 1000,
    idleMs: config.get(IDLE_TIMEOUT) * 1000,
    allowedHosts: config.get(ALLOWED_HOSTS),
    allowedOrigins: config.get(ALLOWED_ORIGINS),
    dropHeaders: config.get(DROP_HEADERS).map((name) => name.toLowerCase()),
  };
}
