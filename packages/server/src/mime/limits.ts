// All limits of the parser. Content beyond a limit stays in the raw mail, and the result is `partial`.

const KIB = 1024
const MIB = 1024 * KIB

// Large real mail has about 30 KiB of headers (ARC, DKIM, long recipient lists). More than this is an attack.
export const HEADER_BLOCK_BYTES_MAX = 256 * KIB

// Enough for a To with a thousand recipients, the longest real header.
export const HEADER_BYTES_MAX = 64 * KIB

// Mail that passed many relays has about a hundred.
export const HEADERS_MAX = 1_000

// A thousand recipients with two words per name, doubled. Each word takes about 2 µs regardless of its length, so a
// mail spends at most about 6 ms on them. The limit of the header block bounds their length.
export const ENCODED_WORDS_MAX = 4_000

// Only the first address counts, and no real name is longer.
export const SENDER_CHARS_MAX = 2 * KIB

// Eight lines of the maximum length. A subject is part of every row of a list. Its header is not cut.
export const SUBJECT_CHARS_MAX = 8 * KIB

// About a hundred recipients. A search does not find later ones.
export const ADDRESS_LIST_CHARS_MAX = 8 * KIB

// The addresses that a message lists for To, Cc and Reply-To each. Larger lists are in the headers.
export const LISTED_ADDRESSES_MAX = 1_000

// Forwarded newsletters reach five or six levels.
export const DEPTH_MAX = 20

// A document scanned page by page has a few hundred.
export const PARTS_MAX = 1_000

// RFC 2046 allows 70, but programs that add ids exceed it. The cost is proportional to the length of the delimiters.
export const BOUNDARY_BYTES_MAX = 8 * KIB

// Stored in the database and sent with the message, for text and HTML each.
export const BODY_BYTES_MAX = 1 * MIB

// Mail with embedded binaries has about a dozen. Later ones stay text.
export const FILES_IN_TEXT_MAX = 100

// The longest name in most file systems.
export const FILENAME_CHARS_MAX = 255

// Generated ids are shorter than 100. Longer ones are left out, because a thousand parts could have 25 MB of them.
export const CONTENT_ID_CHARS_MAX = 255
