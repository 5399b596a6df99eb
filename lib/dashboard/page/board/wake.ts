/** How long the stream may lag behind what the owner knows. */
const LAG_MS = 2000;

interface WakeParts {
  /** The newest event that the owner knows. */
  latest(): Promise<number>;
  /** The newest event that this page has heard of. */
  heard(): number;
  /** Connect again. */
  restart(): void;
}

/**
 * A computer that has slept keeps sockets that lead nowhere, and no browser says so. When the page is looked at again it asks for the newest event;
 * when the stream does not bring it, the connection is opened again. Ends when the answer is called.
 */
export function watchWake({ latest, heard, restart }: WakeParts): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = async (): Promise<void> => {
    if (document.visibilityState !== "visible") return;
    const newest = await latest().catch(() => {
      /* ok to lose: an owner that does not answer is tried again by the connection itself */
      return 0;
    });
    clearTimeout(timer);
    if (newest > heard()) timer = setTimeout(() => newest > heard() && restart(), LAG_MS);
  };
  const listener = (): void => void look();
  document.addEventListener("visibilitychange", listener);
  return () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", listener);
  };
}
