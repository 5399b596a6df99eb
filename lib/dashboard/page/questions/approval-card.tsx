import { useState } from "preact/hooks";
import type { ApprovalAsked, ApprovalOption } from "../../../contracts/chat/questions.js";
import { DiffText } from "../shell/diff-text.js";

interface ApprovalProps {
  asked: ApprovalAsked;
  answer(given: { readonly answer: ApprovalOption; readonly text?: string }): void;
}

const NAMES: Readonly<Record<ApprovalOption, string>> = {
  once: "Allow once",
  session: "Allow for this conversation",
  project: "Allow in this project",
  always: "Always allow",
  edits: "Allow edits in this project",
  deny: "Deny",
};

/** Answers about the desktop hold for one window of this conversation. */
const ON_DESKTOP: Readonly<Partial<Record<ApprovalOption, string>>> = {
  session: "Allow this action in this window",
  always: "Allow every action in this window",
};

/** Something that wants permission: exactly what will run, where, why it is asked about, and what each answer allows. */
export function ApprovalCard({ asked, answer }: ApprovalProps) {
  const { kind, tool, command, cwd, segments, reasons, diff, options, rules } = asked;
  const onDesktop = kind === "desktop";
  const [reason, setReason] = useState("");
  const give = (option: ApprovalOption): void =>
    answer({ answer: option, ...(option === "deny" && reason !== "" ? { text: reason } : {}) });
  return (
    <section class="question" aria-label="Permission">
      <h3>
        <code>{tool}</code> asks for permission
      </h3>
      <pre class="data exact">{command}</pre>
      <p class="soft">in {cwd}</p>
      <ul class="reasons">
        {reasons.map(({ class: kind, text }) => (
          <li key={`${kind} ${text}`}>
            <strong>{kind}</strong> {text}
          </li>
        ))}
        {segments
          .filter(({ argv, class: kind }) => kind !== undefined && !reasons.some(({ text }) => text.includes(argv)))
          .map(({ argv, class: kind, why }) => (
            <li key={argv}>
              <code>{argv}</code> <strong>{kind}</strong> {why}
            </li>
          ))}
      </ul>
      {diff !== undefined && <DiffText text={diff} />}
      <div class="answers">
        {options
          .filter((option) => option !== "deny")
          .map((option) => (
            <div key={option}>
              <button type="button" class={option === "once" ? "primary" : undefined} onClick={() => give(option)}>
                {(onDesktop ? ON_DESKTOP[option] : undefined) ?? NAMES[option]}
              </button>
              {onDesktop && ON_DESKTOP[option] !== undefined && <span class="soft"> until this conversation ends</span>}
              {!onDesktop &&
                (option === "session" || option === "project" || option === "always") &&
                rules[option] !== undefined && (
                  <span class="soft">
                    {" "}
                    stores <code>{rules[option].join(", ")}</code>
                  </span>
                )}
            </div>
          ))}
      </div>
      {options.includes("deny") && (
        <div class="buttons">
          <button type="button" class="danger" onClick={() => give("deny")}>
            {NAMES.deny}
          </button>
          <input
            type="text"
            class="grow"
            aria-label="Reason of the denial"
            placeholder="because … (the model reads it)"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      )}
    </section>
  );
}
