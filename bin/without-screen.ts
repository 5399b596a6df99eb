import { systemClock } from "../lib/base/time/clock.js";
import { AFTER_TERMINAL, LINGER_SECONDS } from "../lib/config/display-keys.js";
import type { UnderWay } from "../lib/contracts/owner/owner.js";
import type { LocalOwner } from "./local-owner.js";

const LOOK_MS = 1_000;

/** An owner whose terminal was lost goes on as `owner.after_terminal` says. Resolves when it is to stop. */
export async function afterTerminal({ host }: LocalOwner, stop: AbortSignal): Promise<void> {
  const { config, app } = host;
  const after = config.get(AFTER_TERMINAL);
  app.options.log.warning("terminal lost", { after_terminal: after, pid: process.pid });
  if (after === "stop") return;
  if (after === "stay") return await aborted(stop);
  let idleSince: number | undefined;
  while (!stop.aborted) {
    const left = await nothingLeft(host);
    const now = systemClock.mono();
    idleSince = left ? (idleSince ?? now) : undefined;
    if (idleSince !== undefined && now - idleSince >= config.get(LINGER_SECONDS) * 1_000) return;
    await systemClock.sleep(LOOK_MS, stop).catch(() => undefined); // the end of the wait is looked at above
  }
}

async function nothingLeft({ app }: LocalOwner["host"]): Promise<boolean> {
  const work = await app.owner.underWay();
  const { clients } = await app.owner.status();
  return clients === 0 && Object.values(work).every((names: readonly string[]) => names.length === 0);
}

/** The message of an owner that continues without a screen in the foreground of its shell. */
export function renderContinuing({ turns, children, processes, workers }: UnderWay): string {
  const counts: readonly (readonly [number, string])[] = [
    [turns.length, "turn"],
    [children.length, "child"],
    [processes.length, "background process"],
    [workers.length, "run"],
  ];
  const many = (count: number, name: string) =>
    count === 1 ? name : name === "child" ? "children" : name.endsWith("s") ? `${name}es` : `${name}s`;
  const parts = counts.flatMap(([count, name]) => (count === 0 ? [] : [`${count} ${many(count, name)}`]));
  const work =
    parts.length === 0
      ? "Nothing is running"
      : `${parts.join(", ")} ${parts.length === 1 && /^1 /.test(parts[0] ?? "") ? "continues" : "continue"}`;
  return `${work} in process ${process.pid}. \`agent\` in another terminal shows it; Ctrl+C here stops it gracefully.`;
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
