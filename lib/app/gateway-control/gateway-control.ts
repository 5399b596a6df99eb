import { AppError, exitCodeOf, toAppError } from "../../base/errors.js";
import type { CommandLine } from "../../cli/command-line.js";
import type {
  GatewayControl,
  GatewayRunOptions,
  GatewayScope,
  GatewayVerdict,
} from "../../contracts/gateway/control.js";
import { routesOf } from "../../gateway/webhooks/build-webhooks.js";
import { enabledPlatforms } from "../gateway/enabled-platforms.js";
import { listProfilePlaces, liveStatus, lookAtHome, type ProfilePlace } from "../process/gateway-place.js";
import { hasState } from "../stores/has-state.js";
import { installedAt, installUnit, uninstallUnit } from "./gateway-units.js";
import { inspectGateway } from "./outside-status.js";
import { restartGateway, startGateway, stopGateway } from "./start-stop.js";

type Verb = (place: ProfilePlace, scope: GatewayScope) => Promise<GatewayVerdict>;

/** Gateways of this root, as the process of one command looks after them. */
export function createControl(line: CommandLine): GatewayControl {
  const here: ProfilePlace = { home: line.home, line };
  const each = (verb: Verb) => async (scope: GatewayScope) => {
    if (!scope.all) return [await verb(here, scope)];
    const verdicts: GatewayVerdict[] = [];
    for (const place of listProfilePlaces(line)) verdicts.push(await one(place, scope, verb));
    return verdicts;
  };
  return {
    run: (options) => run(here, options),
    start: each(startGateway),
    stop: each(stopGateway),
    restart: each(restartGateway),
    list: async () =>
      Promise.all(
        listProfilePlaces(line).map(async (place) => {
          const status = await liveStatus(place).catch(() => undefined); // what does not answer counts as not running
          const { profile } = place.home;
          return {
            profile,
            current: profile === line.home.profile,
            running: status?.running === true,
            pid: status?.pid ?? null,
          };
        }),
      ),
    status: (options) => inspectGateway(here, options),
    statusAll: async (options) =>
      Promise.all(
        listProfilePlaces(line).map((place) =>
          inspectGateway(place, options).catch((error: unknown) => ({
            profile: place.home.profile,
            error: toAppError(error).message,
          })),
        ),
      ),
    install: (options) => installUnit(here, options),
    uninstall: (options) => uninstallUnit(here, options),
    login: async (options) => (await import("./platform-login.js")).logInPlatform(here, options),
    setup: async (options) => (await import("./platform-setup.js")).setUpPlatform(here, options),
  };
}

/** A profile that fails keeps no other from being handled. */
async function one(place: ProfilePlace, scope: GatewayScope, verb: Verb): Promise<GatewayVerdict> {
  const { profile } = place.home;
  try {
    const running = (await liveStatus(place))?.running === true;
    if (!running && !(await isConfigured(place))) return { profile, what: "nothing configured" };
    return await verb(place, scope);
  } catch (error) {
    const failure = toAppError(error);
    return { profile, what: "failed", reason: failure.message, exit: exitCodeOf(failure) };
  }
}

/** A profile has something that a gateway would do: a platform, a webhook route or a scheduled job. Nothing is asked of its owner. */
const isConfigured = (place: ProfilePlace): Promise<boolean> =>
  lookAtHome(place, async (app) => {
    const { options, cron } = app;
    if (enabledPlatforms(options).entries.length > 0) return true;
    if (hasRoute(options.config.raw("webhooks.routes"))) return true;
    if (!hasState(options.home)) return false;
    if ((await routesOf(options, await app.stores.state()).list()).some(({ source }) => source === "subscription"))
      return true;
    return (await cron.list(false)).some((job) => job.enabled);
  });

function hasRoute(routes: unknown): boolean {
  if (typeof routes !== "object" || routes === null) return false;
  return Object.values(routes).some(
    (route: unknown) => !(typeof route === "object" && route !== null && Reflect.get(route, "enabled") === false),
  );
}

async function run(place: ProfilePlace, options: GatewayRunOptions): Promise<number> {
  if (!options.force && !place.line.caller.env["INVOCATION_ID"]) await refuseBesideUnit(place);
  return (await import("../process/run-gateway.js")).runGateway(place.line, options);
}

async function refuseBesideUnit(place: ProfilePlace): Promise<void> {
  const unit = await installedAt(place, false);
  if (unit === undefined || !(await unit.state()).active) return;
  throw new AppError("E_STATE", `${unit.name} runs the gateway of this home`, {
    hint: "agent gateway restart restarts it; --force starts another one anyway, and the unit restarts its own",
  });
}
