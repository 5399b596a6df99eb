import type { Services } from "../services.js";
import { savedTheme } from "../shell/theme.js";

/** What a plugin's module is given beside the element that it fills. */
export interface PluginSdk {
  /** Ask the owner, e.g. `api/plugins/notes/items`. The login of the user is sent along. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Open a WebSocket of the owner; its ticket is fetched by itself. */
  socket(path: string): Promise<WebSocket>;
  /** Go to a view: `board`, `sessions/<id>`. */
  navigate(to: string): void;
  readonly theme: "system" | "light" | "dark";
  /** Profile that the page was opened with; null: the owner's own. */
  readonly profile: string | null;
  /** Tell something in passing. */
  notify(text: string, kind?: "done" | "failed"): void;
}

/** The page as its plugins see it. */
export function sdkOf({ api, tell }: Services): PluginSdk {
  return {
    fetch: (path, init) => api.raw(path, init),
    socket: async (path) => {
      const { ticket } = await api.send<{ ticket: string }>("POST", "api/auth/ws-ticket");
      const url = api.url(path, { ticket });
      url.protocol = url.protocol.replace("http", "ws");
      return new WebSocket(url);
    },
    navigate: (to) => {
      location.hash = `#/${to.replace(/^#?\/?/, "")}`;
    },
    theme: savedTheme(),
    profile: new URLSearchParams(location.search).get("profile"),
    notify: (text, kind = "done") => tell(kind, text),
  };
}
