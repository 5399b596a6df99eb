import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

/** What is used of the library for tokens. */
export type JoseLibrary = Pick<typeof import("jose"), "jwtVerify" | "importJWK">;

/** Gives the library, or throws when it is not installed. */
export type LoadJose = () => Promise<JoseLibrary>;

const VERSION = "6.2.17";

export const loadJose: LoadJose = async () => {
  const { jwtVerify, importJWK } = await import("jose");
  return { jwtVerify, importJWK };
};

/** Load it when it is needed; what cannot be loaded is said with what to do. */
export async function joseOr(load: LoadJose): Promise<{ readonly jose: JoseLibrary } | AdapterFault> {
  try {
    return { jose: await load() };
  } catch {
    return {
      code: "sdk_missing",
      message: `MSGW needs the package jose ${VERSION}, which is not installed: run npm install jose@${VERSION}`,
    };
  }
}
