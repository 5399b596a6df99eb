import type { TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { ClarifyAsked } from "../../../contracts/chat/questions.js";
import { Markdown } from "../markdown-view.js";

interface ClarifyProps {
  asked: ClarifyAsked;
  /** Null: the user has no answer. */
  answer(text: string | null): void;
}

/** Something that the model wants to know: its choices, or an answer in own words. */
export function ClarifyCard({ asked, answer }: ClarifyProps) {
  const [text, setText] = useState("");
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (text.trim() !== "") answer(text);
  };
  return (
    <section class="question" aria-label="Question">
      <Markdown text={asked.question} />
      <div class="buttons">
        {asked.choices.map((choice) => (
          <button key={choice} type="button" onClick={() => answer(choice)}>
            {choice}
          </button>
        ))}
      </div>
      <form class="buttons" onSubmit={submit}>
        <input
          type="text"
          class="grow"
          aria-label="Your answer"
          placeholder="in your own words"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Answer
        </button>
        <button type="button" onClick={() => answer(null)}>
          No answer
        </button>
      </form>
    </section>
  );
}
