import { useEffect, useRef } from "preact/hooks";
import { PluginView } from "./plugins/plugin-view.js";
import { PLUGIN_VIEW, tabId, withTab } from "./plugins/tabs.js";
import { useServices } from "./services.js";
import { DialogHost } from "./shell/dialog-host.js";
import { ErrorBoundary } from "./shell/error-boundary.js";
import { Header } from "./shell/header.js";
import { Login, LoginAgain } from "./shell/login.js";
import { ToastHost } from "./shell/toast-host.js";
import { useStore } from "./state/use-store.js";
import { VIEWS } from "./views.js";

/** The page as a whole. */
export function App() {
  const { session, route, plugins } = useServices();
  const phase = useStore(session, (now) => now.phase);
  const again = useStore(session, (now) => now.phase === "out" && now.again);
  const view = useStore(route, (now) => now.view);
  const named = useStore(route, (now) => now.id);
  const plugin = useStore(plugins, (now) =>
    view === PLUGIN_VIEW ? withTab(now ?? []).find(({ name }) => name === named) : undefined,
  );
  const main = useRef<HTMLElement>(null);
  const shown = VIEWS.find(({ id }) => id === view) ?? VIEWS[0];
  const current = plugin === undefined ? (shown?.id ?? "") : tabId(plugin);
  const title = plugin?.label ?? shown?.title;
  useEffect(() => {
    document.title = title === undefined ? "agent" : `${title} · agent`;
  }, [title]);
  if (phase === "starting") return <p class="starting">Opening…</p>;
  if (phase === "out" && !again)
    return (
      <main class="login">
        <Login />
      </main>
    );
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <Header current={current} />
      <main id="main" tabIndex={-1} ref={main}>
        <ErrorBoundary key={current}>
          {plugin ? <PluginView plugin={plugin} /> : shown && <shown.component />}
        </ErrorBoundary>
      </main>
      <DialogHost />
      <ToastHost />
      {again && <LoginAgain />}
    </>
  );
}
