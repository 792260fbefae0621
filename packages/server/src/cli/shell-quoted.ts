/** A word for a shell. Quoted only if necessary, because files such as $GITHUB_ENV treat quotes as part of the value. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
