import type { AppOptions } from "../../config/app-options.js";
import { editEnvFile } from "../../config/edit-settings.js";
import { readEnvFile } from "../../config/read-settings.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import { callbackListener } from "../../http/login-callback.js";
import { createAuthApi } from "../../logins/api.js";
import type { Logins } from "../../logins/logins.js";
import { openPage } from "./open-browser.js";

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
      log.warning("failed to open the login page", { error: String(error) }); // its address is on the screen of the caller
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
