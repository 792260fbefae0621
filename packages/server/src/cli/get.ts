import { writeFileSync } from 'node:fs'
import type { Mailhatch } from '@mailhatch/sdk'
import { InvalidArgumentError, type Command } from 'commander'
import { connect, withConnection } from './connection.ts'
import { countOf } from './count-of.ts'
import { examples } from './examples.ts'
import { found, noMessage } from './found.ts'
import { jsonFieldsOption } from './json-fields.ts'
import { printEmail, printOption, type PrintOptions } from './print-part.ts'

type Attachment = Parameters<Mailhatch['messages']['attachment']>[1]
type GetOptions = PrintOptions & { attachment?: Attachment; out?: string }

export function addGetCommand(program: Command): void {
  const command = program
    .command('get [id]')
    .description('Print a message or one part of it. Without an id, the newest message.')
    .addOption(printOption())
    .option(
      '--attachment <index>',
      'print the attachment with this number, or with this content id: cid:<id>',
      readIndex,
    )
    .option('--out <file>', 'write the attachment to this file')
    .addOption(jsonFieldsOption('detail'))
  withConnection(command)
    .addHelpText(
      'after',
      examples(
        'mailhatch get',
        'mailhatch get --print raw > mail.eml',
        'mailhatch get 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24 --attachment 0 --out terms.txt',
        'mailhatch get 0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24 --json subject,codes,links',
      ),
    )
    .action(async (id: string | undefined, options: GetOptions) => {
      if (options.out !== undefined && options.attachment === undefined) {
        command.error("error: option '--out <file>' needs --attachment <index>")
      }
      const mailhatch = connect(command)
      const email = await (id === undefined
        ? found(mailhatch.messages.latest(), 'There are no messages yet.')
        : found(mailhatch.messages.get(id), noMessage(id)))
      if (options.attachment === undefined) return printEmail(mailhatch, email, options)
      const bytes = await found(
        mailhatch.messages.attachment(email.id, options.attachment),
        `The message has no attachment ${options.attachment}. It has ${countOf(email.attachments.length, 'attachment')}, counted from 0.`,
      )
      if (options.out !== undefined) return writeFileSync(options.out, bytes)
      if (!process.stdout.isTTY) return void process.stdout.write(bytes)
      // Untrusted bytes could contain terminal escape sequences.
      command.error('error: write the attachment to a file with --out <file>')
    })
}

function readIndex(text: string): Attachment {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  const [, contentId] = /^cid:(.+)$/.exec(text) ?? []
  if (contentId !== undefined) return `cid:${contentId}`
  throw new InvalidArgumentError('Expected the number of the attachment, or cid:<content id>.')
}
