import { aborted } from "../base/aborted.js";
import { AppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import type { GatewayEnd } from "../proto/gateway-life.js";
import type { CallerIo } from "./caller.js";
import { startAgain } from "./gateway/control/again.js";
import { createHost, type Host, stopHost } from "./host.js";
import { ownForLong } from "./long-owner.js";
import { watchSettings } from "./watch.js";

export interface HeadlessOptions {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
}

/**
 * Own the home without a screen until a signal or `agent owner stop`.
 *
 * @throws E_OWNER_RUNNING naming the pid when there is an owner
 */
export async function runHeadless({ home, version, caller, globals }: HeadlessOptions): Promise<number> {
  const role = await ownForLong(home, { kind: "cli", version });
  if (role.role === "client") {
    const { pid } = role.client.owner;
    role.client.close();
    throw new AppError("E_OWNER_RUNNING", `process ${pid} owns ${home.dir} already`, { pid });
  }
  const stopping = new AbortController();
  let end: GatewayEnd | undefined;
  const stop = (asked?: GatewayEnd) => {
    end ??= asked;
    stopping.abort();
  };
  caller.signal.addEventListener("abort", () => stop(), { once: true });
  const host = await createHost({ home, kind: "long", version, env: caller.env, globals, onStop: stop });
  const unwatch = await startHost(host);
  await caller.err(`agent: owner of ${home.dir}, pid ${process.pid}; Ctrl+C stops it\n`);
  for (const problem of host.config.problems()) await caller.err(`agent: ${problem}\n`);
  await aborted(stopping.signal);
  unwatch();
  if (end !== undefined) await (await host.app.messaging()).host.stop(end);
  await stopHost(host, role, "stopped");
  const workers = (await host.app.boards()).dispatcher.running();
  if (workers > 0) await caller.err(`agent: ${workers} worker(s) go on; the next owner adopts them\n`);
  return end?.why === "restart" ? startAgain(home, caller.env, { args: ["--headless"], alone: true }) : 0;
}

/** Open the door, then start what works by itself, unless the process is there for a listener. Returns what stops the watching of settings. */
export async function startHost(host: Host): Promise<() => void> {
  await host.door();
  if (host.app.options.listens !== true) await host.app.start();
  host.app.options.log.info("owner started", { pid: process.pid, version: host.app.options.version });
  return watchSettings(host);
}
