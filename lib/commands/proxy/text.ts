import type { ProxyAdapterStatus, ProxyHeld, ProxyListenerStatus, ProxyStatus } from "../../contracts/owner/proxy.js";
import type { ListenerReport } from "../params/hold-listener.js";
import { plain } from "../render/plain.js";

/** What `agent proxy start` tells: one line for programs, the rest for people. */
export function startText(held: ProxyHeld): ListenerReport {
  const { listener, adapter, already } = held;
  const stop = already ? `it is already open; agent proxy stop --port ${listener.port} closes it` : "Ctrl+C stops it";
  return {
    ready: `PROXY_READY url=${listener.url}`,
    data: { url: listener.url, provider: adapter.name, host: listener.host, port: listener.port },
    banner: [
      `agent: ${adapter.displayName} at ${listener.url}`,
      ...keyLines(held).map((line) => `agent: ${line}`),
      `agent: ${stop}`,
    ],
  };
}

function keyLines({ token, already }: ProxyHeld): readonly string[] {
  if (token === undefined) return ["clients may use any bearer token"];
  const shown =
    token.made !== undefined
      ? `clients send Authorization: Bearer ${token.made} (shown only now)`
      : `clients send Authorization: Bearer with ${already ? "the token it was started with" : "AGENT_PROXY_TOKEN"}`;
  return [shown, "warning: other machines can connect, and traffic is not encrypted; put a TLS proxy in front of it"];
}

/** One line per login, then one per listener. */
export function renderProxyStatus({ listeners, adapters, autostart_error }: ProxyStatus): string {
  return [
    ...adapters.map(adapterLine),
    ...(listeners.length === 0 ? ["no listener is open; agent proxy start opens one"] : listeners.map(listenerLine)),
    ...(autostart_error === undefined ? [] : [`the owner failed to open it: ${autostart_error}`]),
  ].join("\n");
}

function adapterLine({ name, authenticated, expires_at, error }: ProxyAdapterStatus): string {
  if (error !== null) return `${name}  needs attention: ${plain(error)}`;
  if (!authenticated) return `${name}  not logged in`;
  return `${name}  ready${expires_at === null ? "" : `, token valid until ${localTime(expires_at)}`}`;
}

/** A listener with its numbers. */
function listenerLine({ url, provider, since, active, total, errors }: ProxyListenerStatus): string {
  return `${url}  ${provider}  since ${localTime(since)}  active ${active}  total ${total}  errors ${errors}`;
}

/** `2026-01-31 09:15`, in the zone of this machine. */
function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}
