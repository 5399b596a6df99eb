import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { baseAddress, isLoopback } from "../common/base-address.js";
import {
  accountNamed,
  type ChannelSettings,
  readChannels,
  readSettings,
  type SettingsRead,
  wrongSetting,
} from "../common/settings.js";

export interface MsggSettings extends ChannelSettings {
  readonly project: string;
  /** `projects/<p>/subscriptions/<s>`; it names the account. */
  readonly subscription: string;
  /** JSON of a service account, or the path of a file that holds it; undefined: what the machine offers. */
  readonly credentials: string | undefined;
  /** `host:port` of an emulator: no credentials and no TLS for pulling. */
  readonly emulator: string | undefined;
  readonly apiBase: string;
  readonly oauthBase: string;
  readonly consentBase: string;
  /** Without credentials, chat calls carry none instead of failing. */
  readonly open: boolean;
  readonly maxMessages: number;
  readonly maxBytes: number;
  /** Spaces that are known before the first event. */
  readonly spaces: readonly string[];
}

type Given = Pick<PlatformPorts, "settings" | "others">;

const SUBSCRIPTION = /^projects\/([^/\s]+)\/subscriptions\/[^/\s]+$/;
const MAX_BYTES = 16 << 20;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsggSettings(given: Given): SettingsRead<MsggSettings> {
  return readSettings(() => read(given));
}

/** Name of the account, whatever else is wrong. */
export function accountOf({ settings }: Given): string {
  return accountNamed(() => settings.text("SUBSCRIPTION_NAME")?.trim());
}

function read({ settings: given, others }: Given): MsggSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const subscription = text("SUBSCRIPTION_NAME");
  const found = SUBSCRIPTION.exec(subscription);
  if (found === null)
    throw wrongSetting("MSGG_SUBSCRIPTION_NAME must be projects/<project>/subscriptions/<subscription>");
  const google = others("google");
  const project = text("PROJECT_ID") || (google.text("CLOUD_PROJECT")?.trim() ?? "");
  if (project === "") throw wrongSetting("MSGG_PROJECT_ID is not set: put the id of the project into the home's .env");
  if (found[1] !== project) {
    throw wrongSetting(
      `MSGG_SUBSCRIPTION_NAME belongs to the project ${found[1]}, but MSGG_PROJECT_ID is ${project}: they must be the same`,
    );
  }
  const insecure = others("gateway").flag("ALLOW_INSECURE_API_BASE", false);
  const base = (name: string, otherwise: string) => baseAddress(`MSGG_${name}`, text(name) || otherwise, insecure);
  const apiBase = base("API_BASE", "https://chat.googleapis.com");
  return {
    project,
    subscription,
    apiBase,
    open: isLoopback(apiBase),
    emulator: emulatorOf(others("pubsub")),
    credentials: text("SERVICE_ACCOUNT_JSON") || google.text("APPLICATION_CREDENTIALS")?.trim() || undefined,
    oauthBase: base("OAUTH_BASE", "https://oauth2.googleapis.com"),
    consentBase: base("CONSENT_BASE", "https://accounts.google.com"),
    maxMessages: given.integer("MAX_MESSAGES", 1, 1),
    maxBytes: given.integer("MAX_BYTES", MAX_BYTES, 1),
    spaces: given.list("BOOTSTRAP_SPACES"),
    ...readChannels(given),
  };
}

function emulatorOf(given: PlatformSettings): string | undefined {
  const host = given.text("EMULATOR_HOST")?.trim() ?? "";
  if (host === "") return undefined;
  if (!/^(?:\[[\da-f:]+\]|[^\s:/]+):\d{1,5}$/i.test(host))
    throw wrongSetting(`PUBSUB_EMULATOR_HOST must be host:port, not ${host}`);
  return host;
}
