import type { Endpoint } from "./endpoint.js";

/** Where a path leads. `allowed`: methods of this path, when the asked one is none of them. */
export type EndpointMatch<Parts> =
  | { readonly endpoint: Endpoint<Parts>; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }
  | undefined;

interface Row<Parts> {
  readonly endpoint: Endpoint<Parts>;
  readonly segments: readonly string[];
}

/** Find endpoints by method and path. Fixed segments win over `:named` ones; nothing is folded, a trailing slash is another path. */
export function routeTable<Parts>(
  endpoints: readonly Endpoint<Parts>[],
): (method: string, path: string) => EndpointMatch<Parts> {
  const byLength = new Map<number, Row<Parts>[]>();
  for (const endpoint of endpoints) {
    const segments = endpoint.path.split("/");
    byLength.set(segments.length, [...(byLength.get(segments.length) ?? []), { endpoint, segments }]);
  }
  for (const rows of byLength.values()) rows.sort((a, b) => named(a) - named(b));
  return (method, path) => {
    const given = path.split("/");
    const here = (byLength.get(given.length) ?? []).flatMap(({ endpoint, segments }) => {
      const params = match(segments, given);
      return params === undefined ? [] : [{ endpoint, params }];
    });
    const found = here.find(
      ({ endpoint }) => endpoint.method === method || (method === "HEAD" && endpoint.method === "GET"),
    );
    if (found !== undefined) return found;
    return here.length === 0 ? undefined : { allowed: [...new Set(here.map(({ endpoint }) => endpoint.method))] };
  };
}

const named = ({ segments }: Row<unknown>): number => segments.filter((segment) => segment.startsWith(":")).length;

function match(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [at, segment] of segments.entries()) {
    const text = given[at] ?? "";
    if (!segment.startsWith(":")) {
      if (segment !== text) return undefined;
      continue;
    }
    const value = decoded(text);
    if (value === undefined || value === "") return undefined;
    params[segment.slice(1)] = value;
  }
  return params;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined; // no path of ours is written so
  }
}
