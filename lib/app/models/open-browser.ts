import { programOnPath } from "../../base/process/program-path.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { AppOptions } from "../../config/app-options.js";
import type { McpLoginAsk } from "../../contracts/mcp/mcp.js";

type Env = Readonly<Record<string, string | undefined>>;

/** Variables by which a program finds the session of the screen. */
const KEPT = [
  "PATH",
  "HOME",
  "LANG",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
  "XDG_RUNTIME_DIR",
  "XDG_CURRENT_DESKTOP",
  "DBUS_SESSION_BUS_ADDRESS",
  "BROWSER",
];

/** A user may sit at the screen of this environment: not a build, and not a session of another machine. */
export const isAttended = (env: Env): boolean => !env["CI"] && !env["SSH_CONNECTION"] && !env["SSH_TTY"];

/**
 * Show a page in the caller's browser, where there is a screen to show it on. False: nothing was started.
 *
 * @param url https, or http of this machine.
 * @param env Environment of the caller.
 */
export async function openPage(spawner: Spawner, url: string, env: Env): Promise<boolean> {
  const screen = Boolean(env["DISPLAY"] || env["WAYLAND_DISPLAY"]);
  const name = process.platform === "darwin" ? "open" : screen ? "xdg-open" : undefined;
  const file = name === undefined || !/^https?:\/\//.test(url) ? undefined : programOnPath(name, env["PATH"]);
  if (file === undefined) return false;
  const own = Object.fromEntries(KEPT.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])));
  const child = await spawner.spawn({
    file,
    args: [url],
    cwd: "/",
    env: own,
    forPerson: true,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  child.unref();
  return true;
}

/** A login whose address is also opened in the browser of the person, where they have a screen. */
export const showMcpPage =
  ({ spawner, log }: Pick<AppOptions, "spawner" | "log">) =>
  (ask: McpLoginAsk): McpLoginAsk => ({
    ...ask,
    open: async (url) => {
      await ask.open(url);
      if (ask.browser === undefined) return;
      await openPage(spawner, url, ask.browser).catch((error: unknown) => {
        log.warning("failed to open the login page", { error: String(error) }); // its address is on the screen of the caller
      });
    },
  });
