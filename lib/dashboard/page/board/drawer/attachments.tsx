import type { TargetedDragEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Attachment } from "../../../../contracts/board/records.js";
import { saveAs } from "../../net/download.js";
import { useServices } from "../../services.js";
import { size } from "../../words/amounts.js";
import { formatRelativeTime } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";

/** The files of the task: given by a button or dropped here. */
export function AttachmentList() {
  const { calls, page, reload } = useOpenTask();
  const { failed, tell } = useServices();
  const [busy, setBusy] = useState(false);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const upload = async (files: readonly File[]): Promise<void> => {
    setBusy(true);
    // One after the other: one that is refused does not take the others along.
    for (const file of files) await calls.attach(file).then(() => tell("done", `${file.name} was attached.`), failed);
    setBusy(false);
    await reload();
  };
  const onDrop = (event: TargetedDragEvent<HTMLFieldSetElement>): void => {
    event.preventDefault();
    setOver(false);
    upload([...(event.dataTransfer?.files ?? [])]).catch(failed);
  };
  return (
    <fieldset
      aria-label="Attachments"
      class={`drop ${over ? "drop-over" : ""}`}
      onDragOver={(event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
    >
      <ul class="rows">
        {page.attachments.map((attachment) => (
          <AttachmentRow key={attachment.id} attachment={attachment} />
        ))}
      </ul>
      <input
        ref={input}
        class="sr-only"
        type="file"
        multiple
        tabIndex={-1}
        aria-label="Files to attach"
        onChange={(event) => {
          upload([...(event.currentTarget.files ?? [])]).catch(failed);
          event.currentTarget.value = "";
        }}
      />
      <div class="buttons">
        <button type="button" disabled={busy} onClick={() => input.current?.click()}>
          {busy ? "Uploading…" : "Attach files"}
        </button>
        <span class="soft">or drop them here</span>
      </div>
    </fieldset>
  );
}

function AttachmentRow({ attachment }: { attachment: Attachment }) {
  const { calls, reload, now } = useOpenTask();
  const { dialogs, failed } = useServices();
  const { id, filename, size: bytes, uploaded_by, created_at } = attachment;
  const download = async (): Promise<void> => saveAs(await calls.download(id), filename);
  const remove = async (): Promise<void> => {
    if (
      !(await dialogs.confirm({
        title: `Remove ${filename}?`,
        text: "The file is deleted.",
        confirm: "Remove",
        danger: true,
      }))
    )
      return;
    await calls.detach(id);
    await reload();
  };
  return (
    <li class="row">
      <button type="button" class="link" onClick={() => download().catch(failed)}>
        {filename}
      </button>
      <span class="soft grow">
        {size(bytes)} · {uploaded_by} · {formatRelativeTime(created_at, now())}
      </span>
      <button
        type="button"
        class="quiet small danger-text"
        aria-label={`Remove ${filename}`}
        onClick={() => remove().catch(failed)}
      >
        Remove
      </button>
    </li>
  );
}
