import { firstLine } from './results.ts'

/** The options of this command. If they are wrong, prints why and the help, and exits. */
export function readGivenOptions<Options>(readOptions: (args: string[]) => Options, help: string): Options {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${firstLine(error)}\n`)
    console.error(help)
    process.exit(2)
  }
}
