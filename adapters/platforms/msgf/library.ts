import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

/** What is used of the library: the long connection with its frames, fragments and acknowledgements. */
export type Library = Pick<typeof import("@larksuiteoapi/node-sdk"), "WSClient" | "LoggerLevel">;

/** Gives the library, or throws when it is not installed. */
export type LoadLibrary = () => Promise<Library>;

const PACKAGE = "@larksuiteoapi/node-sdk";
const VERSION = "1.74.0";

export const loadLibrary: LoadLibrary = () => import("@larksuiteoapi/node-sdk");

/** The library, or what to do to have it. */
export async function libraryOr(load: LoadLibrary): Promise<Library | AdapterFault> {
  try {
    return await load();
  } catch {
    // For any reason that keeps it from loading: installing it again helps.
    const message = `MSGF needs the package ${PACKAGE} ${VERSION}, which is not installed: npm install ${PACKAGE}@${VERSION}`;
    return { code: "sdk_missing", message };
  }
}
