import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

/** The client library of the platform, loaded by the first connect. */
export type Library = typeof import("@line/bot-sdk");

export type LoadLibrary = () => Promise<Library>;

const PACKAGE = "@line/bot-sdk";
const VERSION = "10.8.0";

export const loadLibrary: LoadLibrary = () => import("@line/bot-sdk");

/** The library, or why it is missing. */
export async function libraryOr(load: LoadLibrary): Promise<Library | AdapterFault> {
  try {
    return await load();
  } catch {
    // For any reason that keeps it from loading: installing it again helps.
    return {
      code: "sdk_missing",
      message: `${PACKAGE} ${VERSION} is not installed: run npm install ${PACKAGE}@${VERSION}`,
    };
  }
}
