import { writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { examples } from './examples.ts'
import { printEmail, printOption, type PrintOptions } from './print-part.ts'

type GetOptions = PrintOptions & { attachment?: string; out?: string }

export function addGetCommand(program: Command): void {
  const command = program
    .command('get [id]')
    .description('Print a message or one part of it. Without an id, the newest message.')
    .addOption(printOption())
    .option('--attachment <index>', 'print the attachment with this number')
    .option('--out <file>', 'write the attachment to this file')
    .option('--json [fields]', 'print JSON, optionally only these fields')
  withConnection(command)
    .addHelpText(
      'after',
      examples(
        'mailhatch get',
        'mailhatch get --print raw > mail.eml',
        'mailhatch get --attachment 0 --out terms.txt',
        'mailhatch get 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24 --json subject,codes,links',
      ),
    )
    .action(async (id: string | undefined, options: GetOptions) => {
      const mailhatch = connect(command)
      const email = await (id === undefined ? mailhatch.messages.latest() : mailhatch.messages.get(id))
      if (options.attachment === undefined) return printEmail(mailhatch, email, options)
      const bytes = await mailhatch.messages.attachment(email.id, Number(options.attachment))
      if (options.out !== undefined) return writeFileSync(options.out, bytes)
      if (!process.stdout.isTTY) return void process.stdout.write(bytes)
      // Untrusted bytes could contain terminal escape sequences.
      command.error('error: write the attachment to a file with --out <file>')
    })
}
