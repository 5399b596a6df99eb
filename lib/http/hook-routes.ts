import type { HookRoute } from "../contracts/gateway/listen.js";

/** Where a request leads; undefined: nothing is there. */
export type HookFound =
  | { readonly route: HookRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }
  | undefined;

/** Find the route of a path. A segment that is not percent-encoded UTF-8 leads nowhere. */
export function findHook(routes: readonly HookRoute[], method: string, path: string): HookFound {
  const segments = path.split("/");
  const here = routes.flatMap((route) => {
    const params = paramsOf(route.path.split("/"), segments);
    return params === undefined ? [] : [{ route, params }];
  });
  if (here.length === 0) return undefined;
  const wanted = method === "HEAD" ? "GET" : method;
  const found = here.find(({ route }) => route.method === wanted);
  if (found !== undefined) return found;
  const methods = new Set(here.flatMap(({ route }) => (route.method === "GET" ? ["GET", "HEAD"] : [route.method])));
  return { allowed: [...methods] };
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: [string, string][] = [];
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] ?? "";
    if (!part.startsWith(":")) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === "") return undefined;
    params.push([part.slice(1), value]);
  }
  return Object.fromEntries(params);
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined; // no such path
  }
}
