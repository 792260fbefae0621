const KIB = 1024
const MIB = 1024 * KIB
const SECOND_MS = 1_000

/** All limits of the SMTP server. Tests override them to avoid long waits and large mail. */
export const DEFAULT_LIMITS = {
  /** Including the line end. RFC 5321 requires 512; AUTH and SMTPUTF8 extend it. */
  commandLineBytesMax: 2 * KIB,
  /** The third over-long command line closes the connection: a mail client does not send them. */
  longCommandLinesMax: 3,
  /** Including the line end. RFC 5321 says 1,000, but a capture must be faithful. Longer lines only hurt parsers. */
  dataLineBytesMax: MIB,
  /** The minimum that RFC 5321 (4.5.3.1.8) allows. */
  recipientsMax: 100,
  /** RFC 5321 (4.5.3.1.3) without the angle brackets. The address rules limit local part and domain. */
  recipientPathBytesMax: 254,
  /** RFC 5321 allows 64, but return paths with an encoded address are longer. */
  senderLocalPartBytesMax: 256,
  senderDomainBytesMax: 255,
  /** Connection pools and load tools reuse one connection for many messages. */
  transactionsMax: 10_000,
  /** As in Postfix: permanent refusals since the last accepted mail. */
  errorsMax: 20,
  unknownCommandsMax: 10,
  connectionsMax: 2_000,
  /** Connections waiting to be accepted. Node's default of 511 is below `connectionsMax`. */
  backlog: 2_000,
  /** As in Postfix. Loopback addresses are exempt from this limit and the next. */
  connectionsPerAddressMax: 50,
  newConnectionsPerAddressMax: 30,
  newConnectionsWindowMs: 10 * SECOND_MS,
  /** RFC 5321 (4.5.3.2.7). */
  commandIdleMs: 300 * SECOND_MS,
  /** While more than this share of `connectionsMax` are open, idle clients are disconnected sooner. */
  loadedShare: 0.8,
  commandIdleLoadedMs: 10 * SECOND_MS,
  /** Also the longest pause in a TLS handshake. */
  dataIdleMs: 60 * SECOND_MS,
  sessionMs: 30 * 60 * SECOND_MS,
  /** A client that sends just fast enough to avoid the idle limit would hold its connection for hours. */
  rateBytesPerSecondMin: 500,
  rateGraceMs: 30 * SECOND_MS,
  /** As in Postfix: a mail with more `Received:` fields is in a loop. */
  hopsMax: 50,
  /** The MIME parser reads this much of the header block; later fields are ignored. */
  headerBlockBytesMax: 256 * KIB,
  /** Mail up to this size is buffered in memory, larger mail in a spool file. */
  memoryPerMailBytesMax: MIB,
  /** Limit for all buffered mail together. Above it, each mail may buffer only `memoryPerMailScarceBytesMax`. */
  memoryBytesMax: 256 * MIB,
  memoryPerMailScarceBytesMax: 64 * KIB,
  /** An oversized mail is read to its end so that the session can continue, but only up to this multiple. */
  oversizeFactorMax: 2,
  /** How long a client may take to close the connection after our last reply. */
  closeMs: 5 * SECOND_MS,
  /** How long a transfer may continue after shutdown begins. */
  shutdownMs: 20 * SECOND_MS,
  /** How often all sessions are checked, which is the precision of every time limit above. */
  tickMs: SECOND_MS,
  /** How long a result about free disk space is cached. */
  diskRoomMs: SECOND_MS,
}

export type Limits = typeof DEFAULT_LIMITS
