import { type HostPort, parseHostPort } from "../../http/host.js";

/**
 * The origin under which a browser reached the dashboard: behind a TLS proxy the entry of `dashboard.allowed_origins` with the name that was asked for,
 * otherwise plain HTTP. The guard has looked at the Host header.
 */
export function publicOrigin(hostHeader: string | undefined, allowedOrigins: readonly string[]): string {
  const host = parseHostPort(hostHeader ?? "");
  if (host === undefined) return "http://127.0.0.1"; // the guard lets none such in
  const own = (origin: string) => sameHost(origin, host);
  const plain = allowedOrigins.some((origin) => origin.startsWith("http://") && own(origin));
  const secure = allowedOrigins.find((origin) => origin.startsWith("https://") && own(origin));
  return plain || secure === undefined ? `http://${hostHeader}` : secure;
}

/** A proxy may pass its port on or leave it out. */
function sameHost(origin: string, host: HostPort): boolean {
  const given = parseHostPort(origin.replace(/^https?:\/\//, ""));
  return given?.host === host.host && (host.port === undefined || given.port === undefined || given.port === host.port);
}
