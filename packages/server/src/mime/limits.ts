// Every limit of the parser. What lies beyond one stays in the raw mail, and the result says `partial`.

const KIB = 1024
const MIB = 1024 * KIB

// Large real mails carry some 30 KiB of headers (ARC, DKIM, long recipient lists); beyond this it is an attack.
export const HEADER_BLOCK_BYTES_MAX = 256 * KIB

// Room for a To of a thousand recipients, the longest header that people really send.
export const HEADER_BYTES_MAX = 64 * KIB

// A mail that went through many relays has about a hundred.
export const HEADERS_MAX = 1_000

// A thousand recipients whose names take two words each, and as much again. Each word takes some 2 µs, whatever its length, so
// a mail may spend about 6 ms in them; the limit of the header block bounds their length.
export const ENCODED_WORDS_MAX = 4_000

// Only the first address counts, and no name of a person is as long.
export const SENDER_CHARS_MAX = 2 * KIB

// Eight lines as long as mail allows. A subject is part of every row of a list; its header stays whole.
export const SUBJECT_CHARS_MAX = 8 * KIB

// About a hundred recipients; a search for one of them ends there.
export const ADDRESS_LIST_CHARS_MAX = 8 * KIB

// Forwarded newsletters reach five or six levels.
export const DEPTH_MAX = 20

// A scanned document sent page by page has a few hundred.
export const PARTS_MAX = 1_000

// RFC 2046 allows 70; generators that add ids go beyond. A long one costs no more than its delimiters are long.
export const BOUNDARY_BYTES_MAX = 8 * KIB

// Kept in the database and sent inline with a message, each for text and HTML.
export const BODY_BYTES_MAX = 1 * MIB

// Lists of binaries that were posted in one mail had a dozen; what follows stays text.
export const FILES_IN_TEXT_MAX = 100

// What most file systems allow for a name.
export const FILENAME_CHARS_MAX = 255

// Generated ones stay below 100. A longer one is left out: with a thousand parts, headers have room for 25 MB of them.
export const CONTENT_ID_CHARS_MAX = 255
