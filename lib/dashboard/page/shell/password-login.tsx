import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import { useServices } from "../services.js";

/** For who has no link and no token, where the owner has a password. */
export function PasswordLogin() {
  const { auth, failed } = useServices();
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [busy, setBusy] = useState(false);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
    setBusy(true);
    auth.logIn(password).then((outcome) => {
      setBusy(false);
      if (outcome !== true) setProblem(outcome);
    }, failed);
  };
  return (
    <form class="panel" onSubmit={submit} aria-label="Log in with the password">
      {problem !== undefined && (
        <p class="problem" role="alert" id="password-problem">
          {problem}
        </p>
      )}
      <label for="password">Password</label>
      <input
        id="password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        aria-describedby={problem === undefined ? undefined : "password-problem"}
      />
      <button type="submit" disabled={busy}>
        Log in
      </button>
    </form>
  );
}
