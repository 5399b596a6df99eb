/** The addresses that settings come to, by variable; none where the settings cannot be read, which connecting tells. */
export const addressesOf = <T>(
  read: { readonly settings: T } | { readonly problem: string },
  name: (settings: T) => Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ("problem" in read ? {} : name(read.settings));

/** Reads the switch that allows addresses without encryption, when it is asked for. */
export const insecureOf =
  (others: (prefix: string) => { flag(name: string, otherwise: boolean): boolean }): (() => boolean) =>
  () =>
    others("gateway").flag("ALLOW_INSECURE_API_BASE", false);
