/** Every bound of a queue, cache, buffer or retry that no configuration key sets: value, unit in the name, source beside it. */
export const LIMITS = {
  /** Core part, 1.2: largest backplane message. */
  messageBytes: 1 << 20,
  /** Core part, 1.2: unread backlog after which a client is disconnected. */
  clientBacklogBytes: 8 << 20,
  /** Core part, 1.2: how long a request key is remembered. */
  requestKeyMs: 10 * 60_000,
  /** Extensions part, 9: calls of one callback server at once, its connections to one door, and its largest answer (pictures included). */
  callbackCalls: 64,
  callbackConnections: 8,
  callbackReplyBytes: 24 << 20,
  /** Extensions part, 2.7: a form without a sign of its reader is closed after this time, and so is a question for a hidden value. */
  formMs: 300_000,
  hiddenMs: 300_000,
  /** Extensions part, 2.7: a parked question is closed after this time. */
  parkedMs: 7 * 24 * 3_600_000,
  /** What an asker keeps beside a parked question, as JSON. */
  ticketChars: 80 << 10,
  /** Core part, 9.2: items in the queue of one lineage. */
  queueItems: 32,
  /** Core part, 6.1: calls of one response that run at once. */
  parallelCalls: 8,
  /** Pieces that may wait in the mailbox of one session or board. Above it callers get E_BUSY instead of a growing queue. */
  mailbox: 256,
  /** Core part, 17.5: background processes at once. */
  processes: 64,
  /** Characters of an answer to side work, reasoning included. Honest answers are shorter; above it the model does not end. */
  auxAnswerChars: 1 << 20,
  /** Characters of one answer of a model, reasoning and calls included. Above it the model does not end, and could not be paid for. */
  answerChars: 8 << 20,
  /** Core part, 15.1: standard input added to a prompt. */
  stdinBytes: 1 << 20,
  /** A cage shows what the project held within this time, or since its last command ended; what the machine held, within this time. */
  cagePlanMs: 2_000,
  /** A front end whose connection has closed may come back within this time; then its conversations are left. */
  frontEndGraceMs: 5_000,
  /** Conversations whose tools an owner keeps open between turns; above, the one that was used longest ago is let go. */
  openConversations: 64,
  /** Core part, 10: rounds of one turn that only run code and count against no budget. */
  uncountedRounds: 500,
  /** Clients of one owner, all transports together. */
  clients: 512,
  /** Bytes that wait for one browser to take them. Above it is cut off, and goes on from its cursor when it comes back. */
  webUnsentBytes: 1 << 20,
  /** Messages of a client to a WebSocket that only tells, within 10 s. */
  webIdleMessages: 100,
  /** Files in the archive of a board. */
  archiveMembers: 200_000,
  /** Bytes of its rows: 300,000 tasks with their events take 0.5 GB. Above it the archive is refused. */
  archiveRowBytes: 1 << 30,
  /** One row: the largest body, every character of it escaped. */
  archiveLineBytes: 4 << 20,
  /** Requests of one client that may be open at once. */
  requestsPerClient: 64,
  /** Gateway part, 5.3: open rows of the inbox for each platform. Above it nothing is confirmed, and the platform delivers again. */
  inboxOpen: 10_000,
  /** One event, normalised, as JSON. A listener takes bodies up to 1 MiB; escaped they are longer. */
  inboundChars: 2 << 20,
  /** Identifier of an event. */
  eventIdChars: 512,
  /** Events of the last hour that are known to be in the inbox without a look at it: 1 MB of identifiers. */
  eventsKnown: 10_000,
  /** Gateway part, 10.2: messages that wait in one session, and so that one turn answers. */
  waitingPerSession: 32,
  /** Texts of files that editors are asked for, or to write, and have not answered, of all conversations of an owner. */
  editorRequests: 256,
  /** Extensions part, 8.5: approvals and questions of a program that wait for the one that people are shown. More are denied. */
  programQuestions: 64,
  /** Calls to one platform at once that send messages; at most as many again rest between parts of theirs. Everything else waits in the outbox. */
  sendsAtOnce: 16,
  /** Strangers of one platform who are remembered to have asked within the hour, most of them in vain. Above it no stranger is answered. */
  pairingRequests: 100,
  /** Notices that wait for one hook. Above it the newest are dropped, with a warning. */
  hookNotices: 100,
} as const;
