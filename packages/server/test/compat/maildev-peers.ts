import type { ComparedMail, ComparedPeer } from './comparison.ts'
import { comparedCalls } from './maildev-calls.ts'
import { differencesFrom } from './maildev-differences.ts'
import { comparedMail } from './mailpit-mails.ts'
import { mixedWithOdd } from './odd-mails.ts'

type File = { generatedFileName: string }

export const MAILDEV_2 = maildev(2)
export const MAILDEV_3 = maildev(3)

function maildev(version: 2 | 3): ComparedPeer {
  const mail = mixedWithOdd(`maildev${version}`, comparedMail)
  const prefix = version === 2 ? '' : '/api'
  return {
    name: 'maildev',
    version,
    mail: (number) => dated(mail(number)),
    calls: (counts) => comparedCalls(version, counts),
    intended: differencesFrom(version),
    start: ({ port, smtpPort }) => `--web ${port} --smtp ${smtpPort} --web-ip 127.0.0.1 --ip 127.0.0.1`.split(' '),
    async newestId(url, known) {
      const emails = (await (await fetch(`${url}${prefix}/email?skip=${known}`)).json()) as { id: string }[]
      return emails.at(-1)?.id
    },
    async fileNames(url, id) {
      const { attachments } = (await (await fetch(`${url}${prefix}/email/${id}`)).json()) as {
        attachments: File[] | null
      }
      return (attachments ?? []).map(({ generatedFileName }) => generatedFileName)
    },
    /** Of lists with filters, the ids: other calls compare emails. */
    shorten({ path }, body) {
      return Array.isArray(body) && path.includes('?') ? body.map(({ id }: { id: string }) => id) : body
    },
    recorded: { mails: 40, calls: 160 },
  }
}

/** Without a date, the place of a mail in a list depends on when it is sent. */
function dated(mail: ComparedMail): ComparedMail {
  const { raw } = mail
  if (/^Date:/im.test(raw.toString('latin1'))) return mail
  return { ...mail, raw: Buffer.concat([Buffer.from('Date: Mon, 9 Nov 2026 09:00:00 +0200\r\n'), Buffer.from(raw)]) }
}
