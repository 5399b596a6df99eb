import { AppError } from "../base/errors.js";
import type { Secret } from "../base/secret.js";
import { toIso } from "../base/units.js";
import type { AuthAdd, AuthLogin } from "../contracts/models/auth.js";
import type { AuthDeps } from "./auth-deps.js";
import { type Addresses, addressesOf, isLoopbackAddress, isSafeAddress, sameSite } from "./core/addresses.js";
import type { Descriptor } from "./core/descriptors.js";
import type { LoginDocument } from "./core/document.js";
import { fingerprintOf, type LoginEntry, type StoredFields } from "./core/entry.js";
import { checkInsecure, netFor } from "./core/trust.js";
import type { LoginAnswer, LoginPrompt, Tokens } from "./flows/flow.js";
import { flowOf } from "./flows/flows.js";
import { CLEARED } from "./pool.js";
import { fieldsOf } from "./refresh.js";

/** Store a key. @returns its id */
export async function addKey(deps: AuthDeps, descriptor: Descriptor, key: Secret, options: AuthAdd): Promise<string> {
  const { id: provider } = descriptor;
  const { logins, ids, clock } = deps;
  const fresh = ids.hex(4);
  const { region } = options;
  const named = options.addresses?.["inference_url"];
  const address = named ?? (region === undefined ? undefined : descriptor.regions?.[region]?.inferenceUrl);
  if (address !== undefined && !isSafeAddress(address)) throw unsafe(address);
  return logins.store.update((document) => {
    const same = document
      .entries(provider)
      .filter(seenBy(deps))
      .find((entry) => entry.accessToken !== undefined && fingerprintOf(entry.accessToken) === fingerprintOf(key));
    const fields: StoredFields = {
      ...CLEARED,
      ...asked(deps, options, same),
      ...(address === undefined ? {} : { base_url: address }),
      obtained_at: toIso(clock.now()),
    };
    document.unsuppress(provider);
    if (same !== undefined) document.patch(provider, same.id, fields);
    else
      document.add(provider, {
        id: fresh,
        scope: "shared",
        label: nextLabel(document, provider, "api_key"),
        auth_type: "api_key",
        priority: 0,
        source: "manual",
        access_token: key.reveal(),
        generation: 0,
        ...fields,
      });
    return same?.id ?? fresh;
  });
}

/** What another profile keeps for itself is left to it: nothing of it is replaced from here, or taken over. */
const seenBy =
  ({ profile }: AuthDeps) =>
  ({ scope }: LoginEntry): boolean =>
    scope === "shared" || scope === `profile:${profile}`;

/** Members that the user asked for; what is not asked for stays as it is. */
function asked(
  { profile }: AuthDeps,
  { label, priority, thisProfile, region }: AuthAdd,
  old: LoginEntry | undefined,
): StoredFields {
  return {
    ...(label === undefined ? {} : { label }),
    ...(priority === undefined ? {} : { priority }),
    ...(region === undefined ? {} : { region }),
    ...(thisProfile === true ? { scope: `profile:${profile}` } : old === undefined ? {} : { scope: "shared" }),
  };
}

/** `api_key-1`, `api_key-2`: the first that is free. */
function nextLabel(document: LoginDocument, provider: string, type: LoginEntry["type"]): string {
  const taken = new Set(document.entries(provider).map(({ label }) => label));
  for (let n = 1; ; n++) if (!taken.has(`${type}-${n}`)) return `${type}-${n}`;
}

const unsafe = (address: string): AppError =>
  new AppError(
    "E_USAGE",
    `${JSON.stringify(address)}: credentials are only sent to https:// addresses (http:// only on this machine)`,
    {
      hint: "use https://host, or http:// for this machine only",
    },
  );

/** Log in, with the user's help, and store what it brings. @returns the id of its entry */
export async function logInProvider(
  deps: AuthDeps,
  descriptor: Descriptor,
  wanted: AuthLogin,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  const options = { ...wanted, region: wanted.region ?? Object.keys(descriptor.regions ?? {})[0] };
  const flow = flowOf(descriptor);
  if (flow === undefined)
    throw new AppError("E_USAGE", `login to ${descriptor.name} is not supported yet`, { provider: descriptor.id });
  if (options.paste !== undefined && flow.pastes !== true)
    throw new AppError("E_USAGE", `login to ${descriptor.name} does not support pasting`, {
      hint: "omit --manual-paste",
    });
  if (!deps.logins.store.writable()) await deps.logins.store.update(() => undefined); // says why, before the user is asked for anything
  const addresses = addressesOf(deps.config, descriptor, { ...options.addresses, region: options.region });
  for (const name of flow.needs) if (addresses[name] === undefined) throw missing(descriptor, name);
  checkInsecure(options, addresses);
  const net = await netFor(deps.net, options);
  const told = async (prompt: LoginPrompt) => {
    await options.told(prompt);
    if (options.browser !== undefined && isSafeAddress(prompt.url)) await deps.showPage(prompt.url, options.browser);
  };
  const answer = await flow.login({ ...deps, net }, addresses, { ...options, told, listen: deps.listen });
  if (answer.kind === "refused") throw failed(descriptor, answer);
  const { baseUrl, warnings } = requestsGoTo(descriptor, addresses, answer.tokens);
  const id = await deps.logins.store.update((document) =>
    keep({ deps, descriptor, options }, document, { ...answer.tokens, baseUrl, addresses }),
  );
  return { id, warnings };
}

function failed({ id, name }: Descriptor, { code, message, final }: LoginAnswer & { kind: "refused" }): AppError {
  const hint = final === true ? `agent auth add ${id} --type api-key adds a key` : `agent auth add ${id} starts again`;
  return new AppError("E_AUTH", `failed to log in to ${name}: ${message}`, { provider: id, reason: code, hint });
}

function missing({ id, name }: Descriptor, address: string): AppError {
  const option = `--${address.replaceAll("_", "-")}`;
  return new AppError(
    "E_USAGE",
    `login to ${name} requires a ${address}: pass ${option}, or set auth.providers.${id}.${address}`,
    {
      provider: id,
      hint: `agent config set auth.providers.${id}.${address} VALUE`,
    },
  );
}

/** The portal may name another path of the host that the user named, and no other host. */
function requestsGoTo(
  { ownDomain, inferenceUrl: vendors = "" }: Descriptor,
  { inference_url: own = "" }: Addresses,
  { inferenceUrl: told }: Tokens,
) {
  if (ownDomain === true && !isLoopbackAddress(own) && !sameSite(own, vendors))
    return { baseUrl: vendors, warnings: [`${own} is outside the vendor's domain: requests are sent to ${vendors}`] };
  if (told === undefined || told === own) return { baseUrl: own, warnings: [] };
  const url = URL.canParse(told) ? new URL(told) : undefined;
  if (url?.protocol === "https:" && url.host === new URL(own).host && isSafeAddress(told))
    return { baseUrl: told, warnings: [] };
  return {
    baseUrl: own,
    warnings: [`ignored another request address from the portal: ${JSON.stringify(told.slice(0, 200))}`],
  };
}

interface Made {
  readonly deps: AuthDeps;
  readonly descriptor: Descriptor;
  readonly options: AuthLogin;
}

type Brought = Tokens & { readonly baseUrl: string; readonly addresses: Addresses };

/** A login to the same account takes the place of the earlier one, and any takes that of one that is over. */
function keep({ deps, descriptor, options }: Made, document: LoginDocument, brought: Brought): string {
  const { id: provider } = descriptor;
  const entries = document.entries(provider).filter((entry) => entry.type === "oauth" && seenBy(deps)(entry));
  const label = options.label ?? brought.account;
  const same = entries.find((entry) => entry.status === "dead" || (label !== undefined && entry.label === label));
  const at = toIso(deps.clock.now());
  const fields: StoredFields = {
    ...CLEARED,
    ...fieldsOf(brought),
    ...asked(deps, options, same),
    ...(label === undefined ? {} : { label }),
    portal_url: brought.addresses.portal_url,
    issuer: brought.addresses.issuer,
    client_id: brought.addresses.client_id,
    source: flowOf(descriptor)?.source ?? "manual",
    base_url: brought.baseUrl,
    obtained_at: at,
    last_refresh: at,
    ca_bundle: options.caBundle,
    insecure: options.insecure === true ? 1 : undefined,
    generation: (same?.generation ?? 0) + 1,
    last_status: "ok",
  };
  const id = same?.id ?? deps.ids.hex(4);
  const label1 = label ?? nextLabel(document, provider, "oauth");
  if (same !== undefined) document.patch(provider, id, fields);
  else document.add(provider, { id, scope: "shared", label: label1, auth_type: "oauth", priority: 0, ...fields });
  document.setProvider(provider, { ...brought.addresses, region: options.region });
  document.setAuthError(provider, undefined);
  document.unsuppress(provider);
  document.activate(provider);
  return id;
}
