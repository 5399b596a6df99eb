import type { Spawner } from "../base/spawn.js";

/** What a browser needs of the desktop that it is shown on. */
const PASSED =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|BROWSER|DESKTOP_SESSION)$/;

/** The program that shows a URL on the desktop of `env`; undefined: there is no desktop, or nobody looks at it. */
export function browserFor(env: Readonly<Record<string, string>>, platform: NodeJS.Platform): string | undefined {
  const isSet = (name: string) => (env[name] ?? "") !== "";
  if (isSet("CI") || isSet("SSH_CONNECTION") || isSet("SSH_TTY")) return undefined;
  if (platform === "darwin") return "open";
  return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") ? "xdg-open" : undefined;
}

/** Show a URL in a browser. False: there is no desktop, or nothing there that shows URLs. */
export async function browse(spawner: Spawner, url: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const file = browserFor(env, process.platform);
  if (file === undefined) return false;
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name)));
  try {
    const child = await spawner.spawn({ file, args: [url], cwd: "/", env: passed, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
    child.unref();
    return true;
  } catch {
    return false; // the URL stands on the screen all the same
  }
}
