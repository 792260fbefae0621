/** Options of the program itself that take a value. */
const WITH_VALUE = ['--settings', '--color']
const WITHOUT_COMMAND = ['--help', '-h', '--version', '-V']

/** Without a command, `mailhatch` starts the server: `mailhatch --catch-all` is `mailhatch serve --catch-all`. */
export function withCommand(words: string[]): string[] {
  let index = 0
  while (WITH_VALUE.some((name) => words[index] === name || words[index]?.startsWith(`${name}=`))) {
    index += words[index]!.includes('=') ? 1 : 2
  }
  const first = words[index]
  // The value is missing, or there is a command.
  if (index > words.length || (first !== undefined && !first.startsWith('-'))) return words
  if (first !== undefined && WITHOUT_COMMAND.includes(first)) return words
  return [...words.slice(0, index), 'serve', ...words.slice(index)]
}
