import { AppError } from "../../base/errors.js";
import type { DashboardEntry } from "../../contracts/owner/dashboard.js";
import type { CommandContext } from "../define.js";

/** What whoever has opened a dashboard should know, one line each. */
export function entryLines({ listener, loopback, chosen, token }: DashboardEntry, already: boolean): readonly string[] {
  const base = [
    `agent: the dashboard is at ${listener.url}`,
    "agent: the URL above lets you in once, within two minutes; agent dashboard url makes another one",
  ];
  const outside = [
    `agent: it listens on ${listener.host}, and other machines reach it: traffic is NOT encrypted. Put a proxy with TLS in front of it.`,
    ...(chosen ? [] : [`agent: session token: ${token.reveal()}`]),
  ];
  const stays =
    listener.heldBy === "owner" ? "it closes with the owner" : "it was open before and stays with whoever opened it";
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
