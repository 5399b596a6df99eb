import { AppError } from "../../base/errors.js";
import type { DashboardEntry } from "../../contracts/owner/dashboard.js";
import type { CommandContext } from "../define.js";

/** What the opener of a dashboard should know, one line each. */
export function entryLines({ listener, loopback, chosen, token }: DashboardEntry, already: boolean): readonly string[] {
  const base = [
    `agent: the dashboard is at ${listener.url}`,
    "agent: open the URL above within two minutes; it works once. agent dashboard url creates another",
  ];
  const outside = [
    `agent: it listens on ${listener.host} and can be reached from other machines; traffic is NOT encrypted. Put a TLS proxy in front of it.`,
    ...(chosen ? [] : [`agent: session token: ${token.reveal()}`]),
  ];
  const stays = listener.heldBy === "owner" ? "it closes with the owner" : "it was already open and stays open";
  const end = already
    ? `agent: ${stays}; agent dashboard --stop closes it at once`
    : "agent: Ctrl+C or agent dashboard --stop closes it";
  return [...base, ...(loopback || already ? [] : outside), end];
}

/** The dashboard that is open, the first one of several. @throws E_NOT_FOUND */
export async function openEntry({ dashboard }: CommandContext, port: number | undefined): Promise<DashboardEntry> {
  const open = (await dashboard.list()).find(({ listener }) => port === undefined || listener.port === port);
  if (open) return open;
  const where = port === undefined ? "" : ` on port ${port}`;
  throw new AppError("E_NOT_FOUND", `no dashboard is open${where}`, { hint: "agent dashboard opens one" });
}
