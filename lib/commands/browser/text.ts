import type { BrowserStatus } from "../../contracts/browser/browser.js";

/** What tools work in, in a few lines. */
export function browserText(status: BrowserStatus): string {
  const { note } = status;
  return [`browser: ${browserLine(status)}`, ...(note === null ? [] : [note]), ...leaseLines(status)].join("\n");
}

/** Which browser, whether it runs, and its contexts: `local (/usr/bin/chromium), running 150.0, 2 contexts`. */
export function browserLine({ kind, where, running, version, contexts, why }: BrowserStatus): string {
  if (kind === "none") return `none (${why ?? "unknown reason"})`;
  const name = kind === "local" ? "local" : kind === "attached" ? "your own, connected" : "of a plugin";
  const runs = version === null ? "running" : `running ${version}`;
  const state = running ? `${runs}, ${contexts} ${contexts === 1 ? "context" : "contexts"}` : "not running";
  return `${name} (${where ?? ""}), ${state}`;
}

/** One line for each leased profile. */
export const leaseLines = ({ leases }: Pick<BrowserStatus, "leases">): readonly string[] =>
  leases.map(({ owner, browser, live }) =>
    live
      ? `profile leased by process ${owner ?? "unknown"}, browser ${browser ?? "starting"}`
      : `profile left by ended process ${owner ?? "unknown"}; the next start of a browser removes it`,
  );
