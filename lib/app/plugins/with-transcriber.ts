import type { AppOptions } from "../../config/app-options.js";
import type { Transcriber } from "../../contracts/gateway/transcription.js";
import type { Logins } from "../../logins/logins.js";
import { hearingOf } from "../../runtime/hearing.js";

interface Sources {
  /** That of the plugin that was loaded last. */
  readonly ofPlugins: () => Transcriber | undefined;
  readonly logins: () => Promise<Logins>;
}

/**
 * The options of an app with a transcriber that is chosen each time it is asked for: that of a plugin, then the one that the builder of the app has
 * set, also afterwards, then the one that the settings name.
 */
export function withTranscriber(given: AppOptions, { ofPlugins, logins }: Sources): AppOptions {
  let { transcriber } = given;
  const options: AppOptions = {
    ...given,
    get transcriber() {
      return ofPlugins() ?? transcriber ?? bySettings();
    },
    set transcriber(own) {
      transcriber = own;
    },
  };
  const bySettings = hearingOf(options, { logins });
  return options;
}
