import type { TargetedSubmitEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LoginWay } from "../net/auth.js";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { PasswordLogin } from "./password-login.js";

/** For who comes without a link, or with one that is used up: the token of the running owner, the password where one is set, accounts that plugins know. */
export function Login() {
  const { auth, failed } = useServices();
  const [ways, setWays] = useState<readonly LoginWay[]>([]);
  useEffect(() => {
    auth.ways().then(setWays, failed);
  }, [auth, failed]);
  const pages = ways.filter(({ kind }) => kind === "browser");
  return (
    <div class="ways-in">
      <TokenLogin />
      {ways.some(({ kind }) => kind === "password") && <PasswordLogin />}
      {pages.length > 0 && (
        <nav class="panel" aria-label="Log in with an account">
          {pages.map(({ name, label, login }) => (
            <a key={name} class="button" href={login}>
              Log in with {label}
            </a>
          ))}
        </nav>
      )}
    </div>
  );
}

function TokenLogin() {
  const { auth, session, failed } = useServices();
  const before = useStore(session, (now) => (now.phase === "out" ? now.problem : undefined));
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "");
    setBusy(true);
    auth.signIn(token).then((outcome) => {
      setBusy(false);
      if (outcome !== true) setProblem(outcome);
    }, failed);
  };
  const wrong = problem ?? before;
  return (
    <form class="panel" onSubmit={submit}>
      <h1>agent</h1>
      {wrong !== undefined && (
        <p class="problem" role="alert" id="login-problem">
          {wrong}
        </p>
      )}
      <label for="token">Session token</label>
      <input
        id="token"
        name="token"
        type="password"
        autoComplete="current-password"
        required
        spellcheck={false}
        aria-describedby={wrong === undefined ? "login-help" : "login-problem login-help"}
        ref={focused}
      />
      <p id="login-help" class="hint">
        <code>agent dashboard url</code> prints a link that signs you in at once, <code>agent dashboard token</code> the
        token itself.
      </p>
      <button type="submit" class="primary" disabled={busy}>
        Sign in
      </button>
    </form>
  );
}

/** The same over what was open, which goes on where it was. */
export function LoginAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      class="modal login-again"
      aria-label="Sign in again"
      onCancel={(event) => event.preventDefault()}
    >
      <Login />
    </dialog>
  );
}

const focused = (input: HTMLInputElement | null): void => input?.focus();
