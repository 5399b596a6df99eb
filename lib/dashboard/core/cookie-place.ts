import type { Config } from "../../contracts/config/config.js";
import { canonicalBase } from "../../http/base-path.js";
import type { AccessRequest } from "../../http/serve.js";
import type { CookiePlace } from "../access/cookie-logins.js";
import { DASHBOARD_BASE, DASHBOARD_ORIGINS } from "../access/keys.js";
import { publicOrigin } from "../access/public-origin.js";

/** Where the cookies of a request's browser go, as the settings are now. */
export const cookiePlace = (request: AccessRequest["request"], config: Pick<Config, "get">): CookiePlace => ({
  base: canonicalBase(config.get(DASHBOARD_BASE)) ?? "",
  secure: publicOrigin(request.headers.host, config.get(DASHBOARD_ORIGINS)).startsWith("https://"),
});
