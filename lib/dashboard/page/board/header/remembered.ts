import type { ViewState } from "../../state/board/view.js";

const KEY = "agent.view";

/** What a browser remembers of how boards are looked at. */
export type RememberedView = Partial<Pick<ViewState, "archived" | "lanes">>;

/** What was chosen here before; nothing where nothing was. */
export function remembered(): RememberedView {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    if (typeof stored !== "object" || stored === null) return {};
    const { archived, lanes } = stored as { archived?: unknown; lanes?: unknown };
    return { ...(typeof archived === "boolean" && { archived }), ...(typeof lanes === "boolean" && { lanes }) };
  } catch {
    /* ok to lose: what cannot be read was not written here; the settings of the owner count */
    return {};
  }
}

/** Remember a choice. */
export const rememberView = (choice: RememberedView): void =>
  localStorage.setItem(KEY, JSON.stringify({ ...remembered(), ...choice }));
