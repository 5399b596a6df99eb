import { once } from "../base/async/lazy.js";
import { distFile } from "../base/fs/dist.js";
import { PICTURE_BYTES } from "../base/fs/picture-facts.js";
import { chooseDesktopBackend, driverCommand } from "../contracts/desktop/backend.js";
import type { DesktopApi } from "../contracts/desktop/desktop.js";
import { DriverFailure } from "../contracts/desktop/driver.js";
import { MAX_CAPTURE_PX } from "../contracts/desktop/keys.js";
import type { OutsideOptions, OutsidePart } from "./outside-part.js";

type Env = Readonly<Record<string, string | undefined>>;

/** The desktop of `computer_use`. Nothing of it is loaded, and no driver started, before its first use. */
export const desktopPart: OutsidePart = (options) => {
  const loaded = once(() => build(options));
  const desktop: DesktopApi = {
    aim: async (...given) => (await loaded()).desktop.aim(...given),
    act: async (...given) => (await loaded()).desktop.act(...given),
    release: async (session) => (await loaded.peek())?.desktop.release(session),
  };
  return { ports: { desktop }, close: async () => (await loaded.peek())?.close() };
};

/** All that a driver gets of the front end's environment, beside what every MCP server gets. */
const PASSED = ["DISPLAY", "XAUTHORITY", "AGENT_NOOP_DRIVER_LOG"] as const;

const passedOf = (env: Env): Readonly<Record<string, string>> =>
  Object.fromEntries(PASSED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));

async function build(options: OutsideOptions) {
  const [
    { createDesktop },
    { createDrivers },
    { createLastCaptures },
    { createDriverStarter },
    scaling,
    media,
    secrets,
  ] = await Promise.all([
    import("../desktop/desktop.js"),
    import("../desktop/drivers.js"),
    import("../desktop/last-capture.js"),
    import("../../adapters/desktop/external/client.js"),
    import("../base/fs/picture-scale.js"),
    import("../media/cache.js"),
    import("./known-secrets.js"),
  ]);
  const { clock, config, home } = options;
  const log = options.log.child("desktop");
  const redact = secrets.logRedactor(config, home);
  const listen = async () => {
    throw new DriverFailure("answered", "a desktop driver has no login");
  };
  const start = createDriverStarter({ ...options, log, redact, listen, version: "1" });
  const drivers = createDrivers({
    key: (env) => JSON.stringify([chooseDesktopBackend(env), driverCommand(env), passedOf(env)]),
    start: async (env) => {
      const command = commandOf(env);
      return await start({ command, env: { ...passedOf(env), AGENT_HOME: home.dir } });
    },
  });
  const cache = media.createMediaCache(options);
  const desktop = createDesktop({
    clock,
    drivers,
    captures: createLastCaptures(),
    maxSide: () => config.get(MAX_CAPTURE_PX),
    scale: async (picture, maxSide) => {
      const scaled = await scaling.scalePicture(Buffer.from(picture), { maxSide, maxBytes: PICTURE_BYTES });
      return "why" in scaled ? undefined : scaled.bytes;
    },
    save: (picture) => cache.save("screenshots", "desktop", picture),
  });
  return { desktop, close: () => drivers.close() };
}

/** The command line of the driver of this place. @throws DriverFailure */
function commandOf(env: Env): readonly string[] {
  const chosen = chooseDesktopBackend(env);
  if (!chosen.ok) throw new DriverFailure("unsent", chosen.why);
  if (chosen.backend === "external") return driverCommand(env);
  return [process.execPath, distFile("agent.cjs"), "computer-use", "driver", chosen.backend];
}
