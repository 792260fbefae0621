import { Option, type Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { envLines } from './env-lines.ts'
import { examples } from './examples.ts'
import { print, printJson, type JsonOption } from './output.ts'

type AddressOptions = JsonOption & { tag?: string; mailbox?: string; output?: 'env' | 'json' }

export function addAddressCommand(program: Command): void {
  const command = program
    .command('address')
    .description('Print a new unique address and a cursor. wait with both returns only mail that is sent from now on.')
    .option('--tag <text>', 'start of the tag, such as the name of the test')
    .option('--mailbox <name>', 'mailbox (default: that of the key, else the team’s first)')
    .addOption(
      new Option('-o, --output <format>', 'print MAILHATCH_ADDRESS and MAILHATCH_CURSOR for eval, or JSON').choices([
        'env',
        'json',
      ]),
    )
    .option('--json', 'print JSON')
  withConnection(command)
    .addHelpText(
      'after',
      `\nNothing is stored on the server, so there is nothing to clean up.\n${examples(
        'mailhatch address --tag signup',
        'eval "$(mailhatch address -o env)" && mailhatch send --to "$MAILHATCH_ADDRESS" && ' +
          'mailhatch wait --to "$MAILHATCH_ADDRESS" --after "$MAILHATCH_CURSOR" --print code',
      )}`,
    )
    .action(async ({ tag, mailbox, output, ...options }: AddressOptions) => {
      if (mailbox !== undefined && /[@+\s]/.test(mailbox)) {
        command.error(`error: option '--mailbox' is the name before the + and the @, such as qa, not ${mailbox}`)
      }
      const mailhatch = connect(command)
      const inbox = await mailhatch.addresses.create({
        ...(tag === undefined ? {} : { prefix: tag }),
        ...(mailbox === undefined ? {} : { mailbox }),
      })
      const { address, cursor } = inbox
      if (output === 'json') return printJson({ address, cursor }, {})
      if (output === 'env') {
        const values = [['MAILHATCH_ADDRESS', address] as const, ['MAILHATCH_CURSOR', cursor] as const]
        for (const line of envLines(values)) console.log(line)
        return
      }
      const lines = [address, '', 'Wait for its mail:', `  mailhatch wait --to ${address} --after ${cursor}`]
      print({ address, cursor }, lines, options)
    })
}
