import { AppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import type { Net, NetTrust } from "../../base/net/net.js";
import type { Addresses } from "./addresses.js";
import { isLoopbackAddress } from "./addresses.js";

/** Whose certificates count for the requests of one login. */
export interface LoginTrust {
  /** File with certificates of further authorities. */
  readonly caBundle?: string | undefined;
  readonly insecure?: boolean | undefined;
}

const CERTIFICATE = "-----BEGIN CERTIFICATE-----";

/** The network for the requests of one login: what it was made with holds for its renewals and its end. @throws E_USAGE a file without certificates */
export async function netFor(net: Net, { caBundle, insecure }: LoginTrust): Promise<Net> {
  if (caBundle === undefined && insecure !== true) return net;
  const ca = caBundle === undefined ? undefined : await certificatesIn(caBundle);
  const trust: NetTrust = { ca, insecure: insecure === true ? true : undefined };
  return { ...net, fetch: (request) => net.fetch({ ...request, trust }) };
}

async function certificatesIn(path: string): Promise<string> {
  const text = await readText(path);
  if (text?.includes(CERTIFICATE)) return text;
  const said = text === undefined ? "no such file" : "it does not contain a certificate";
  throw new AppError("E_USAGE", `--ca-bundle ${path}: ${said}`, {
    hint: `use a file with PEM certificates (${CERTIFICATE})`,
  });
}

/** Unverified certificates are for this machine alone. @throws E_USAGE */
export function checkInsecure({ insecure }: LoginTrust, { portal_url, issuer }: Addresses): void {
  if (insecure !== true) return;
  const elsewhere = [portal_url, issuer].find((address) => address !== undefined && !isLoopbackAddress(address));
  if (elsewhere === undefined) return;
  throw new AppError("E_USAGE", `--insecure applies to hosts of this machine, not ${elsewhere}`, {
    hint: "--ca-bundle FILE adds the certificates of your own authority",
  });
}
