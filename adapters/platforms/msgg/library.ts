import type { ClientConfig, Message, PubSub, SubscriptionOptions } from "@google-cloud/pubsub";
import type { GoogleAuth, GoogleAuthOptions, OAuth2Client } from "google-auth-library";
import { errorCode } from "../../../lib/base/fs/files.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

export type { ClientConfig, Message, PubSub, SubscriptionOptions };

/** What is used of the platform's libraries. */
export interface MsggLibrary {
  readonly PubSub: new (options: ClientConfig) => PubSub;
  readonly Duration: {
    from(of: { readonly milliseconds: number }): NonNullable<SubscriptionOptions["maxAckDeadline"]>;
  };
  readonly OAuth2Client: new () => OAuth2Client;
  readonly GoogleAuth: new (options: GoogleAuthOptions) => GoogleAuth;
}

const PACKAGES = "@google-cloud/pubsub@5.3.1 google-auth-library@10.9.1";

/** Load them, which happens only where the platform is used. @throws what the loader throws */
export async function loadLibrary(): Promise<MsggLibrary> {
  const { PubSub, Duration } = await import("@google-cloud/pubsub");
  const { OAuth2Client, GoogleAuth } = await import("google-auth-library");
  return { PubSub, Duration, OAuth2Client, GoogleAuth };
}

/** Why it cannot be loaded. */
export function missing(error: unknown): AdapterFault {
  const absent = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(errorCode(error) ?? "");
  const why = absent
    ? "are not installed"
    : `cannot be loaded (${error instanceof Error ? error.message : String(error)})`;
  return {
    code: "sdk_missing",
    message: `MSGG needs the packages @google-cloud/pubsub 5.3.1 and google-auth-library 10.9.1, which ${why}: run npm install ${PACKAGES}`,
  };
}
