import { join } from "node:path";
import { toAppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { isRecord } from "../../base/json/record.js";
import { type FileLockDeps, lockFile } from "../../base/process/file-lock.js";
import { sha256 } from "../../base/text/hash.js";
import type { AdapterFault, Platform } from "../../contracts/gateway/platform.js";

/** The right to use one credential, until it is given back or the process is gone. */
export interface Claim {
  /** Harmless twice. */
  release(): void;
}

/** Sees to it that no two processes of a machine use one credential (gateway part, 3.12). */
export interface Claims {
  /** @returns a fault that names who uses it; never waits for its end */
  take(platform: Platform): Promise<Claim | AdapterFault>;
}

export interface ClaimsDeps extends FileLockDeps {
  /** Directory of all claims of this machine's user. */
  readonly dir: string;
  readonly home: Pick<Home, "dir" | "profile">;
  /** What an adapter identifies itself with; undefined: it has nothing that others could use. */
  readonly credentialOf: (platform: Platform) => string | undefined;
}

const NOTHING: Claim = { release: () => undefined };

export function createClaims(deps: ClaimsDeps): Claims {
  return {
    take: async (platform) => {
      const credential = deps.credentialOf(platform);
      if (credential === undefined || credential === "") return NOTHING;
      const path = join(deps.dir, `${platform.tag}-${sha256(credential).slice(0, 16)}.lock`);
      const { dir: home, profile } = deps.home;
      try {
        return await lockFile(path, deps, { ms: 0, note: { home, profile } });
      } catch (error) {
        const { code, data } = toAppError(error);
        if (code !== "E_BUSY") throw error;
        return { code: "token_in_use", message: heldBy(data) };
      }
    },
  };
}

function heldBy(data: Readonly<Record<string, unknown>>): string {
  const { pid, note } = data;
  const { profile, home } = isRecord(note) ? note : {};
  const where = profile === undefined ? "another home" : `the gateway of profile ${String(profile)} (${String(home)})`;
  return `this token is in use by ${where}${pid === undefined ? "" : `, process ${String(pid)}`}: stop that gateway, or use another token`;
}
