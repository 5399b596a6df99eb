import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import type { CallerIo } from "../../cli/terminal-caller.js";
import { stayInForeground } from "./foreground.js";
import { ownForLong } from "./long-owner.js";

export interface HeadlessOptions {
  readonly home: Home;
  readonly version: string;
  readonly caller: CallerIo;
  readonly globals: Readonly<Record<string, unknown>>;
}

/**
 * Own the home without a screen until a signal or `agent owner stop`.
 *
 * @returns exit code (gateway part, 3.5)
 * @throws E_OWNER_RUNNING naming the pid when there is an owner
 */
export async function runHeadless({ home, version, caller, globals }: HeadlessOptions): Promise<number> {
  const own = async () => {
    const met = await ownForLong(home, { kind: "cli", version });
    if (met.role === "owner") return met;
    const { pid } = met.client.owner;
    met.client.close();
    throw new AppError("E_OWNER_RUNNING", `process ${pid} owns ${home.dir} already`, { pid });
  };
  const again = { args: ["--headless"], alone: true };
  return stayInForeground(own, {
    home,
    version,
    caller,
    globals,
    again,
    greeting: `owner of ${home.dir}`,
    shows: false,
  });
}
