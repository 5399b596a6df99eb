import { definePlatform } from "../../../lib/gateway/adapter/define-platform.js";
import { addressesOf } from "../common/addresses.js";
import { checkMsgg, createMsgg } from "./platform.js";
import { readMsggSettings } from "./settings.js";

export default definePlatform({
  tag: "msgg",
  summary: "A chat app whose events come over a Pub/Sub subscription.",
  traits: {
    caps: { textMax: 4000, buttons: "no" },
    address: {
      chat: "spaces/[^/\\s]+",
      thread: "[^/\\s]+",
      between: "/threads/",
      threadHoldsChat: true,
      form: "spaces/<id>[/threads/<id>]",
    },
    sendKey: { windowMs: 24 * 3_600_000 },
    editEveryMs: 1500,
    monospace: true,
    quotes: false,
    listsDecide: true,
    oauthClientFile: "msgg_user_client_secret.json",
  },
  credentials: ["SUBSCRIPTION_NAME"],
  setup: [
    {
      variable: "PROJECT_ID",
      ask: "Id of the project",
      hint: "the console of the cloud shows it beside the name of the project",
    },
    {
      variable: "SUBSCRIPTION_NAME",
      ask: "Subscription that the chat app's events go to",
      hint: "projects/<project>/subscriptions/<subscription>",
      problem: (answer) =>
        /^projects\/[^/\s]+\/subscriptions\/[^/\s]+$/.test(answer)
          ? undefined
          : "it must be projects/<project>/subscriptions/<subscription>",
    },
    {
      variable: "SERVICE_ACCOUNT_JSON",
      ask: "Path of the service account's key file",
      optional: true,
      hint: "empty: what this machine offers",
    },
    { variable: "ALLOWED_USERS", ask: "Who may talk, as e-mail addresses with commas", optional: true },
  ],
  addresses: (given) =>
    addressesOf(readMsggSettings(given), (read) => ({
      MSGG_API_BASE: read.apiBase,
      MSGG_OAUTH_BASE: read.oauthBase,
      MSGG_CONSENT_BASE: read.consentBase,
      ...(read.emulator === undefined ? {} : { PUBSUB_EMULATOR_HOST: read.emulator }),
    })),
  check: checkMsgg,
  afterwards: [
    "In the console, let the chat app send its events to the topic of this subscription.",
    "agent gateway setup msgg --client-secret FILE installs the OAuth client that files go out with.",
  ],
  create: createMsgg,
});
