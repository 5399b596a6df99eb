import type { TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { fromField, toField } from "./edited.js";
import { SettingControl } from "./setting-control.js";
import type { SettingKey, Values } from "./types.js";

interface RowProps {
  setting: SettingKey;
  now: Values[string] | undefined;
  save(key: string, value: unknown): Promise<void>;
}

const SOURCES: Readonly<Record<string, string>> = { default: "default", file: "set here", environment: "from the environment" };

/** One setting. Its value is shown; a press opens its field. */
export function SettingRow({ setting, now, save }: RowProps) {
  const [text, setText] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const id = useId();
  const { key, help, env, secret } = setting;
  const shown = toField(setting, now?.value ?? setting.default);
  const send = async (value: unknown): Promise<void> => {
    await save(key, value);
    setText(undefined);
    setProblem(undefined);
  };
  const failed = (error: unknown): void => setProblem(error instanceof Error ? error.message : String(error));
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const parsed = fromField(setting, text ?? "");
    if (parsed.ok) send(parsed.value).catch(failed);
    else setProblem(parsed.problem);
  };
  return (
    <div class="setting">
      <div class="setting-words">
        <code id={id}>{key}</code>
        <span class="soft small-text">{SOURCES[now?.source ?? "default"]}</span>
        <p class="soft">{help}</p>
      </div>
      {text === undefined ? (
        <button
          type="button"
          class="field-value"
          aria-describedby={id}
          disabled={now?.source === "environment"}
          title={now?.source === "environment" ? `${env ?? "A variable"} of the environment wins` : `Change ${key}`}
          onClick={() => setText(secret ? "" : shown)}
        >
          {shown === "" ? <span class="soft">empty</span> : shown}
        </button>
      ) : (
        <form class="field-editor" onSubmit={submit}>
          <SettingControl setting={setting} text={text} change={setText} />
          {problem !== undefined && (
            <p class="problem" role="alert">
              {problem}
            </p>
          )}
          <div class="buttons">
            <button type="submit" class="primary">
              Save
            </button>
            <button type="button" onClick={() => setText(undefined)}>
              Cancel
            </button>
            {now?.source === "file" && (
              <button type="button" class="quiet" onClick={() => send(null).catch(failed)}>
                Back to the default
              </button>
            )}
          </div>
        </form>
      )}
    </div>
  );
}
