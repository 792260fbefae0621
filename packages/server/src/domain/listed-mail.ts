/** In a list of mail that no team claims, larger mail is not parsed: its row shows the headers alone, without a preview. */
export const PARSED_IN_LIST_BYTES_MAX = 256 * 1024
