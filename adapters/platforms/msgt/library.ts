import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

/** What is used of the library: its API client, its files, and its two kinds of error. Its poll loop and its retries are not. */
export type Library = Pick<typeof import("grammy"), "Api" | "InputFile" | "GrammyError" | "HttpError">;

/** Gives the library, or throws when it is not installed. */
export type LoadLibrary = () => Promise<Library>;

const PACKAGE = "grammy";
const VERSION = "1.46.0";

export const loadLibrary: LoadLibrary = async () => {
  const { Api, InputFile, GrammyError, HttpError } = await import("grammy");
  return { Api, InputFile, GrammyError, HttpError };
};

/** The library, or what to do to have it. */
export async function libraryOr(load: LoadLibrary): Promise<{ readonly library: Library } | AdapterFault> {
  try {
    return { library: await load() };
  } catch {
    // For any reason that keeps it from loading: installing it again helps.
    const message = `MSGT needs the package ${PACKAGE} ${VERSION}, which is not installed: npm install ${PACKAGE}@${VERSION}`;
    return { code: "sdk_missing", message };
  }
}
