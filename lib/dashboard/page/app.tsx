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
  const { session, route } = useServices();
  const phase = useStore(session, (now) => now.phase);
  const again = useStore(session, (now) => now.phase === "out" && now.again);
  const view = useStore(route, (now) => now.view);
  const shown = VIEWS.find(({ id }) => id === view) ?? VIEWS[0];
  if (phase === "starting") return <p class="starting">Opening…</p>;
  if (phase === "out" && !again)
    return (
      <main class="login">
        <Login />
      </main>
    );
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header current={shown?.id ?? ""} />
      <main id="main" tabIndex={-1}>
        <ErrorBoundary key={shown?.id}>{shown && <shown.component />}</ErrorBoundary>
      </main>
      <DialogHost />
      <ToastHost />
      {again && <LoginAgain />}
    </>
  );
}
