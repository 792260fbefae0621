const KIB = 1024
const MIB = 1024 * KIB
const SECOND_MS = 1_000

/** Every number the receiver enforces. Each may be overridden, so that a test need not wait or send for long. */
export const DEFAULT_LIMITS = {
  /** Line end included. RFC 5321 asks for 512; AUTH and SMTPUTF8 add to it. */
  commandLineBytesMax: 2 * KIB,
  /** The third over-long command line closes the connection: whoever sends them is not a mail client. */
  longCommandLinesMax: 3,
  /** Line end included. RFC 5321 says 1,000, but a capture must be faithful; beyond this it only hurts parsers. */
  dataLineBytesMax: MIB,
  /** The least that RFC 5321 (4.5.3.1.8) lets a server offer. */
  recipientsMax: 100,
  /** RFC 5321 (4.5.3.1.3) without the angle brackets; local part and domain are limited by the address rules. */
  recipientPathBytesMax: 254,
  /** RFC 5321 has 64, but return paths with an address encoded in them go beyond it. */
  senderLocalPartBytesMax: 256,
  senderDomainBytesMax: 255,
  /** Pools and load tools reuse one connection for very many mails. */
  transactionsMax: 10_000,
  /** As Postfix: permanent refusals since the last accepted mail. */
  errorsMax: 20,
  unknownCommandsMax: 10,
  connectionsMax: 2_000,
  /** Connections that may wait to be accepted; Node's 511 is less than what may be open. */
  backlog: 2_000,
  /** As Postfix; loopback is exempt from this and the next one. */
  connectionsPerAddressMax: 50,
  newConnectionsPerAddressMax: 30,
  newConnectionsWindowMs: 10 * SECOND_MS,
  /** RFC 5321 (4.5.3.2.7). */
  commandIdleMs: 300 * SECOND_MS,
  /** Above this share of `connectionsMax`, idle clients make room for others sooner. */
  loadedShare: 0.8,
  commandIdleLoadedMs: 10 * SECOND_MS,
  /** Also the longest wait for a TLS handshake to go on. */
  dataIdleMs: 60 * SECOND_MS,
  sessionMs: 30 * 60 * SECOND_MS,
  /** A client that trickles bytes just below the idle limit would hold its place for hours. */
  rateBytesPerSecondMin: 500,
  rateGraceMs: 30 * SECOND_MS,
  /** As Postfix: a mail with more `Received:` fields is going round in a circle. */
  hopsMax: 50,
  /** Fields beyond the header block that the MIME part reads are not looked at. */
  headerBlockBytesMax: 256 * KIB,
  /** A mail up to this size is held in memory, a larger one in a spool file. */
  memoryPerMailBytesMax: MIB,
  /** All mail held in memory together; beyond it each mail holds only `memoryPerMailScarceBytesMax`. */
  memoryBytesMax: 256 * MIB,
  memoryPerMailScarceBytesMax: 64 * KIB,
  /** An over-size mail is read to its end, so that the session goes on, but only up to this multiple. */
  oversizeFactorMax: 2,
  /** How long a client may take to close its side after our last reply. */
  closeMs: 5 * SECOND_MS,
  /** How long mail in transfer may go on after a shutdown began. */
  shutdownMs: 20 * SECOND_MS,
  /** How often all sessions are looked at; the precision of every time above. */
  tickMs: SECOND_MS,
  /** How long an answer about free disk space is believed. */
  diskRoomMs: SECOND_MS,
}

export type Limits = typeof DEFAULT_LIMITS
