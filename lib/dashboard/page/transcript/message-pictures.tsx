import { useEffect, useRef, useState } from "preact/hooks";
import { downloadUrl } from "../net/download.js";
import { useServices } from "../services.js";
import type { Message } from "./state.js";

type Picture = NonNullable<Message["pictures"]>[number];

/** The pictures of a message or a result. */
export function MessagePictures({ message }: { message: Message }) {
  const { pictures = [] } = message;
  if (pictures.length === 0) return null;
  return (
    <div class="pictures">
      {pictures.map((picture, index) => (
        <PictureView key={picture.path} message={message} picture={picture} index={index} />
      ))}
    </div>
  );
}

interface PictureProps {
  message: Message;
  picture: Picture;
  index: number;
}

/** One of them. It is read when it comes into sight: each reading takes a ticket, and a long conversation has many. */
function PictureView({ message: { session_id, ordinal, role, tool_name }, picture, index }: PictureProps) {
  const { api } = useServices();
  const place = useRef<HTMLElement>(null);
  const [url, setUrl] = useState<string | undefined>(undefined);
  const [gone, setGone] = useState(false);
  const path = `api/sessions/${encodeURIComponent(session_id)}/messages/${ordinal}/pictures/${index}`;
  useEffect(() => {
    if (place.current === null) return;
    const read = async (): Promise<void> => setUrl((await downloadUrl(api, path)).href);
    const watcher = new IntersectionObserver((seen) => {
      if (!seen.some((one) => one.isIntersecting)) return;
      watcher.disconnect();
      read().catch(() => setGone(true));
    });
    watcher.observe(place.current);
    return () => watcher.disconnect();
  }, [api, path]);
  const { name, width, height } = picture;
  const size = width === undefined || height === undefined ? "" : `, ${width}×${height}`;
  const alt = role === "tool" ? `Picture ${name} of ${tool_name ?? "a tool"}` : `Attached picture ${name}`;
  return (
    <figure ref={place} class="picture">
      {gone ? (
        <p class="soft">The picture cannot be shown.</p>
      ) : (
        url !== undefined && <img src={url} alt={alt} width={width} height={height} onError={() => setGone(true)} />
      )}
      <figcaption class="soft" title={picture.path}>
        {name}
        {size}
      </figcaption>
    </figure>
  );
}
