import type { PageRoute } from "../route.js";
import type { Filter } from "./filter.js";
import type { ViewState } from "./view.js";

/** What of a board's view its address holds. */
export type Addressed = Pick<ViewState, "filter" | "archived">;

/** What is shown where the address does not say: the tenant of the settings, the archived column as this browser remembers it. */
export interface UsualView {
  readonly tenant: string;
  readonly archived: boolean;
}

/** Nothing is configured, or not known yet. */
export const PLAIN_VIEW: UsualView = { tenant: "", archived: false };

/** How the address says to look at the board. */
export function readAddress({ query }: Pick<PageRoute, "query">, usual: UsualView): Addressed {
  const { q = "", tenant = usual.tenant, assignee = "", archived } = query;
  return {
    filter: { search: q, tenant, assignee },
    archived: archived === undefined ? usual.archived : archived === "yes",
  };
}

/** What the address says of a view; undefined leaves a name out. */
export function queryOf(
  { filter, archived }: Addressed,
  usual: UsualView,
): Readonly<Record<string, string | undefined>> {
  return {
    q: filter.search === "" ? undefined : filter.search,
    tenant: filter.tenant === usual.tenant ? undefined : filter.tenant,
    assignee: filter.assignee === "" ? undefined : filter.assignee,
    archived: archived === usual.archived ? undefined : archived ? "yes" : "no",
  };
}

/** The view with what the address says; the very same when nothing differs. */
export function withAddress<V extends Addressed>(view: V, { filter, archived }: Addressed): V {
  return isSameFilter(view.filter, filter) && view.archived === archived ? view : { ...view, filter, archived };
}

const isSameFilter = (a: Filter, b: Filter): boolean =>
  a.search === b.search && a.tenant === b.tenant && a.assignee === b.assignee;
