import { keepAt, type StoreSettings } from "../../setup/store-change.js";
import { lookAtHome, type ProfilePlace } from "../process/gateway-place.js";

/** Store variables of a platform as every other setting is stored: by the owner of the home, where they hold at once. */
export const storeAt =
  (place: ProfilePlace): StoreSettings =>
  (changes) =>
    lookAtHome(place, async ({ options, settings }) => {
      const { home, line } = place;
      await keepAt({ home, version: line.version, reload: () => options.config.reload() }, settings)(changes);
    });
