import type { IconName } from '../ui/icon.tsx'

export type Command = {
  id: string
  /** Shown and searched, as is `kind`, a category in one word. */
  text: string
  kind: string
  icon: IconName
  run: () => void
  /** Only listed when it matches a search. */
  isSearchOnly?: boolean
}

/** Commands that contain every word of the search. Those that start with it come first; otherwise the order stays. */
export function findCommands(commands: Command[], typed: string): Command[] {
  const search = typed.trim().toLowerCase()
  if (search === '') return commands.filter(({ isSearchOnly }) => !isSearchOnly)
  const words = search.split(/\s+/)
  const found = commands.filter(({ text, kind }) => {
    const searched = `${text} ${kind}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const startsWithSearch = ({ text }: Command) => text.toLowerCase().startsWith(search)
  return [...found.filter(startsWithSearch), ...found.filter((command) => !startsWithSearch(command))]
}
