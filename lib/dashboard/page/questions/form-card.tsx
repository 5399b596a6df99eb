import type { TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import {
  checkField,
  checkForm,
  type FormAsked,
  type FormFaults,
  type FormGiven,
} from "../../../contracts/chat/form.js";
import { urlParts } from "../../../contracts/chat/form-url.js";
import { Markdown } from "../markdown-view.js";
import { FormFieldInput } from "./form-field.js";
import { contentOf, type Filled, startValues } from "./form-values.js";

interface FormProps {
  asked: FormAsked;
  answer(given: FormGiven): void;
}

/** What a tool or an MCP server wants to be filled in, or agreed to. Enter in a field sends; faults are read beside their fields. */
export function FormCard({ asked, answer }: FormProps) {
  const { title, from, message, fields, url } = asked;
  const id = useId();
  const [values, setValues] = useState<Filled>(() => startValues(fields));
  const [faults, setFaults] = useState<FormFaults>({});
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const content = contentOf(fields, values);
    const checked = checkForm(fields, content);
    if (checked.ok) {
      answer({ action: "accept", content });
      return;
    }
    setFaults(checked.faults);
    const first = fields.find(({ name }) => checked.faults[name] !== undefined);
    if (first !== undefined)
      event.currentTarget.querySelector<HTMLElement>(`[data-field="${CSS.escape(first.name)}"]`)?.focus();
  };
  const left = (name: string): void => {
    const field = fields.find((one) => one.name === name);
    if (field === undefined) return;
    const checked = checkField(field, contentOf([field], values)[name]);
    setFaults(({ [name]: _before, ...rest }) => ("fault" in checked ? { ...rest, [name]: checked.fault } : rest));
  };
  return (
    <section class="question" aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>{title === "" ? "Form" : title}</h3>
      <p class="soft">
        from <code>{from}</code>
      </p>
      <Markdown text={message} />
      {url !== undefined && <Address url={url} />}
      <form noValidate onSubmit={submit}>
        {fields.map((field) => (
          <FormFieldInput
            key={field.name}
            field={field}
            value={values[field.name] ?? ""}
            fault={faults[field.name]}
            change={(value) => setValues((now) => ({ ...now, [field.name]: value }))}
            left={() => left(field.name)}
          />
        ))}
        {fields.some(({ required }) => required) && <p class="soft">* required</p>}
        <div class="buttons">
          <button type="submit" class="primary">
            {fields.length > 0 ? "Send" : "Agree"}
          </button>
          <button type="button" onClick={() => answer({ action: "decline" })}>
            Decline
          </button>
          <button type="button" onClick={() => answer({ action: "cancel" })}>
            Cancel
          </button>
        </div>
      </form>
    </section>
  );
}

/** The whole address with its host apart. It is text to copy, not a link: the page opens nothing for a server. */
function Address({ url }: { url: string }) {
  const parts = urlParts(url);
  return (
    <>
      <pre class="data exact">
        {parts === undefined ? (
          url
        ) : (
          <>
            {parts.before}
            <strong>{parts.host}</strong>
            {parts.after}
          </>
        )}
      </pre>
      <ul class="reasons">
        {parts === undefined ? (
          <li>This is not a web address: do not open it.</li>
        ) : (
          <li>
            host <strong>{parts.host}</strong>
          </li>
        )}
        {parts?.warnings.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <p class="soft">If you agree, copy the address and open it yourself.</p>
    </>
  );
}
