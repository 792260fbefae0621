import type { Command } from 'commander'

/** Heading of the options that say which server to use, and with which key. */
export const CONNECTION_GROUP = 'Connection:'

/** What a name in an error of the server or the SDK is called on this command line, such as `--api-key` for `apiKey`. */
export function typedName(command: Command | null, name: string): string {
  const option = command?.options.find((one) => one.attributeName() === name || one.name() === name)
  if (option?.long) return option.long
  return command?.registeredArguments.some((argument) => argument.name() === name) ? `<${name}>` : name
}

/** What a field of a request is called on this command line. It is never an option that names the server. */
export function typedField(command: Command | null, field: string): string {
  const options = command?.options.filter(({ helpGroupHeading }) => helpGroupHeading !== CONNECTION_GROUP) ?? []
  if (command?.registeredArguments.some((argument) => argument.name() === field)) return `<${field}>`
  const named = options.find((option) => option.attributeName() === field)
  const meant = named ?? options.find(({ flags }) => flags.endsWith(`<${field}>`))
  return meant?.long ?? field
}

/** Commander names both forms of an option: `'-o, --output <format>'`. Only the typed one helps. */
export function withTypedFlags(text: string, words: string[]): string {
  return text.replaceAll(/'(-\w), (--[\w-]+)([^']*)'/g, (_, short: string, long: string, rest: string) => {
    const isLong = words.some((word) => word === long || word.startsWith(`${long}=`))
    return `'${isLong ? long : short}${rest}'`
  })
}
