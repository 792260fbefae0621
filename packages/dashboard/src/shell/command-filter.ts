import type { IconName } from '../ui/icon.tsx'

export type Command = {
  id: string
  /** What is read and searched; `kind` says in a word what it is about, and is searched too. */
  text: string
  kind: string
  icon: IconName
  run: () => void
  /** One of many: shown once something is typed. */
  isFurther?: boolean
}

/** Those that have every word that was typed; where the text begins with it comes first, else the order stays. */
export function findCommands(commands: Command[], typed: string): Command[] {
  const sought = typed.trim().toLowerCase()
  if (sought === '') return commands.filter(({ isFurther }) => !isFurther)
  const words = sought.split(/\s+/)
  const found = commands.filter(({ text, kind }) => {
    const searched = `${text} ${kind}`.toLowerCase()
    return words.every((word) => searched.includes(word))
  })
  const begins = ({ text }: Command) => text.toLowerCase().startsWith(sought)
  return [...found.filter(begins), ...found.filter((command) => !begins(command))]
}
