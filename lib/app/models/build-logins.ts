import { loginRoot } from "../../base/home.js";
import type { AppOptions } from "../../config/app-options.js";
import { editEnvFile } from "../../config/edit-settings.js";
import { readEnvFile } from "../../config/read-settings.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import { createAuthApi } from "../../logins/api.js";
import { createLogins, type Logins } from "../../logins/logins.js";
import { createGates } from "../../runtime/gates.js";
import { callbackListener } from "./login-callback.js";
import { openPage } from "./open-browser.js";

/** The logins that this process uses. Nothing is opened yet. */
export function buildLogins(options: AppOptions): Logins {
  const { home, kind, config, clock, ids, spawner, net, log } = options;
  const { redactLog: redact } = createGates(options);
  const outside = { config, clock, ids, spawner, net, redact, log: log.child("logins") };
  return createLogins({
    ...outside,
    env: config.env,
    root: loginRoot(home),
    profile: home.profile,
    readonly: kind === "readonly",
  });
}

/** The logins as commands see them. */
export function buildAuth({ home, config, clock, ids, net, spawner, log }: AppOptions, logins: Logins): AuthApi {
  const removeVariable = async (name: string): Promise<boolean> => {
    if (!(name in readEnvFile(home.env))) return false;
    editEnvFile(home.env, name, undefined);
    await config.reload();
    return true;
  };
  const showPage = async (url: string, env: Readonly<Record<string, string | undefined>>): Promise<void> => {
    try {
      await openPage(spawner, url, env);
    } catch (error) {
      log.warning("the page of a login was not shown", { error: String(error) }); // its address is on the screen of the caller
    }
  };
  return createAuthApi({
    logins,
    config,
    clock,
    ids,
    net,
    profile: home.profile,
    removeVariable,
    showPage,
    listen: callbackListener(clock),
  });
}
