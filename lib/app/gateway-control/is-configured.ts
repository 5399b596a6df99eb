import { routesOf } from "../../gateway/webhooks/build-webhooks.js";
import { enabledPlatforms } from "../gateway/enabled-platforms.js";
import { lookAtHome, type ProfilePlace } from "../process/gateway-place.js";
import { hasState } from "../stores/has-state.js";

/** A profile has something that a gateway would do: a platform, a webhook route or a scheduled job. Nothing is asked of its owner. */
export const isConfigured = (place: ProfilePlace): Promise<boolean> =>
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
