import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { HiddenAsked } from "../../../contracts/chat/questions.js";

interface HiddenProps {
  asked: HiddenAsked;
  /** Null: the user gives none. */
  answer(value: string | null): void;
}

/** A value that must not be seen: it goes to the owner and stands nowhere else. */
export function HiddenCard({ asked, answer }: HiddenProps) {
  const [value, setValue] = useState("");
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    answer(value);
    setValue("");
  };
  return (
    <section class="question" aria-label="Secret">
      <p>{asked.prompt}</p>
      <form class="buttons" onSubmit={submit}>
        <input
          type="password"
          class="grow"
          aria-label={asked.prompt}
          autoComplete="off"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Give
        </button>
        <button type="button" onClick={() => answer(null)}>
          Refuse
        </button>
      </form>
    </section>
  );
}
