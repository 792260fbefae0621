import { randomMail, randomSize } from '../support/random-mail.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { isAccepted, SmtpClient } from '../support/smtp-client.ts'
import { ConnectionLost } from '../support/smtp-replies.ts'
import { sha256 } from '../support/stored-mail.ts'
import type { SentMail } from './sent-mail.ts'

export type MailLoad = ReturnType<typeof startMailLoad>

/** Sends mail over several connections while something else happens, and knows which mail was accepted. */
export function startMailLoad({
  domain,
  seed,
  mailBytes,
}: {
  domain: string
  seed: number
  mailBytes: { bytesMin: number; bytesMax: number }
}) {
  const sent: SentMail = new Map()
  let accepted = 0
  let mayBeLost = false

  async function sendUntil(isOver: () => boolean, smtpPort: number): Promise<void> {
    try {
      const client = await SmtpClient.connect(smtpPort)
      while (!isOver()) {
        const number = sent.size
        const id = `m${number}`
        const random = seededRandom(seed + number)
        const raw = randomMail(id, randomSize(mailBytes, random), { random, domain })
        const mail = { hash: sha256(raw), isAccepted: false }
        sent.set(id, mail)
        const reply = await client.send({ to: `qa+${id}@${domain}`, raw })
        if (!isAccepted(reply)) throw new Error(`A healthy server refused a mail: ${reply}`)
        mail.isAccepted = true
        accepted++
      }
      client.close()
    } catch (error) {
      if (!(error instanceof ConnectionLost && mayBeLost)) throw error
    }
  }

  return {
    sent,
    acceptedCount: () => accepted,
    /**
     * Sends until `work` is over. It calls `expectLoss` before it ends the server: a connection that is lost earlier is a
     * fault, and later it is not opened again.
     */
    async during(
      { smtpPort, connections }: { smtpPort: number; connections: number },
      work: (expectLoss: () => void) => Promise<void>,
    ): Promise<void> {
      let isOver = false
      mayBeLost = false
      const sending = Array.from({ length: connections }, () => sendUntil(() => isOver, smtpPort))
      const working = work(() => (mayBeLost = true)).finally(() => (isOver = true))
      await Promise.all([working, ...sending])
    },
  }
}
