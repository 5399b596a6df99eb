/** Where in the page the user is: a view, the thing in it, and what else its address says. */
export interface PageRoute {
  readonly view: string;
  /** Second part of the address: the open task, session or log. */
  readonly id: string | undefined;
  readonly query: Readonly<Record<string, string>>;
}

const HOME: PageRoute = { view: "board", id: undefined, query: {} };

/** What a fragment like `#/board/t_1?board=x` means. Everything else is the board. */
export function parseRoute(hash: string): PageRoute {
  if (!hash.startsWith("#/")) return HOME;
  const [path = "", query = ""] = hash.slice(2).split("?", 2);
  const [view = "", id = ""] = path.split("/").map(decoded);
  if (view === "") return HOME;
  return { view, id: id === "" ? undefined : id, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The same place with some of its query replaced; undefined takes a name out. The very same route when nothing changes. */
export function withQuery(route: PageRoute, change: Readonly<Record<string, string | undefined>>): PageRoute {
  const query = { ...route.query };
  for (const [name, value] of Object.entries(change)) {
    if (value === undefined) delete query[name];
    else query[name] = value;
  }
  const names = Object.keys({ ...route.query, ...query });
  return names.every((name) => query[name] === route.query[name]) ? route : { ...route, query };
}

/** Fragment of a route. */
export function formatRoute({
  view,
  id,
  query,
}: {
  readonly view: string;
  readonly id?: string | undefined;
  readonly query?: PageRoute["query"];
}): string {
  const words = new URLSearchParams(query ?? {}).toString();
  return `#/${view}${id === undefined ? "" : `/${encodeURIComponent(id)}`}${words === "" ? "" : `?${words}`}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    /* ok to lose: an invalid encoding is meant as it stands */
    return part;
  }
}
