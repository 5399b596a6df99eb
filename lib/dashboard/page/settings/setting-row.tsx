import type { TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { choicesOf, fromField, toField } from "./edited.js";
import { SettingChoice, SettingControl } from "./setting-control.js";
import type { SettingKey, SettingValues } from "./types.js";

interface RowProps {
  setting: SettingKey;
  now: SettingValues[string] | undefined;
  save(key: string, value: unknown): Promise<void>;
}

const SOURCES: Readonly<Record<string, string>> = {
  default: "default",
  file: "set here",
  environment: "from the environment",
};

/** One setting. A list of values is there at once; other values are shown, and a press opens their field. */
export function SettingRow({ setting, now, save }: RowProps) {
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const id = useId();
  const { key, help, env } = setting;
  const source = now?.source ?? "default";
  const fixed = source === "environment";
  const failed = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const send = async (value: unknown): Promise<void> => {
    await save(key, value);
    setProblem(undefined);
  };
  const reset = source === "file" ? () => void send(null).catch(failed) : undefined;
  const field = {
    setting,
    text: toField(setting, now?.value ?? setting.default),
    fixed,
    describedBy: id,
    send,
    failed,
    reset,
  };
  return (
    <div class="setting">
      <div class="setting-words">
        <code id={id}>{key}</code>
        <span class="soft small-text">{SOURCES[source]}</span>
        <p class="soft">{help}</p>
        {fixed && (
          <p class="hint">Set by {env ?? "a variable"} in the environment. Unset it to change the value here.</p>
        )}
      </div>
      <div class="setting-field">
        {choicesOf(setting) === undefined ? (
          <FreeField {...field} setProblem={setProblem} />
        ) : (
          <ChoiceField {...field} />
        )}
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
      </div>
    </div>
  );
}

interface FieldProps {
  setting: SettingKey;
  /** The value in force. */
  text: string;
  /** It cannot be changed here. */
  fixed: boolean;
  describedBy: string;
  send(value: unknown): Promise<void>;
  failed(error: unknown): void;
  /** Absent: the default is in force. */
  reset: (() => void) | undefined;
}

function ChoiceField({ setting, text, fixed, describedBy, send, failed, reset }: FieldProps) {
  const change = (chosen: string): void => {
    const parsed = fromField(setting, chosen);
    if (parsed.ok) send(parsed.value).catch(failed);
  };
  return (
    <div class="buttons">
      <SettingChoice setting={setting} text={text} change={change} describedBy={describedBy} disabled={fixed} />
      {reset !== undefined && <Reset reset={reset} />}
    </div>
  );
}

const Reset = ({ reset }: { reset: () => void }) => (
  <button type="button" class="quiet" onClick={reset}>
    Reset to default
  </button>
);

function FreeField({
  setting,
  text: shown,
  fixed,
  describedBy,
  send,
  failed,
  reset,
  setProblem,
}: FieldProps & SetsProblem) {
  const [text, setText] = useState<string | undefined>(undefined);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const parsed = fromField(setting, text ?? "");
    if (parsed.ok) send(parsed.value).then(() => setText(undefined), failed);
    else setProblem(parsed.problem);
  };
  const resetAndClose = (): void => {
    setText(undefined);
    reset?.();
  };
  if (text === undefined)
    return (
      <button
        type="button"
        class="field-value"
        aria-describedby={describedBy}
        disabled={fixed}
        title={fixed ? undefined : `Change ${setting.key}`}
        onClick={() => setText(setting.secret ? "" : shown)}
      >
        {shown === "" ? <span class="soft">empty</span> : shown}
      </button>
    );
  return (
    <form class="field-editor" onSubmit={submit}>
      <SettingControl setting={setting} text={text} change={setText} />
      <div class="buttons">
        <button type="submit" class="primary">
          Save
        </button>
        <button type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
        {reset !== undefined && <Reset reset={resetAndClose} />}
      </div>
    </form>
  );
}

interface SetsProblem {
  setProblem(problem: string): void;
}
