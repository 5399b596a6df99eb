import type { MediaContext } from "../../contracts/media/backends.js";

/** What choosing needs to know of a backend. */
interface Choosable {
  readonly name: string;
  readonly aliases: readonly string[];
  lacks(around: MediaContext): Promise<string | undefined>;
}

/** A backend, or the code and message that the tool answers. */
export type ChosenMediaBackend<B> =
  | { readonly ok: true; readonly backend: B }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly provider: string | null };

/** What differs between the kinds of media. */
export interface ChoiceRule {
  /** What a setting names; empty: nothing. */
  readonly wanted: string;
  readonly setting: string;
  /** Take the first of several; else one must be named. */
  readonly first: boolean;
}

/** The backend of a call: that of the setting, else the one that is available (extensions part, 10.2). */
export async function chooseMediaBackend<B extends Choosable>(
  backends: readonly B[],
  around: MediaContext,
  { wanted, setting, first }: ChoiceRule,
): Promise<ChosenMediaBackend<B>> {
  const names = backends.map(({ name }) => name).join(", ");
  if (wanted !== "") {
    const backend = backends.find(({ name, aliases }) => name === wanted || aliases.includes(wanted));
    if (backend === undefined)
      return {
        ok: false,
        provider: wanted,
        code: "provider_not_registered",
        message: `${setting} names '${wanted}', which is not a backend (known: ${names})`,
      };
    const lacking = await backend.lacks(around);
    if (lacking === undefined) return { ok: true, backend };
    const message = `the backend ${backend.name} has no credential: ${lacking}`;
    return { ok: false, provider: backend.name, code: "auth_required", message };
  }
  const looked = await Promise.all(
    backends.map(async (backend) => ({ backend, lacking: await backend.lacks(around) })),
  );
  const usable = looked.filter(({ lacking }) => lacking === undefined).map(({ backend }) => backend);
  const [only, another] = usable;
  if (only !== undefined && (first || another === undefined)) return { ok: true, backend: only };
  const message =
    only === undefined
      ? `no backend is set up. ${looked.map(({ backend, lacking }) => `${backend.name}: ${lacking}`).join("; ")}`
      : `several backends are available (${usable.map(({ name }) => name).join(", ")}): choose one with agent config set ${setting} NAME`;
  return { ok: false, provider: null, code: "no_provider_configured", message };
}

/** A price of the settings, in USD; undefined: unknown. */
export function priceIn(prices: unknown, model: string): number | undefined {
  const price = typeof prices === "object" && prices !== null ? Reflect.get(prices, model) : undefined;
  return typeof price === "number" && Number.isFinite(price) && price >= 0 ? price : undefined;
}

/** How a price is shown. */
export const mediaPriceText = (usd: number | undefined): string =>
  usd === undefined ? "price unknown" : `about $${Number(usd.toFixed(4))}`;
