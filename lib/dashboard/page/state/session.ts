/** Whether the owner knows who looks at this page. `again`: what was open stays open behind the question for a token. */
export type Session =
  | { readonly phase: "starting" }
  | { readonly phase: "out"; readonly problem: string | undefined; readonly again: boolean }
  | { readonly phase: "in" };

/** How the page hears of changes. `waiting`: nothing for now, the next try is at `until` (milliseconds, as Date.now). */
export type PageConnection =
  | { readonly state: "idle" | "connecting" | "open" }
  | { readonly state: "waiting"; readonly failures: number; readonly until: number };

/** What is shown of two connections: that one of them is lost; else how the first stands, or the second while the first is not used. */
export function combineConnections(first: PageConnection, second: PageConnection): PageConnection {
  if (first.state === "waiting" || first.state === "connecting") return first;
  return second.state === "waiting" || first.state === "idle" ? second : first;
}
